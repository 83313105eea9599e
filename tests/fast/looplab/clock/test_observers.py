"""The hook for observers, on both virtual loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from looplab.clock import Observer, VirtualTimeLoop, burn
from looplab.priority import ByDeadline, VirtualPriorityLoop

NewLoop = Callable[[], VirtualTimeLoop]
both_loops = pytest.mark.parametrize(
    "new_loop",
    [VirtualTimeLoop, VirtualPriorityLoop, lambda: VirtualPriorityLoop(ByDeadline())],
)


def name_of(handle: Any) -> str:
    if handle.cancelled():
        return "cancelled"
    return str(getattr(handle._callback, "__name__", "a step of a task"))


class Diary(Observer):
    """Writes down everything."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self.loop = loop
        self.lines: list[str] = []

    def write(self, what: str) -> None:
        self.lines.append(f"{self.loop.time():g} {what}")

    def joined(self, handle: asyncio.Handle, /) -> None:
        self.write(f"joined {name_of(handle)}")

    def left(self, handle: asyncio.Handle, /) -> None:
        self.write(f"left {name_of(handle)}")

    def iteration(self) -> None:
        self.write("iteration")

    def burned(self) -> None:
        self.write("burned")


def first() -> None:
    burn(2)


def second() -> None:
    pass


def timer() -> None:
    asyncio.get_running_loop().stop()


@both_loops
def test_an_observer_hears_everything_in_order(new_loop: NewLoop) -> None:
    loop = new_loop()
    diary = Diary(loop)
    loop.add_observer(diary)
    loop.call_soon(first)
    loop.call_soon(second).cancel()
    loop.call_later(3, timer)
    loop.call_later(1, second).cancel()
    loop.run_forever()
    loop.close()
    assert diary.lines == [
        "0 joined first",
        "0 joined second",
        "0 iteration",
        "0 left first",
        "2 burned",
        "2 left cancelled",
        "2 iteration",
        "3 joined timer",
        "3 left timer",
    ]


@both_loops
@pytest.mark.parametrize("debug", [False, True])
def test_it_may_come_and_go_amid_an_iteration(new_loop: NewLoop, debug: bool) -> None:
    loop = new_loop()
    loop.set_debug(debug)
    loop.slow_callback_duration = 100
    diary = Diary(loop)

    def come() -> None:
        loop.add_observer(diary)
        loop.call_soon(second)

    def go() -> None:
        loop.call_soon(timer)
        loop.remove_observer(diary)
        loop.call_soon(second)

    for callback in (second, come, first, go, second):
        loop.call_soon(callback)
    loop.run_forever()
    loop.close()
    assert diary.lines == [
        "0 joined second",
        *("0 left first", "2 burned"),
        *("2 left go", "2 joined timer"),
    ]


def test_several_observers_are_told_in_the_order_in_which_they_came() -> None:
    heard: list[str] = []

    class Named(Observer):
        def __init__(self, name: str) -> None:
            self.name = name

        def left(self, handle: asyncio.Handle, /) -> None:
            heard.append(self.name)

    loop = VirtualTimeLoop()
    first_observer, second_observer = Named("one"), Named("two")
    loop.add_observer(first_observer)
    loop.add_observer(second_observer)
    loop.call_soon(loop.remove_observer, first_observer)
    loop.call_soon(timer)
    loop.run_forever()
    loop.close()
    assert heard == ["one", "two", "two"]


def test_what_an_observer_raises_ends_the_run() -> None:
    class Broken(Observer):
        def iteration(self) -> None:
            raise LookupError("mine")

    loop = VirtualTimeLoop()
    own, broken = loop._ready, Broken()
    loop.add_observer(broken)
    assert loop._ready is own  # it asked for nothing of the queue
    loop.call_soon(timer)
    with pytest.raises(LookupError, match="mine"):
        loop.run_forever()
    loop.remove_observer(broken)
    loop.run_forever()  # the callback was not lost
    loop.close()


def test_wrong_observers() -> None:
    loop = VirtualTimeLoop()
    with pytest.raises(TypeError, match="expected an Observer, got 7"):
        loop.add_observer(7)  # type: ignore[arg-type]
    observer = Observer()
    with pytest.raises(ValueError, match="does not observe"):
        loop.remove_observer(observer)
    loop.add_observer(observer)
    with pytest.raises(ValueError, match="already"):
        loop.add_observer(observer)
    loop.close()
