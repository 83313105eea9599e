"""The names that the editor offers before Python runs: what the cells' modules hold."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..runtime.complete import described
from . import bundle
from .imports import imports
from .results import code_files, python, remembered

__all__ = ["index_of", "main", "write_index"]

DEEP = 2  # levels of names: those of a module, and those of its classes
MANY = 400  # names of one module
MAKE = (
    "import sys; from livecells.sphinx.index import main; sys.exit(main(sys.argv[1:]))"
)


def write_index(app: Any, sources: Iterable[str]) -> str | None:
    """Write the index of what some cells import; its path in ``_static``."""
    modules = sorted({module for source in sources for module, _, _ in imports(source)})
    if not modules:
        return None
    made = remembered(
        app,
        json.dumps(["index", *modules]),
        code_files(app),
        lambda: json.loads(python(app, ["-c", MAKE, *modules], "", [])),
    )
    data = json.dumps(made, separators=(",", ":"), sort_keys=True).encode()
    name = f"livecells/index/{hashlib.sha256(data).hexdigest()[:12]}.json"
    place = Path(app.outdir, "_static", name)
    place.parent.mkdir(parents=True, exist_ok=True)
    bundle.replace(place, data)
    return name


def index_of(modules: Iterable[str]) -> dict[str, Any]:
    """What each module holds; one that cannot be imported here holds nothing."""
    names = {}
    for name in modules:
        try:
            names[name] = _entry(importlib.import_module(name), DEEP)
        except Exception:
            continue
    return names


def _entry(thing: Any, deep: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "variable"}
    if inspect.ismodule(thing):
        entry["type"] = "namespace"
    elif inspect.isclass(thing):
        entry["type"] = "class"
    elif inspect.isroutine(thing):
        entry["type"] = "function"
    if inspect.isclass(thing) or inspect.isroutine(thing):
        entry |= described(getattr(thing, "__name__", ""), thing) or {}
    if deep and (inspect.ismodule(thing) or inspect.isclass(thing)):
        public = getattr(thing, "__all__", None) or dir(thing)
        labels = [label for label in sorted(public) if not label.startswith("_")]
        entry["members"] = {
            label: _entry(inspect.getattr_static(thing, label, None), deep - 1)
            for label in labels[:MANY]
        }
    return entry


def main(words: list[str]) -> int:
    """Print the index of some modules; the build runs this in its own process."""
    json.dump(index_of(words), sys.stdout)
    return 0
