"""Ways to run CPU work beside an event loop, and what each of them costs.

:func:`compare_models` runs a function of yours on the loop itself, in threads, in
processes, in interpreters and on a cluster, and measures for each the wall time, the
CPU time of all processes, the time to start, and how late the loop was meanwhile::

    from ontime.cpu_models import compare_models, product

    print(compare_models(product, (20_000,), models=["chain", "threads", "pool"]))

``python -m ontime.cpu_models`` does so in a terminal; with ``--full`` it runs the work
of the published experiments.

* :mod:`.work`: the jobs of the chapter;
* :mod:`.models`: the models, when each is available, and how it runs;
* :mod:`.compare`: compare several;
* :mod:`.measure`: one measurement;
* :mod:`.fresh`: a fresh process for each, and none left behind;
* :mod:`.table`: the result; :mod:`ontime.measuring.records` keeps it.

The cluster needs ``distributed`` (``ontime[cluster]``).
Introduced in the chapter *Move CPU work off the loop*.
"""

from ontime.measuring.cores import free_cores
from ontime.measuring.records import machine, usable_cores

from .compare import compare_models
from .fresh import MeasurementError, UnpicklableError, WorkError
from .measure import Measurement
from .models import (
    DEFAULT_MODELS,
    KINDS,
    MOST_JOBS,
    MOST_WORKERS,
    Model,
    ModelUnavailableError,
    WorkerLostError,
)
from .table import Comparison, Row
from .work import compress, digest, product

__all__ = [
    "DEFAULT_MODELS",
    "KINDS",
    "MOST_JOBS",
    "MOST_WORKERS",
    "Comparison",
    "Measurement",
    "MeasurementError",
    "Model",
    "ModelUnavailableError",
    "Row",
    "UnpicklableError",
    "WorkError",
    "WorkerLostError",
    "compare_models",
    "compress",
    "digest",
    "free_cores",
    "machine",
    "product",
    "usable_cores",
]
