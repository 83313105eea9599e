"""The extra exercises of chapter 5, *Bound every channel*.

=============  =========================================================================
``05-xcrash``  an async function ``feed(source, handle)``
``05-xrelay``  an async function ``relay(source, queue, patience)``
``05-xend``    an async function ``work_off(items, handle, workers)``
``05-xshed``   a class ``Door(service, patience)``
``05-xdrain``  a class ``Outbox(send)``
=============  =========================================================================

Each check says in its docstring what the answer must be.
"""
