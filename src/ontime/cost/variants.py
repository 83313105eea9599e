"""The ways to await one coroutine function several times, as source code.

They are text so that the page can show exactly what is measured, and so that nothing
but the code shown is in the measurement: no loop and no list that the reader's own
program would not have.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

__all__ = ["VARIANTS", "variant_source"]


def _tasks(times: int) -> str:
    names = [f"task_{number + 1}" for number in range(times)]
    starts = "".join(f"{name} = asyncio.create_task(work())\n" for name in names)
    return starts + "".join(f"await {name}\n" for name in names)


def _gather(times: int) -> str:
    return f"await asyncio.gather({', '.join(['work()'] * times)})\n"


def _group(kind: str, start: str) -> Callable[[int], str]:
    return lambda times: f"async with {kind} as group:\n" + f"    {start}\n" * times


def _wait(times: int) -> str:
    tasks = "    asyncio.create_task(work()),\n" * times
    return f"await asyncio.wait([\n{tasks}])\n"


def _as_completed(times: int) -> str:
    works = ", ".join(["work()"] * times)
    return f"for done in asyncio.as_completed([{works}]):\n    await done\n"


#: Every way to await, by name: makes the body of a coroutine function of so many
#: awaits.  The first is what the others are compared with.  Those that are *eager* run
#: on a loop that was given ``asyncio.eager_task_factory`` (3.12).
VARIANTS: dict[str, Callable[[int], str]] = {
    "in sequence": lambda times: "await work()\n" * times,
    "wait_for": lambda times: "await asyncio.wait_for(work(), timeout=60)\n" * times,
    "tasks": _tasks,
    "tasks, eager": _tasks,
    "TaskGroup": _group("asyncio.TaskGroup()", "group.create_task(work())"),
    "gather": _gather,
    "gather, eager": _gather,
    "wait": _wait,
    "as_completed": _as_completed,
    "anyio group": _group("anyio.create_task_group()", "group.start_soon(work)"),
}


def variant_source(name: str, times: int = 2) -> str:
    """The source of a way of :data:`VARIANTS` to await ``work()`` *times* times.

    It is an async function ``variant()``, as it is measured (chapter 3).
    """
    return "async def variant():\n" + indent(VARIANTS[name](times), "    ")
