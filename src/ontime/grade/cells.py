"""Cells of a notebook, run as a notebook runs them.  Standard library only."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

__all__ = [
    "NO_PROGRAM", "checked", "defines", "names_in", "needed", "parse", "run_cell",
]  # fmt: skip

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
#: What is IPython's and not Python's, and what takes its place.
_MAGICS = [
    (r"^%%(?:time|prun|capture|memit|lprun)\b.*", ""),
    (r"^([\w., ]*=)?(\s*)%(?:time|prun|memit|lprun)\b(?: +-\S+)* *", r"\1\2"),
    (r"^%%(?s:.*)", ""),  # a script of another kind, to the end of the cell
    (r"^(\s*[\w.][\w., ]*=)\s*[%!].*$", r"\1 None"),
    (r"^([ \t]*)(?:[%!?].*|[\w.]+\?\??\s*)$", r"\1pass"),
]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
#: What :func:`parse` raises for a text that is no program.
NO_PROGRAM = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse(source: str) -> ast.Module:
    """The program of a cell, without what is IPython's and not Python's.

    A line that begins with ``%``, ``!`` or ``?`` does nothing; of ``%time f()`` is left
    ``f()``.

    Raises:
        SyntaxError: it is no program.
    """
    try:
        return _compiled(source)
    except SyntaxError:
        text = source
        for pattern, instead in _MAGICS:
            text = re.sub(pattern, instead, text, flags=re.M)
        if text == source:
            raise
    return _compiled(text)


def _compiled(source: str) -> ast.Module:
    tree = compile(source, "<cell>", "exec", ast.PyCF_ONLY_AST | _FLAGS)
    assert isinstance(tree, ast.Module)
    return tree


def run_cell(source: str, space: dict[str, Any]) -> Any:
    """Run a cell; the value of its last expression, as a notebook shows it."""
    tree = parse(source)
    shown = tree.body.pop() if tree.body else None
    if not isinstance(shown, ast.Expr):
        tree.body += [shown] if shown else []
        shown = None
    _execute(compile(tree, "<cell>", "exec", _FLAGS), space)
    if shown is None:
        return None
    last = ast.Expression(shown.value)
    return _execute(compile(last, "<cell>", "eval", _FLAGS), space)


def _execute(code: Any, space: dict[str, Any]) -> Any:
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


def names_in(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds and all that it mentions."""
    return _names(ast.walk(parse(source)))


def needed(setup: Sequence[str], sources: Iterable[str]) -> list[str]:
    """The cells of *setup* that bind a name that *sources* use, and what those use."""
    wanted: set[str] = set()
    for source in sources:
        with suppress(*NO_PROGRAM):
            wanted |= names_in(source)[1]
    cells = []
    for source in reversed(setup):
        binds, uses = names_in(source)
        if binds & wanted:
            wanted |= uses
            cells.append(source)
    return cells[::-1]


def _names(nodes: Iterator[ast.AST]) -> tuple[set[str], set[str]]:
    binds: set[str] = set()
    uses: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            (uses if isinstance(node.ctx, ast.Load) else binds).add(node.id)
            uses.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            binds.add(node.name)
        elif isinstance(node, ast.alias):
            binds.add(node.asname or node.name.split(".")[0])
    return binds, uses


def _top(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _top(child)


def defines(source: str) -> set[str]:
    """The names that a cell leaves in the notebook; none if it is no program."""
    with suppress(*NO_PROGRAM):
        return _names(_top(parse(source)))[0]
    return set()


def checked(source: str, name: str) -> list[str]:
    """What a cell hands to ``check`` for an exercise: the expressions."""
    if "check" not in source or name not in source:
        return []
    answers = []
    with suppress(*NO_PROGRAM):
        for node in ast.walk(parse(source)):
            match node:
                case ast.Call(ast.Name("check"), [ast.Constant(value), answer], []) if (
                    value == name
                ):
                    answers.append(ast.unparse(answer))
    return answers
