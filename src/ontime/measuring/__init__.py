"""Measure in a clean place: processes of their own, and records of what was measured.

* :mod:`.processes`: run a command, and end it with all that it started;
* :mod:`.supervisor`: what stands between this process and the command;
* :mod:`.sending`: functions and arguments as bytes, or an error that says why not;
* :mod:`.records`: what a record of a measurement needs: the machine, and a file;
* :mod:`.tables`: results as text, as a table of a page, and in a file;
* :mod:`.counters`: tools that count instructions;
* :mod:`.cores`: how many cores other programs leave.
"""
