"""The ways to await one coroutine function several times, as source code.

They are text so that the page can show exactly what is measured, and so that nothing
but the code shown is in the measurement: no loop and no list that the reader's own
program would not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import indent

__all__ = ["VARIANTS", "Variant", "variant_source"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to await.

    Attributes:
        name: what the table calls it.
        body: makes the body of the coroutine function for a number of awaits.
        package: an optional package that it needs, or an empty string.
        eager: whether the loop is given ``asyncio.eager_task_factory``.
        needs: the oldest Python that has it.
    """

    name: str
    body: Callable[[int], str]
    package: str = ""
    eager: bool = False
    needs: tuple[int, int] = (3, 11)

    def source(self, times: int) -> str:
        """The source of an async function ``variant()`` of so many awaits."""
        return "async def variant():\n" + indent(self.body(times), "    ")


def _sequence(times: int) -> str:
    return "await work()\n" * times


def _gather(times: int) -> str:
    return f"await asyncio.gather({_listed(times, 'work()')})\n"


def _tasks(times: int) -> str:
    names = [f"task_{number + 1}" for number in range(times)]
    made = "".join(f"{name} = asyncio.create_task(work())\n" for name in names)
    return made + "".join(f"await {name}\n" for name in names)


def _group(times: int) -> str:
    made = "group.create_task(work())\n" * times
    return "async with asyncio.TaskGroup() as group:\n" + indent(made, "    ")


def _anyio(times: int) -> str:
    made = "group.start_soon(work)\n" * times
    return "async with anyio.create_task_group() as group:\n" + indent(made, "    ")


def _wait(times: int) -> str:
    tasks = _listed(times, "asyncio.create_task(work())", "    ", ",\n")
    return f"await asyncio.wait([\n{tasks},\n])\n"


def _as_completed(times: int) -> str:
    works = _listed(times, "work()")
    return f"for done in asyncio.as_completed([{works}]):\n    await done\n"


def _wait_for(times: int) -> str:
    return "await asyncio.wait_for(work(), timeout=60)\n" * times


def _listed(times: int, what: str, before: str = "", between: str = ", ") -> str:
    return between.join([before + what] * times)


#: Every way to await, by name; the first is what the others are compared with.
VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("in sequence", _sequence),
        Variant("wait_for", _wait_for),
        Variant("tasks", _tasks),
        Variant("tasks, eager", _tasks, eager=True, needs=(3, 12)),
        Variant("TaskGroup", _group),
        Variant("gather", _gather),
        Variant("gather, eager", _gather, eager=True, needs=(3, 12)),
        Variant("wait", _wait),
        Variant("as_completed", _as_completed),
        Variant("anyio group", _anyio, package="anyio"),
    )
}


def variant_source(name: str, times: int = 2) -> str:
    """The source of one way to await ``work()`` several times (chapter 3).

    Args:
        name: a key of :data:`VARIANTS`.
        times: how many awaits.

    Returns:
        The source of an async function ``variant()``, as it is measured.

    Raises:
        KeyError: there is no such variant; the message lists them.
        TypeError: *times* is not a whole number.
        ValueError: *times* is not 1 to 1,000.
    """
    if name not in VARIANTS:
        raise KeyError(f"no variant {name!r}; there are: {', '.join(VARIANTS)}")
    # Here, since a clean interpreter imports this module and is to stay small.
    from looplab._numbers import count_of

    count_of(times, "times", most=1000)
    return VARIANTS[name].source(times)
