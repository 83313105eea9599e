"""Whether code has changed the modules that a check is made of."""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

__all__ = ["Snapshot"]

_OURS = ("asyncio", "looplab", "ontime", "time", "math", "random", "inspect", "gc")


class Snapshot:
    """The functions and classes of the modules as they are now."""

    def __init__(self) -> None:
        self._modules = [
            module
            for name, module in sys.modules.items()
            if isinstance(module, types.ModuleType) and name.split(".")[0] in _OURS
        ]
        self._modules.append(builtins)
        self._seen = self._look()

    def changed(self) -> str:
        """The first name that is not what it was, or nothing."""
        now = self._look()
        for name in sorted(self._seen.keys() | now.keys()):
            was, is_ = self._seen.get(name), now.get(name)
            rest = name.partition(":")[2]
            if was is None and ":" not in rest and not hasattr(builtins, rest):
                continue  # a module may gain a name that hides no other
            if was is None or is_ is None or not _same(was, is_):
                return name.replace(":", ".")
        return ""

    def _look(self) -> dict[str, tuple[Any, ...]]:
        found: dict[str, tuple[Any, ...]] = {}
        for module in self._modules:
            for name, value in list(vars(module).items()):
                if not _is_code(value):
                    continue
                found[f"{module.__name__}:{name}"] = _inside(value)
                if isinstance(value, type):
                    for key, part in list(vars(value).items()):
                        if _is_code(part) or hasattr(type(part), "__get__"):
                            place = f"{module.__name__}:{name}:{key}"
                            found[place] = _inside(part)
        return found


def _is_code(value: object) -> bool:
    return callable(value) or isinstance(value, types.ModuleType)


def _inside(value: object) -> tuple[Any, ...]:
    """The object, and what of it can be exchanged without exchanging the object."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property):
        return (value, *(_inside(part) for part in (value.fget, value.fset)))
    if isinstance(value, types.FunctionType):
        cells = [_content(cell) for cell in value.__closure__ or ()]
        return (value, value.__code__, value.__defaults__, value.__kwdefaults__, *cells)
    return (value,)


def _content(cell: types.CellType) -> object:
    try:
        content = cell.cell_contents
    except ValueError:
        return None
    return content if _is_code(content) else None


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(
        _same(a, b) if isinstance(a, tuple) and isinstance(b, tuple) else a is b
        for a, b in zip(one, other, strict=True)
    )
