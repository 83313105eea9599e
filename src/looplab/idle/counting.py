"""The turns of event loops, counted from outside."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from .loops import Loop, all_running, checked
from .work import work_of

__all__ = ["LoopTurns", "Turns", "count_turns"]

#: Callbacks of each loop that are looked at, to say who keeps it busy.  A look walks
#: through a coroutine, and the loop must go on turning at nearly its own pace.
_LOOKS = 100
_lock = threading.Lock()
_counters: dict[Loop, list[_Counter]] = {}


@dataclass(slots=True)
class _Counter:
    """The turns of one loop.  Only the loop's own thread writes here."""

    turns: int = 0
    looks: int = 0
    thread: str = ""
    seen: Counter[str] = field(default_factory=Counter)

    def turn(self, loop: Loop) -> None:
        if not self.turns:
            self.thread = threading.current_thread().name
        self.turns += 1
        if self.looks < _LOOKS:
            for handle in tuple(getattr(loop, "_ready", ()))[:5]:
                self.looks += 1
                self.seen[work_of(handle)] += 1


@dataclass(frozen=True, slots=True)
class LoopTurns:
    """The turns of one loop.

    Attributes:
        thread: name of the thread that runs it; empty if it did not turn.
        turns: how many times it turned.
        busy_with: what ran most often in the first turns; empty if nothing did.
    """

    thread: str
    turns: int
    busy_with: str


class Turns:
    """How often event loops turned in a block; see :func:`count_turns`.

    The counts grow while the block runs.
    """

    def __init__(self, counters: Mapping[Loop, _Counter]) -> None:
        self._counters = dict(counters)
        self._started = time.perf_counter()
        self._ended: float | None = None

    @property
    def by_loop(self) -> Mapping[Loop, LoopTurns]:
        """Each loop with its turns, its thread and what kept it busy."""
        return MappingProxyType(
            {
                loop: LoopTurns(
                    counter.thread,
                    counter.turns,
                    max(counter.seen, key=counter.seen.__getitem__, default=""),
                )
                for loop, counter in self._counters.items()
            }
        )

    @property
    def most(self) -> int:
        """The turns of the loop that turned most."""
        return max((counter.turns for counter in self._counters.values()), default=0)

    @property
    def total(self) -> int:
        """The turns of all loops together."""
        return sum(counter.turns for counter in self._counters.values())

    @property
    def seconds(self) -> float:
        """How long they have been counted, in seconds."""
        return (self._ended or time.perf_counter()) - self._started

    def __repr__(self) -> str:
        turns, loops = self.total, len(self._counters)
        return (
            f"{turns:,} turn{'' if turns == 1 else 's'} of "
            f"{loops} loop{'' if loops == 1 else 's'} in {self.seconds:.2f} s"
        )

    def _stop(self) -> None:
        # A turn that has begun counts itself a moment later.
        self._counters = {
            loop: replace(counter, seen=counter.seen.copy())
            for loop, counter in self._counters.items()
        }
        self._ended = time.perf_counter()


@contextmanager
def count_turns(*loops: Loop) -> Iterator[Turns]:
    """Count the turns of *loops* in the block; of all running ones if none is given.

    It works from any thread and also inside a coroutine, whose own loop then counts as
    well::

        with count_turns() as turns:
            time.sleep(0.3)
        print(turns)      # 12,059 turns of 4 loops in 0.30 s

    A turn is one pass of a loop through its selector and its ready queue.  A counted
    loop turns a little slower.  After the block nothing of it is left on the loops.

    Raises:
        TypeError: one of *loops* is not an event loop, or its turns cannot be seen from
            Python, such as uvloop's or those of looplab's virtual clock.
        RuntimeError: one of *loops* is closed, or none is given and none runs: a count
            of nothing would always be 0.
    """
    watched = list(dict.fromkeys(checked(loops) if loops else all_running()))
    counters = {loop: _Counter() for loop in watched}
    turns = Turns(counters)  # its seconds hold all that is counted
    with _lock:
        for loop, counter in counters.items():
            _begin(loop, counter)
    try:
        yield turns
    finally:
        turns._stop()
        with _lock:
            for loop, counter in counters.items():
                _end(loop, counter)


# An attribute of the loop itself stands in front of its class's method, so
# that other loops run as they are.


def _begin(loop: Loop, counter: _Counter) -> None:
    counters = _counters.get(loop)
    if counters is not None:
        _counters[loop] = [*counters, counter]
        return
    _counters[loop] = [counter]
    once: Callable[[], None] = loop._run_once  # type: ignore[attr-defined]

    def counted() -> None:
        for each in _counters.get(loop, ()):
            each.turn(loop)
        once()

    loop._run_once = counted  # type: ignore[attr-defined]


def _end(loop: Loop, counter: _Counter) -> None:
    left = [each for each in _counters[loop] if each is not counter]
    if left:
        _counters[loop] = left
        return
    del _counters[loop]
    del loop._run_once  # type: ignore[attr-defined]
