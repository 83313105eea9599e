"""Measure in a clean place: processes of their own, and records of what was measured.

* :mod:`.fresh`: call a function in a fresh interpreter;
* :mod:`.processes`: run a command, and end it with all that it started;
* :mod:`.records`: the machine of a figure, in words;
* :mod:`.tables`: results as text, as a table of a page, and in a file;
* :mod:`.counters`: tools that count instructions;
* :mod:`.cores`: how many cores there are, and how many other programs leave.
"""
