"""Programs that use the libraries: ``python drivers NAME``.

Each works as it is and with the advice applied.  It asserts that nothing is lost, out
of order or left waiting, and prints the most of what the finding is about: items in a
channel, iterations of a loop, tasks.  Each imports the library that it uses, and is run
where that is installed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

import connections
import functions
import kernels
import publishing

ROOMS = (connections, functions, kernels, publishing)


def program(name: str) -> Callable[[], Awaitable[int]]:
    """The program of that name.

    Raises:
        SystemExit: There is none.
    """
    for room in ROOMS:
        if hasattr(room, name):
            found: Callable[[], Awaitable[int]] = getattr(room, name)
            return found
    raise SystemExit(f"there is no program {name!r}")


def main(name: str) -> None:
    """Run one, within a minute."""
    print(asyncio.run(asyncio.wait_for(program(name)(), 60)))


if __name__ == "__main__":
    main(sys.argv[1])
