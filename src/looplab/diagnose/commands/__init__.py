"""The commands of the room, such as ``looplab trace`` and ``looplab who``.

A module a command; each has ``add_arguments(parser)`` and ``run(options, parser)``.
"""
