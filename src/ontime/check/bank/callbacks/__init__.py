"""The extra exercises of chapter 1, *Give the loop something to call*.

==============  ========================================================================
``01-xorder``   the letters A to G, as a string
``01-xthread``  a function ``make_deliver(loop, queue)``
``01-xkeep``    a class ``Background()``
``01-xundo``    an async function ``careful(step, undo)``
``01-xquiet``   a class ``Quiet(loop, delay, action)``
==============  ========================================================================

Each check says in its docstring what the answer must be.
"""
