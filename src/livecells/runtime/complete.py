"""What could stand where a reader types, from the names that are there."""

from __future__ import annotations

import builtins
import inspect
import keyword
import pkgutil
import re
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ._guard import own_builtins

__all__ = ["complete", "described"]

__builtins__ = own_builtins  # type: ignore[assignment]

MANY = 300  # names that are offered at once
FAR = 4_000  # characters before the cursor in which a call may have begun
WORD = re.compile(r"((?:[^\W\d]\w*\s*\.\s*)*)([^\W\d]\w*|)\Z")
IMPORT = re.compile(r"\s*(?:import|from)\s+([\w.]*)\Z")
FROM = re.compile(r"\s*from\s+([\w.]+)\s+import\s+(?:\(?\s*[\w ,]*,\s*)?(\w*)\Z")
BOUND = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*[:=]", re.M)
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+\b")  # of an object; another one at each start

Option = dict[str, str]


def complete(names: Mapping[str, Any], before: str) -> dict[str, Any]:
    """Completions and the signature for a place in a cell.

    Nothing of the reader's is called: a property is not asked for its value.

    Args:
        names: the names in scope.
        before: the code up to the cursor.

    Returns:
        ``length``, how many characters before the cursor a completion takes the place
        of; ``options``, each with ``label`` and ``type``; and ``signature``, None or
        ``text`` and ``doc`` of the call that the cursor is in.
    """
    line = before.rpartition("\n")[2]
    if match := FROM.match(line):
        prefix, options = match[2], _members(sys.modules.get(match[1]))
    elif match := IMPORT.match(line):
        prefix, options = match[1].rpartition(".")[2], _modules(match[1])
    else:
        word = WORD.search(before)
        path, prefix = (word[1], word[2]) if word else ("", "")
        if path:
            options = _members(_find(names, path))
        elif prefix:
            options = _names(names, before)
        else:
            options = ()
    shown = [
        option
        for option in options
        if option["label"].startswith(prefix)
        and option["label"] != prefix
        and (prefix.startswith("_") or not option["label"].startswith("_"))
    ]
    return {
        "length": len(prefix),
        "options": shown[:MANY],
        "signature": _signature(names, before),
    }


def _find(names: Mapping[str, Any], path: str) -> Any:
    """The object that a dotted path names; None where finding it would run code."""
    first, *rest = (part.strip() for part in path.strip(" .\n").split("."))
    thing = names.get(first, getattr(builtins, first, None))
    for part in rest:
        try:
            static = inspect.getattr_static(thing, part)
        except AttributeError:
            return None
        kinds = (types.FunctionType, staticmethod, classmethod, type)
        if hasattr(type(static), "__set__") or (
            hasattr(type(static), "__get__")
            and not isinstance(static, kinds)
            and not inspect.isroutine(static)
        ):
            return None  # a property, or something like it
        thing = getattr(thing, part, None)
    return thing


def _members(thing: Any) -> Iterable[Option]:
    if thing is None:
        return
    try:
        labels = sorted(dir(thing))
    except Exception:
        return
    for label in labels:
        try:
            static = inspect.getattr_static(thing, label)
        except Exception:
            static = None
        yield _option(label, static)


def _option(label: str, thing: Any) -> Option:
    return {"label": label, "type": _kind(thing)}


def _kind(thing: Any) -> str:
    if isinstance(thing, (staticmethod, classmethod)):
        thing = thing.__func__
    if inspect.isclass(thing):
        return "class"
    if inspect.ismodule(thing):
        return "namespace"
    if isinstance(thing, property):
        return "property"
    return "function" if inspect.isroutine(thing) else "variable"


def _names(names: Mapping[str, Any], before: str) -> Iterable[Option]:
    typed = {name or alias for name, alias in BOUND.findall(before)}
    for label in sorted(set(names) | typed):
        yield _option(label, names.get(label))
    for label in sorted(set(dir(builtins)) - set(names) - typed):
        yield _option(label, getattr(builtins, label))
    for label in keyword.kwlist:
        yield {"label": label, "type": "keyword"}


def _modules(path: str) -> Iterable[Option]:
    package = path.rpartition(".")[0]
    if package:
        module = sys.modules.get(package)
        folders = list(getattr(module, "__path__", ()))
        labels = {module_info.name for module_info in pkgutil.iter_modules(folders)}
    else:
        labels = set(sys.stdlib_module_names) | {
            name.partition(".")[0] for name in sys.modules
        }
        labels |= {module_info.name for module_info in pkgutil.iter_modules()}
    for label in sorted(labels):
        yield {"label": label, "type": "namespace"}


def _signature(names: Mapping[str, Any], before: str) -> dict[str, str] | None:
    """The call that the end of ``before`` is inside of."""
    depth = 0
    text = before[-FAR:]
    for place in range(len(text) - 1, -1, -1):
        sign = text[place]
        if sign in ")]}":
            depth += 1
        elif sign in "([{" and depth:
            depth -= 1
        elif sign in "[{":
            return None
        elif sign == "(":
            word = WORD.search(text[:place])
            path = word[0] if word else ""
            thing = _find(names, path) if path else None
            return described(path.rpartition(".")[2], thing) if thing else None
    return None


def described(name: str, thing: Any) -> dict[str, str] | None:
    """The signature of something that can be called, and the first line of its help."""
    if not callable(thing):
        return None
    try:
        text = ADDRESS.sub("", f"{name}{inspect.signature(thing)}")
    except (TypeError, ValueError):
        text = f"{name}(…)"
    doc = getattr(thing, "__doc__", None)
    first = doc.strip().partition("\n")[0] if isinstance(doc, str) else ""
    return {"text": text[:300], "doc": first[:200]}
