"""A small shop: the program in which each chapter finds its fault.

It takes orders, works them off under leases, hashes passwords, prices baskets, writes
reports, keeps an audit log and tells watchers what is done.  It begins with one fault
of each of the chapters 2 to 7; :mod:`service.settings` names them and switches them.

``python -m service`` in this folder's parent serves it with all faults, and
``python -m service --fix storm`` with one less.  ``python -m service.load`` is the
client, a process of its own, and ``python -m service.measure storm`` measures a fault
and its fix.
"""
