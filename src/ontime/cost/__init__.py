"""What a coroutine costs: CPU time for each call, measured in a clean interpreter.

>>> from ontime.cost import cpu_cost              # doctest: +SKIP
>>> cpu_cost("mypackage.service:handle")           # doctest: +SKIP

The figure is **CPU time**, not wall time, because CPU time is what a server pays for
and what other programs on the machine do not add to.  It is measured by ``pyperf`` in
processes of its own, where no notebook has a loop running and nothing has patched
asyncio.  :func:`compare_variants` asks what it costs to await the same coroutine in
sequence, through ``gather``, in tasks; :func:`clients_per_core` turns a cost into
clients.

* :mod:`.measure`: the three functions that measure;
* :mod:`.variants`: the ways to await, as source code;
* :mod:`.works`: small functions to measure;
* :mod:`.table`: what they return;
* :mod:`.capacity`: the arithmetic of clients and cores;
* :mod:`.plan`: what is to be measured, and how a function reaches the clean
  interpreter;
* :mod:`.lab`: the interpreters of a measurement; :mod:`.child`: what runs in one;
* :mod:`.__main__`: ``python -m ontime.cost``, which can keep a table.

Introduced in the chapter *Count what a task costs*.
"""

from ontime.measuring.sending import UnsendableError

from .capacity import clients_per_core, cores_needed
from .lab import CostError, WorkFailedError
from .measure import (
    compare_costs,
    compare_variants,
    cpu_cost,
)
from .plan import MissingPackageError
from .table import Cost, CostTable
from .variants import VARIANTS, variant_source

__all__ = [
    "VARIANTS",
    "Cost",
    "CostError",
    "CostTable",
    "MissingPackageError",
    "UnsendableError",
    "WorkFailedError",
    "clients_per_core",
    "compare_costs",
    "compare_variants",
    "cores_needed",
    "cpu_cost",
    "variant_source",
]
