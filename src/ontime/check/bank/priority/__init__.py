"""The extra exercises of chapter 7, *Put the lease first*.

==============  ========================================================================
``07-xslack``   a function ``latest_start(piece, urgent, cost)``
``07-xlease``   an async function ``under_lease(steps, renew, lease)``
``07-xinvert``  an async function ``refresh(lock, fetch, store)``
``07-xage``     a function ``next_job(waiting, now)``
``07-xdue``     a function ``next_job(ready, now)``
==============  ========================================================================

Each check says in its docstring what the answer must be.
"""
