"""Cells of a notebook, run as a notebook runs them.  Standard library only."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType
from typing import Any

__all__ = ["checked", "defines", "names_in", "parse", "run_cell"]

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_MOST_MAGICS = 100
#: Magics that run the rest of their line, or of their cell, as Python.
_RUNS = re.compile(r"(?:%%?(?:time|prun|capture|memit|mprun|lprun)\b(?:\s+-\S+)*)(.*)")
_MAGIC = re.compile(r"(\s*)((?:[\w., ]+=\s*)?)([%!?].*|[\w.]+\?\??\s*)", re.S)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_Space = dict[str, Any]


def parse(source: str) -> ast.Module:
    """The program of a cell, without what is IPython's and not Python's.

    A line that is no Python because it begins with ``%``, ``!`` or ``?`` does nothing;
    of ``%time f()`` is left ``f()``.

    Raises:
        SyntaxError: it is no program.
    """
    lines = source.splitlines()
    for _ in range(_MOST_MAGICS):
        text = "\n".join(lines)
        try:
            tree = compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | _FLAGS)
        except SyntaxError as error:
            place = (error.lineno or 0) - 1
            magic = _MAGIC.fullmatch(lines[place]) if 0 <= place < len(lines) else None
            if magic is None:
                raise
            space, target, word = magic.groups()
            runs = _RUNS.fullmatch(word.strip())
            if word.startswith("%%"):
                if runs is None:  # the cell is a script of another kind
                    lines[place:] = []
                    continue
                lines[place] = ""
            elif target:
                lines[place] = f"{space}{target}{runs[1] if runs else 'None'}"
            else:
                lines[place] = space + ((runs[1].strip() if runs else "") or "pass")
            continue
        assert isinstance(tree, ast.Module)
        return tree
    raise SyntaxError(f"more than {_MOST_MAGICS} magics")


def run_cell(source: str, space: _Space) -> Any:
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


def _execute(code: CodeType, space: _Space) -> Any:
    result = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


def names_in(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds and all that it mentions."""
    return _names(ast.walk(parse(source)))


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
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return _names(_top(parse(source)))[0]
    return set()


def checked(source: str, name: str) -> list[str]:
    """What a cell hands to ``check`` for an exercise: the expressions."""
    if "check" not in source or name not in source:
        return []
    found = []
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(parse(source)):
            match node:
                case ast.Call(ast.Name("check"), [ast.Constant(value), answer], []) if (
                    value == name
                ):
                    found.append(ast.unparse(answer))
    return found
