"""Cells of a notebook, run as a notebook runs them.  Standard library only."""

from __future__ import annotations

import ast
import asyncio
import inspect
from types import CodeType
from typing import Any

__all__ = ["names_in", "run_cell"]

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_Space = dict[str, Any]


def run_cell(source: str, space: _Space) -> Any:
    """Run a cell; the value of its last expression, as a notebook shows it."""
    tree = compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | _FLAGS)
    assert isinstance(tree, ast.Module)
    shown = tree.body.pop() if tree.body else None
    if not isinstance(shown, ast.Expr):
        tree.body += [shown] if shown else []
        shown = None
    _execute(compile(tree, "<cell>", "exec", _FLAGS), space)
    if shown is None:
        return None
    last = ast.Expression(shown.value)
    return _execute(compile(last, "<cell>", "eval", _FLAGS), space)


def _execute(code: CodeType, space: _Space) -> Any:
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


def names_in(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds and all that it mentions."""
    binds: set[str] = set()
    uses: set[str] = set()
    for node in ast.walk(compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | _FLAGS)):
        if isinstance(node, ast.Name):
            (uses if isinstance(node.ctx, ast.Load) else binds).add(node.id)
            uses.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            binds.add(node.name)
        elif isinstance(node, ast.alias):
            binds.add(node.asname or node.name.split(".")[0])
    return binds, uses
