"""Commands of the project: ``python tools/run.py <command>``, or ``make <command>``.

Everything that runs before the environment exists uses the standard library only.
"""
