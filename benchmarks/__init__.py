"""Ratios side by side: the loop, the tracer, the linter, the diagnosis, the live cells.

Each module is a script of its own; :mod:`benchmarks.common` has what they share.
"""
