"""The modules that code imports."""

from __future__ import annotations

import ast
import fnmatch
import sys
from collections.abc import Collection, Iterator, Sequence

__all__ = ["imported", "imports", "missing"]

OF_PYODIDE = {"_pyodide", "js", "pyodide", "pyodide_js"}


def imports(source: str) -> Iterator[tuple[str, int, bool]]:
    """The imports of some code: the module, its line, and whether a failure is caught.

    Code that is no Python imports nothing.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    yield from _walk(tree, False)


def _walk(node: ast.AST, caught: bool) -> Iterator[tuple[str, int, bool]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, node.lineno, caught
    elif isinstance(node, ast.ImportFrom):
        if node.module and not node.level:
            yield node.module, node.lineno, caught
    elif isinstance(node, ast.Try) and any(map(_is_for_imports, node.handlers)):
        for inner in node.body:
            yield from _walk(inner, True)
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            yield from _walk(part, caught)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, caught)


def _is_for_imports(handler: ast.ExceptHandler) -> bool:
    """Whether an ``except`` takes an ImportError."""
    if handler.type is None:
        return True
    wide = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
    return any(
        isinstance(part, ast.Name) and part.id in wide
        for part in ast.walk(handler.type)
    )


def imported(source: str) -> set[str]:
    """The top-level names of the modules that some code imports."""
    return {module.partition(".")[0] for module, _, _ in imports(source)}


def missing(
    source: str,
    packages: Collection[str],
    modules: Collection[str],
    without: Sequence[str],
) -> Iterator[tuple[str, int]]:
    """The modules that some code imports and a page cannot have, with their lines.

    An import that is tried, with an ``except ImportError``, is none of them.

    Args:
        source: the code of a cell.
        packages: the packages of the book that a page can fetch.
        modules: the top-level modules of the page's Python; if there are none, all of
            this Python are taken to be there.
        without: patterns of paths in the standard library that the page goes without.
    """
    there = set(modules or sys.stdlib_module_names) | OF_PYODIDE | set(packages)
    for module, line, caught in imports(source):
        path = module.replace(".", "/")
        gone = any(
            fnmatch.fnmatchcase(name, pattern)
            for name in (f"{path}.py", f"{path}/__init__.py")
            for pattern in without
        )
        if not caught and (gone or module.partition(".")[0] not in there):
            yield module, line
