"""Small faults that a few operators make in a module: the mutants, and lost refusals.

A fault is made of the module's tree, and has the words of what changes for its name, so
it keeps its name where other modules, or other lines, change.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tools.common import ROOT

__all__ = ["SOURCE", "drawn", "modules", "refusals"]

SOURCE = ROOT / "src"

#: A module that imports one of these is left to the contract tests.
DOORS = (
    {"_thread", "concurrent", "ctypes", "faulthandler", "multiprocessing", "resource"}
    | {"signal", "socket", "subprocess", "threading", "time", "redis", "sqlite3"}
    | {"js", "pyodide", "sphinx", "docutils"}
)

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
REMOVED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete)

#: A node's parent, the parent's field, the place in a list there, and the node.
_Place = tuple[ast.AST, str, int | None, ast.AST]
#: What may stand instead of a node, each with one small fault.
_Operators = Callable[[ast.AST], Iterator[ast.AST]]
#: The name of a fault, and its module with it; to be called once, in a fork.
_Made = tuple[str, Callable[[], ast.Module]]


def mutations(node: ast.AST) -> Iterator[ast.AST]:
    """The operators of a mutant."""
    new = copy.copy(node)
    match node:
        case ast.Compare(ops=[op, *rest]):
            new.ops = [SWAPS[type(op)](), *rest]  # type: ignore[attr-defined]
            yield new
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op):
            if type(op) in SWAPS:
                new.op = SWAPS[type(op)]()  # type: ignore[attr-defined]
                yield new
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Call(func, [first, second, *others]) if not _is_symmetric(func):
            new.args = [second, first, *others]  # type: ignore[attr-defined]
            yield new
        case ast.Return(value) if value and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            new.test = ast.UnaryOp(ast.Not(), test)  # type: ignore[attr-defined]
            yield new
        case ast.Break() | ast.Continue():
            yield SWAPS[type(node)]()
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, REMOVED) and not is_text:
        yield ast.Pass()


def _is_symmetric(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in {"max", "min"}


def _refusal_lost(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Raise(ast.Call(ast.Name("NotYet"))):
            yield ast.Pass()


def refusals(path: Path) -> Iterator[_Made]:
    """A module of checks without one of its refusals."""
    return _made(path, _refusal_lost)


def drawn(paths: list[Path], seed: int, count: int) -> list[tuple[Path, _Made]]:
    """So many of all mutants of the modules; a seed draws the same of each module."""
    all_made = [(path, made) for path in paths for made in _made(path, mutations)]
    all_made.sort(
        key=lambda item: hashlib.sha256(f"{seed} {item[1][0]}".encode()).digest()
    )
    return all_made[:count]


def _made(path: Path, operators: _Operators) -> Iterator[_Made]:
    tree = ast.parse(path.read_text("utf-8"))
    met: Counter[str] = Counter()
    for place in _places(tree):
        for change in operators(place[3]):
            words = f"{_words(place[3])} => {_words(change)}"
            met[words] += 1
            nth = f" ({met[words]})" if met[words] > 1 else ""
            name = f"{path.relative_to(SOURCE).as_posix()}: {words}{nth}"
            yield name, partial(_planted, tree, place, change)


def _words(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While)):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())


def _planted(tree: ast.Module, place: _Place, change: ast.AST) -> ast.Module:
    parent, field, index, node = place
    change = ast.copy_location(change, node)
    if index is None:
        setattr(parent, field, change)
    else:
        getattr(parent, field)[index] = change
    return ast.fix_missing_locations(tree)


def _places(node: ast.AST) -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "format_spec"}:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and not _is_for_types(child):
                yield node, field, index if isinstance(value, list) else None, child
                yield from _places(child)


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0])


def modules(room: str) -> list[Path]:
    """The modules of a room that need no door."""
    chosen = []
    for path in sorted((SOURCE).rglob("*.py")):
        imported = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
        named = path.relative_to(SOURCE).as_posix().startswith(room)
        if named and not imported & DOORS and path.stem != "__main__":
            chosen.append(path)
    return chosen
