"""Ways to run CPU work beside an event loop, and what each of them costs.

:func:`compare_models` runs a function of yours on the loop itself, in threads, in
processes, in interpreters and on a cluster, and measures for each the wall time, the
CPU time of all processes, the time to start, and how late the loop was meanwhile::

    from ontime.cpu_models import compare_models, product

    print(compare_models(product, (20_000,), models=["chain", "threads", "pool"]))

``python -m ontime.cpu_models`` runs the work of the published experiments.

The cluster needs ``distributed`` (``ontime[cluster]``).
Introduced in the chapter *Move CPU work off the loop*.
"""

from ontime.measuring.fresh import MeasurementError, UnpicklableError, WorkFailedError
from ontime.measuring.machine import free_cores, usable_cores

from .compare import compare_models
from .measure import Measurement
from .models import KINDS, Model
from .table import Comparison, Row
from .work import compress, digest, product

__all__ = [
    "KINDS", "Comparison", "Measurement", "MeasurementError", "Model", "Row",
    "UnpicklableError", "WorkFailedError", "compare_models", "compress", "digest",
    "free_cores", "product", "usable_cores",
]  # fmt: skip
