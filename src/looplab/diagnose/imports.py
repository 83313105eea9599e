"""Do something once a module has been imported, without importing it oneself.

Uses nothing but the import system, and nothing of looplab: the shim that starts in
every traced Python loads this file by its path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

Act = Callable[[ModuleType], object]

#: Modules that an adapter may wait for.  The shim watches them from the start, since
#: asyncio can be imported in the middle of the import of one of them.
WATCHED = ("uvicorn.config", "aiohttp.web_app", "tornado.web", "uvloop")
_acts: dict[str, list[Act]] = {}  # of modules that are not imported yet
_looking: set[str] = set()


class _Finder:
    """Finds modules as the others do, and watches those that somebody waits for."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _acts or name in _looking:
            return None
        _looking.add(name)
        try:
            spec = find_spec(name)
        finally:
            _looking.discard(name)
        loader: Any = None if spec is None else spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None or not hasattr(loader, "__dict__"):
            return spec  # the module is left alone

        def exec_module(module: ModuleType) -> None:
            execute(module)
            vars(loader).pop("exec_module", None)
            for act in _acts.pop(name, ()):
                act(module)

        loader.exec_module = exec_module
        return spec


def watch(*names: str) -> None:
    """Watch the modules *names*, so that one can wait for them while they load."""
    for name in names:
        if name not in sys.modules:
            _acts.setdefault(name, [])
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def after_import(name: str, act: Act) -> None:
    """Call *act* with the module *name* once it is imported; at once if it is already.

    *act* must not raise: what it raises goes to the program's import statement.
    """
    module = sys.modules.get(name)
    loading = getattr(getattr(module, "__spec__", None), "_initializing", False)
    if module is not None and not loading:
        act(module)
        return
    watch(name)
    if name in _acts:
        _acts[name].append(act)
