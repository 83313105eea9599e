"""The extra exercises of chapter 2, *Move CPU work off the loop*.

===============  =======================================================================
``02-xcontext``  an async function ``offload(pool, function, *args)``
``02-xstop``     an async function ``compute(offload, work, seconds)``
``02-xslices``   an async function ``in_slices(items, work, budget)``
``02-xbatches``  an async function ``in_batches(offload, work, items, size)``
``02-xrefuse``   a class ``Front(offload, workers, places)``
===============  =======================================================================

Each check says in its docstring what the answer must be.
"""
