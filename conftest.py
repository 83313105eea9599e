"""What all tests share, and the cells of the notebooks, which are tests too."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from nbval import kernel, plugin

from tests import guard
from tools.kernels import FileKernelManager

guard.install()

# How long an example takes, to draw and to run, depends on what else the machine does.
settings.register_profile(
    "book", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")


class PatientKernel(kernel.RunningKernel):  # type: ignore[misc]
    """A kernel that is started again if it does not answer in nbval's time."""

    def __init__(self, *args: object, **options: object) -> None:
        for left in reversed(range(5)):
            try:
                super().__init__(*args, **options)
            except RuntimeError:
                if hasattr(self, "km"):  # it is there, and did not answer in time
                    self.km.shutdown_kernel(now=True)
                if not left:
                    raise
            else:
                return


plugin.RunningKernel = PatientKernel
kernel.KernelManager = FileKernelManager


def pytest_configure() -> None:
    """Let tests and the programs that they start be interrupted.

    A shell starts what runs in its background with interrupts ignored, and every
    process hands that on to its children.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out the cells that measure: real time is judged by `make execute` alone."""
    measured = [item for item in items if _measures(item)]
    if measured:
        config.hook.pytest_deselected(items=measured)
        items[:] = [item for item in items if not _measures(item)]


def _measures(item: pytest.Item) -> bool:
    """Whether this is a cell of a notebook with the tag ``measured``."""
    if not isinstance(item, plugin.IPyNbCell):
        return False
    return "measured" in item.cell.metadata.get("tags", ())


def pytest_collection_finish() -> None:
    """Hide the thousands of tests from the garbage collector.

    Nothing of them is garbage, and tests of programs that collect it, as every check of
    an exercise does, took ten times as long with them.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """For tests of what looks through all objects, and refuses if some are hidden."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()
