"""Which small faults in our Python the fast tests would miss.

``python -m tools.planted mutants [ROOM] [--seed N] [--count 200]`` says it. It draws so
many of the faults that a few operators can make in ``src``, plants one at a time in a
fork of this process, and runs the fast tests of the module's own room. A mutant is
killed if one of them fails or does not end. Modules that need a door to the world
(a thread, a process, a socket, a real clock) are left to the contract tests.

``planted_equivalent.toml`` sets aside what changes nothing that anybody could see, with
the reason. Results are kept in ``_build/planted_mutants.jsonl``: a run that was stopped
goes on, and a survivor is tried again once the tests of its room have changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import importlib.machinery
import json
import random
import resource
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import hypothesis  # noqa: F401 (imported once, for all forks)
import nbval.plugin  # noqa: F401
import pytest

from ontime.check.registry import CHAPTERS
from tools.common import ROOT, ToolError, say
from tools.planted_checks import in_fork

__all__ = ["Mutant", "killed", "main", "mutants"]

SOURCE = ROOT / "src"
FAST = ROOT / "tests" / "fast"
EQUIVALENT = Path(__file__).with_name("planted_equivalent.toml")
RESULTS = ROOT / "_build" / "planted_mutants.jsonl"
SECONDS = 300  # of CPU time for the tests of one mutant
MEMORY = 4 << 30  # bytes

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
_Place = tuple[ast.AST, str, int | None, ast.AST]
REMOVED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """A module with one fault."""

    path: Path
    name: str  # the module, and its line before and after
    tree: ast.Module


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand instead of a node, each with one small fault."""
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
        case ast.Call(args=[first, second, *others]):
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


def _places(node: ast.AST) -> Iterator[_Place]:
    """The nodes that may be changed, each with where it hangs."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "format_spec"}:
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _is_for_types(child):
                continue
            yield node, field, index if isinstance(value, list) else None, child
            yield from _places(child)


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0])


def mutants(path: Path) -> list[Callable[[], Mutant]]:
    """All that the operators make of a module, each made when it is called."""
    tree = ast.parse(path.read_text("utf-8"))
    return [
        partial(_planted, path, tree, place, change)
        for place in list(_places(tree))
        for change in _changes(place[3])
    ]


def _planted(path: Path, tree: ast.Module, place: _Place, change: ast.AST) -> Mutant:
    parent, field, index, child = place
    held = vars(parent) if index is None else getattr(parent, field)
    key = field if index is None else index
    before = ast.unparse(tree).splitlines()
    held[key] = ast.copy_location(change, child)
    planted = ast.fix_missing_locations(copy.deepcopy(tree))
    held[key] = child
    after = ast.unparse(planted).splitlines()
    pairs = enumerate(zip(before, after, strict=False))
    line = next((n for n, (old, new) in pairs if old != new), len(after) - 1)
    words = f"{before[line].strip()} => {after[line].strip()}"
    return Mutant(path, f"{path.relative_to(SOURCE)}: {words}", planted)


def modules(room: str) -> list[Path]:
    """Those of a room that need no door."""
    chosen = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        imported = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in [getattr(node, "module", None) or "", *_names(node)]
        }
        named = str(path.relative_to(SOURCE)).startswith(room)
        if named and not imported & DOORS and path.stem != "__main__":
            chosen.append(path)
    return chosen


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    return [a.name for a in node.names] if isinstance(node, ast.Import) else []


def tests_of(path: Path) -> list[str]:
    """What pytest is to run for a module: the tests of its room, or of its exercise."""
    package, room, *inner = path.relative_to(SOURCE).with_suffix("").parts
    if room == "check":
        numbers = [number for number, name in CHAPTERS.items() if name in inner]
        exercises = str(FAST / "exercises")
        if numbers:
            return [exercises, "-k", f"{numbers[0]}-"]
        return [exercises, str(FAST / package / room)]
    return [str(place) for place in FAST.glob(f"{package}/{room}")] + [
        str(place) for place in FAST.glob(f"{package}/test_{room.strip('_')}*.py")
    ]


@cache
def _digest(places: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for place in map(Path, places):
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        for file in files:
            digest.update(file.read_bytes() if file.is_file() else file.name.encode())
    return digest.hexdigest()[:16]


def killed(path: Path, tree: ast.Module) -> bool:
    """Whether a test of its room fails with this module in the place of *path*."""

    def run_tests() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        _load_instead(path, tree)
        # Plain, as pytest would load all of looplab, which has a plugin, itself.
        words = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider"]
        words += ["-p", "no:xdist", "--hypothesis-seed=0", *tests_of(path)]
        return int(pytest.main(words))

    return in_fork(run_tests, 5 * SECONDS) != 0


def _load_instead(path: Path, tree: ast.Module) -> None:
    """Have the import of a file, and of what imported it already, run a tree."""
    get_code = importlib.machinery.SourceFileLoader.get_code

    def planted(loader: importlib.machinery.SourceFileLoader, name: str) -> object:
        if loader.path == str(path):
            return compile(tree, str(path), "exec")
        return get_code(loader, name)

    importlib.machinery.SourceFileLoader.get_code = planted  # type: ignore[assignment,method-assign]
    for name in list(sys.modules):
        if name.partition(".")[0] in {"looplab", "ontime", "livecells"}:
            del sys.modules[name]


def main(words: Sequence[str]) -> int:
    """Plant the mutants that the words select, and report by room."""
    parser = argparse.ArgumentParser(prog="python -m tools.planted mutants")
    parser.add_argument("room", nargs="?", default="", help="such as looplab/clock")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    asked = parser.parse_args(words)
    equivalent = tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]
    drawn = [draw for path in modules(asked.room) for draw in mutants(path)]
    random.Random(asked.seed).shuffle(drawn)
    rows = RESULTS.read_text("utf-8").splitlines() if RESULTS.is_file() else []
    known = {row["key"]: row for row in map(json.loads, rows)}
    counts: dict[str, Counter[str]] = {}
    sound: set[tuple[str, ...]] = set()
    for mutant in (draw() for draw in drawn[: asked.count]):
        places = tuple(tests_of(mutant.path))
        source = mutant.path.read_text("utf-8")
        key = f"{mutant.name} @{hashlib.sha256(source.encode()).hexdigest()[:16]}"
        row = known.get(key, {"killed": False, "tests": ""})
        aside = mutant.name in equivalent
        if not aside and not row["killed"] and row["tests"] != _digest(places):
            if places not in sound and killed(mutant.path, ast.parse(source)):
                raise ToolError(f"{' '.join(places)} fails with nothing planted.")
            sound.add(places)
            dead = killed(mutant.path, mutant.tree)
            row = {"key": key, "tests": _digest(places), "killed": dead}
            RESULTS.parent.mkdir(exist_ok=True)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        result = "aside" if aside else "killed" if row["killed"] else "survived"
        room = "/".join(mutant.path.relative_to(SOURCE).with_suffix("").parts[:2])
        counts.setdefault(room, Counter())[result] += 1
        if result == "survived":
            say(f"SURVIVED {mutant.name}")
    for room, count in sorted(counts.items()):
        tried = count["killed"] + count["survived"]
        say(f"{room:24} {count['killed']:4} of {tried:4} killed")
    total = sum(counts.values(), Counter[str]())
    tried = total["killed"] + total["survived"]
    share = total["killed"] / max(tried, 1)
    say(f"{total['killed']} of {tried} killed, {share:.1%}; {total['aside']} set aside")
    return 0 if share >= 0.8 else 1
