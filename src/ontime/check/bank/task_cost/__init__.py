"""The extra exercises of chapter 3, *Count what a task costs*.

==============  ========================================================================
``03-xcount``   a function ``callbacks(way, parts, pauses)``
``03-xerrors``  an async function ``all_or_nothing(parts)``
``03-xfirst``   an async function ``first(sources)``
``03-xcache``   a class ``Cache(load)``
``03-xmix``     a function ``clients(kinds, rate, busy)``
==============  ========================================================================

Each check says in its docstring what the answer must be.
"""
