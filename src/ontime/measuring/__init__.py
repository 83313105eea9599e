"""Measure in a clean place: processes of their own, and records of what was measured.

* :mod:`.fresh`: call a function in a fresh interpreter;
* :mod:`.processes`: run a command, and end it with all that it started;
* :mod:`.machine`: what a figure was measured on, and how many cores are free;
* :mod:`.tables`: results as text, as a table of a page, and in a file;
* :mod:`.counters`: tools that count instructions.
"""
