"""Run one module of CPython's own asyncio tests on the priority loop.

    python cpython_on_priority.py test.test_asyncio.test_events [name ...]

runs the module's tests and prints a JSON object, as ``cpython_on_looplab.py`` does.
Nothing is excluded.  With ``--stock`` as the first word it runs them on asyncio's own
loop, to compare; with ``--in-use`` the loop takes the program for one that gives
priorities from the start.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import unix_events
from typing import Any

from looplab.priority import PriorityEventLoop
from tests.contract.looplab.clock import cpython_on_looplab as runner

# Modules of test.test_asyncio that are left out.
LEFT_OUT = {
    "test_windows_events": "tests the loops of Windows themselves",
    "test_windows_utils": "tests helpers of the loops of Windows",
}


class Loop(PriorityEventLoop):
    """The loop that the tests get; some of them hand over a selector."""

    made = 0
    in_use = False

    def __init__(self, selector: Any = None) -> None:
        super().__init__(selector=selector)
        if Loop.in_use:
            self._ready.start()
        Loop.made += 1


def use_priorities() -> None:
    """Let every way by which the tests come to a loop make a priority loop."""
    loop_class: Any = Loop
    policy = getattr(asyncio, "DefaultEventLoopPolicy", None)
    policy = policy or asyncio._DefaultEventLoopPolicy  # type: ignore[attr-defined]
    policy._loop_factory = loop_class
    asyncio.SelectorEventLoop = loop_class
    asyncio.EventLoop = loop_class  # type: ignore[attr-defined]
    unix_events.SelectorEventLoop = loop_class


def main(words: list[str]) -> None:
    """Run what the words of the command line name."""
    on_stock = words[0] == "--stock"
    Loop.in_use = words[0] == "--in-use"
    if on_stock or Loop.in_use:
        del words[0]
    runner.EXCLUDED = {}
    runner.use_virtual_time = (lambda: None) if on_stock else use_priorities
    runner.main(words[0], words[1:])
    sys.__stdout__.write(f"{Loop.made} loops\n")  # type: ignore[union-attr]


if __name__ == "__main__":
    main(sys.argv[1:])
