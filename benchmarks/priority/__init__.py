"""What priorities cost: ``python -m benchmarks.priority``.

It makes or uses ``.venv-bench``, measures the priority loop beside asyncio's own and
asynkit's, how the simulator of chapter 7 grows, and what its ways to serve the most
urgent first cost there; prints tables and writes ``benchmarks/priority_results.json``.

With ``--only callbacks`` it measures those tables only and leaves the others of the
file as they are.

* :mod:`.loops`: the priority loop beside asyncio's own and asynkit's;
* :mod:`.leases`: the simulator of chapter 7;
* :mod:`.rows`: one measurement, and a row and a table of them;
* :mod:`.worker`: what is measured, in a process of its own.
"""
