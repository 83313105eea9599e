"""The extra exercises of chapter 4, *Keep the heartbeat on time*.

===============  =======================================================================
``04-xslices``   a function ``worst(jobs, slices, cpu)``
``04-xevery``    an async function ``every(interval, work)``
``04-xfair``     a class ``Fair()``
``04-xworkers``  a function ``workers(wait, cpu, late)``
``04-xsettle``   an async function ``settle(jobs, workers)``
===============  =======================================================================

Each check says in its docstring what the answer must be.
"""
