"""Which cells have to run before another one, from the names in their code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ._guard import own_builtins
from .names import Names, names_of

__all__ = ["Changes", "needed_cells"]

__builtins__ = own_builtins  # type: ignore[assignment]


class Changes:
    """Tells whether running a cell may change what some names stand for."""

    def __init__(self, sources: Sequence[str], aliases: set[str]) -> None:
        cells = [names_of(source) for source in dict.fromkeys(sources)]
        self._aliases = aliases
        self._impure = _impure(cells)
        self._known: dict[str, set[str]] = {}
        for cell in cells:
            for name, inside in cell.defines.items():
                self._known[name] = self._known.get(name, set()) | inside

    def affects(self, source: str, names: set[str]) -> bool:
        cell = names_of(source)
        if cell.is_opaque or cell.binds & names or cell.commands & names:
            return True
        changing = (names | self._aliases) & self._impure
        own = {n: inside for n, inside in cell.defines.items() if n in cell.kills}
        known = {**self._known, **own}
        return any(_closure(step.mentions, known) & changing for step in cell.steps)


def needed_cells(
    sources: Sequence[str],
) -> tuple[set[int], dict[int, set[str]], set[str]]:
    """Which cells above the last one it needs, by place; see also :class:`Changes`.

    A cell is needed if it binds a name that the last one, or another needed cell, reads
    from above; if it may change the object of such a name; or if nothing can be said of
    it.  This errs on the safe side: one run too many costs time, one too few gives a
    wrong answer.
    """
    cells = [names_of(source) for source in sources]
    target = len(cells) - 1
    if cells[target].is_opaque:
        everything = {name for cell in cells for name in cell.binds | cell.reads}
        return set(range(target)), dict.fromkeys(range(target + 1), everything), set()
    impure = _impure(cells)
    # A module that some cell changes is not made anew by importing it again.
    kills = [cell.kills - (cell.imports & impure) for cell in cells]
    # What each function and class stands for where a cell begins, and the names that a
    # cell reads or touches with the help of those.
    known: dict[str, set[str]] = {}
    from_above: list[set[str]] = []
    touches: list[list[set[str]]] = []
    for cell, killed in zip(cells, kills, strict=True):
        foreign = cell.reads - killed
        from_above.append(foreign | _closure(foreign, known))
        known = {name: set(inside) for name, inside in known.items()}
        for name, inside in cell.defines.items():
            if name in cell.kills:
                known[name] = inside
            else:
                known[name] = known.get(name, set()) | inside
        touches.append([_closure(step.mentions, known) for step in cell.steps])

    aliases: set[str] = set()  # other names that the objects in question may have
    while True:
        live = set(from_above[target])
        ahead = {target: set(live)}
        needed: set[int] = set()
        more: set[str] = set()
        for i in reversed(range(target)):
            cell = cells[i]
            changing = (live | aliases) & impure
            if not (
                cell.is_opaque
                or cell.binds & live
                or cell.commands & live
                or any(touched & changing for touched in touches[i])
            ):
                continue
            needed.add(i)
            for step, touched in zip(cell.steps, touches[i], strict=True):
                if step.binds & (live | aliases):
                    more |= touched & impure
                if touched & changing:
                    more |= step.binds
            live = (live - kills[i]) | from_above[i]
            ahead[i] = set(live)
        if more <= aliases:
            return needed, ahead, aliases
        aliases |= more


def _impure(cells: Iterable[Names]) -> set[str]:
    """Names whose objects may change where they are used.

    Some cell binds them to something that can change, or calls something of theirs for
    its effect alone.
    """
    bound = {name for cell in cells for step in cell.steps for name in step.binds}
    return bound | {name for cell in cells for name in cell.commands}


def _closure(names: set[str], known: dict[str, set[str]]) -> set[str]:
    """Names, and those that the functions and classes among them use."""
    out = set(names)
    fresh = list(names)
    while fresh:
        for inner in known.get(fresh.pop(), ()):
            if inner not in out:
                out.add(inner)
                fresh.append(inner)
    return out
