"""The pytest plugin: a test on the virtual clock, by the marker ``virtual_time``.

While a marked test is set up, runs and is torn down, every loop that asyncio makes is a
:class:`looplab.VirtualTimeLoop`: those of pytest-asyncio, of anyio, of
``unittest.IsolatedAsyncioTestCase`` and of :func:`asyncio.run`.  A coroutine function
that none of them runs is run by this plugin.

It imports the clock when the first marked test begins.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from looplab.clock import VirtualTimeLoop

__all__ = ["VirtualTime"]

_OPTIONS = ("start", "jitter", "seed", "callback_cost", "max_steps", "patch_time")
_KEY = pytest.StashKey["VirtualTime"]()


class VirtualTime:
    """The virtual clock of a test.

    Args:
        patch_time: whether ``time.time()``, ``time.monotonic()``,
            ``time.perf_counter()`` and their ``_ns`` tell the clock of the loop.
        settings: those of :class:`looplab.VirtualTimeLoop`.
    """

    def __init__(self, *, patch_time: bool = False, **settings: Any) -> None:
        self._settings = settings
        self._patch_time = patch_time
        self._loop: VirtualTimeLoop | None = None
        self._patch = pytest.MonkeyPatch()

    @property
    def now(self) -> float:
        """Seconds on the clock of the loop that was made last."""
        return self._settings.get("start", 0.0) if self._loop is None else self._time()

    @property
    def elapsed(self) -> float:
        """Seconds that have passed on it since it was made."""
        return self.now - float(self._settings.get("start", 0.0))

    def _time(self) -> float:
        assert self._loop is not None
        return self._loop.time()

    def new_loop(self) -> VirtualTimeLoop:
        """Return a loop of this clock."""
        from looplab.clock import VirtualTimeLoop

        self._loop = VirtualTimeLoop(**self._settings)
        return self._loop

    def begin(self) -> None:
        """From here on asyncio makes such loops."""
        self.new_loop().close()  # a wrong setting is an error of the test's setup
        self._loop = None
        self._patch.setattr(asyncio.events, "new_event_loop", self.new_loop)
        self._patch.setattr(asyncio, "new_event_loop", self.new_loop)
        if self._patch_time:
            for name in ("time", "monotonic", "perf_counter"):
                self._patch.setattr(time, name, lambda: self.now)
                in_ns: Callable[[], int] = lambda: round(self.now * 1e9)  # noqa: E731
                self._patch.setattr(time, f"{name}_ns", in_ns)

    def end(self) -> None:
        """From here on asyncio makes its own loops."""
        self._patch.undo()


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "virtual_time(start=0, jitter=0, seed=0, callback_cost=0, max_steps=None, "
        "patch_time=False): run the test on looplab's virtual clock",
    )


@pytest.fixture
def virtual_time(request: pytest.FixtureRequest) -> VirtualTime:
    """The virtual clock of the test: ``elapsed`` and ``now``, in seconds."""
    return request.node.stash[_KEY]  # type: ignore[no-any-return]


def _clock_of(item: pytest.Item) -> VirtualTime | None:
    marker = item.get_closest_marker("virtual_time")
    if marker is None:
        if "virtual_time" not in getattr(item, "fixturenames", ()):
            return None
        return VirtualTime()
    unknown = [repr(name) for name in marker.kwargs if name not in _OPTIONS]
    if marker.args or unknown:
        wrong = ", ".join([*map(repr, marker.args), *unknown])
        pytest.fail(
            f"virtual_time got {wrong}: give {', '.join(_OPTIONS)} by name",
            pytrace=False,
        )
    return VirtualTime(**marker.kwargs)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin before the fixtures of the test are made."""
    clock = _clock_of(item)
    if clock is not None:
        item.stash[_KEY] = clock
        clock.begin()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """End after the fixtures of the test were torn down."""
    try:
        return (yield)
    finally:
        clock = item.stash.get(_KEY, None)
        if clock is not None:
            clock.end()


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine function, if no other plugin has done so."""
    clock = pyfuncitem.stash.get(_KEY, None)
    if clock is None or not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    from looplab.clock import run

    names = pyfuncitem._fixtureinfo.argnames
    main = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    run(main, loop_factory=clock.new_loop)
    return True
