"""What a coroutine costs: CPU time for each call, measured in a clean interpreter.

>>> from ontime.cost import cpu_cost              # doctest: +SKIP
>>> cpu_cost("mypackage.service:handle")           # doctest: +SKIP

The figure is **CPU time**, not wall time, because CPU time is what a server pays for
and what other programs on the machine do not add to.  It is measured by ``pyperf`` in
processes of its own, where no notebook has a loop running and nothing has patched
asyncio.  :func:`compare_variants` asks what it costs to await the same coroutine in
sequence, through ``gather``, in tasks; :func:`clients_per_core` turns a cost into
clients.

Introduced in the chapter *Count what a task costs*.
"""

from ontime.measuring.fresh import MeasurementError, UnpicklableError, WorkFailedError

from .capacity import clients_per_core, cores_needed
from .measure import compare_variants, cpu_cost
from .table import Cost, CostTable
from .variants import VARIANTS, variant_source

__all__ = [
    "VARIANTS", "Cost", "CostTable", "MeasurementError", "UnpicklableError",
    "WorkFailedError", "clients_per_core", "compare_variants", "cores_needed",
    "cpu_cost", "variant_source",
]  # fmt: skip
