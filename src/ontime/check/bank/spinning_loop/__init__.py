"""The extra exercises of chapter 6, *Find the loop that spins*.

==============  ========================================================================
``06-xevent``   a class ``Progress()``
``06-xlost``    a class ``Mailbox()``
``06-xacross``  an async function ``ask(loop, work)``
``06-xguard``   an async function ``guard(session)``
``06-xcauses``  a function ``causes(measure)``
==============  ========================================================================

Each check says in its docstring what the answer must be.
"""
