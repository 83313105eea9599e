"""Do something once a module has been imported, without importing it oneself.

Uses nothing but the import system, and nothing of looplab: the shim that starts in
every traced Python loads this file by its path.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["WATCHED", "after_import", "watch"]

Act = Callable[[ModuleType], object]


#: Modules that an adapter may wait for.  The shim watches them from the start, since
#: asyncio can be imported in the middle of the import of one of them.
WATCHED = (
    "uvicorn.config",
    "aiohttp.web_app",
    "tornado.web",
    "uvloop",
)


class _Finder:
    """Finds modules as the others do, and watches those that somebody waits for."""

    def __init__(self) -> None:
        self.acts: dict[str, list[Act]] = {}
        self._looking: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.acts or name in self._looking:
            return None
        self._looking.add(name)
        try:
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = None if find is None else find(name, path, target)
                if spec is not None:
                    break
            else:
                return None
        finally:
            self._looking.discard(name)
        if spec.loader is not None and hasattr(spec.loader, "exec_module"):
            self._watch(spec)
        return spec

    def _watch(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if loader.__dict__.get("exec_module") is exec_module:
                del loader.exec_module
            for act in self.acts.pop(spec.name, ()):
                act(module)

        # A loader that takes no attribute: the module is left alone.
        with contextlib.suppress(AttributeError):
            loader.exec_module = exec_module


_finder = _Finder()


def watch(names: Iterable[str]) -> None:
    """Watch the modules *names*, so that one can wait for them while they load."""
    finder: Any = _finder
    for name in names:
        if name not in sys.modules:
            finder.acts.setdefault(name, [])
    if finder not in sys.meta_path:
        sys.meta_path.insert(0, finder)


def after_import(name: str, act: Act) -> None:
    """Call *act* with the module *name* once it is imported; at once if it is already.

    *act* must not raise: what it raises goes to the program's import statement.
    """
    module = sys.modules.get(name)
    loading = getattr(getattr(module, "__spec__", None), "_initializing", False)
    if module is not None and not loading:
        act(module)
        return
    if module is None:
        watch([name])
    if name in _finder.acts:
        _finder.acts[name].append(act)
