"""Which refusals of the exercises' checks would be missed.

``python -m tools.planted checks`` says it.

One ``raise NotYet`` at a time is taken out of a check, in a fork of this process, and
the wrong answers of the exercises that use its module are tried. A refusal is noticed
if one of them passes, or is told something else. What was found is kept in
``_build/planted_checks.jsonl``: a run that was stopped goes on, and what was missed is
tried again once the answers have changed.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import importlib
import json
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ontime.check import registry
from tests.fast.exercises.homes import all_homes, exercise, verdict_on
from tools.common import ROOT, ToolError, say

__all__ = ["Refusal", "main", "noticed", "refusals"]

CHECKS = ROOT / "src" / "ontime" / "check"
RESULTS = ROOT / "_build" / "planted_checks.jsonl"
SECONDS = 120  # of one refusal, whose answers take a few


@dataclass(frozen=True)
class Refusal:
    """One ``raise NotYet`` in a module of :mod:`ontime.check`."""

    path: Path
    number: int  # among those of its module
    line: int
    text: str

    @property
    def module(self) -> str:
        parts = self.path.relative_to(ROOT / "src").with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")

    @property
    def key(self) -> str:
        """The same as long as its module has not changed."""
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        return f"{self.module}:{self.number}:{digest[:16]}"

    @property
    def answers(self) -> str:
        """Another one when an answer changes that may tell that it is gone."""
        homes = [repr(all_homes()[name]) for name in users(self.module)]
        return hashlib.sha256("".join(homes).encode()).hexdigest()[:16]


def _raises(tree: ast.AST) -> list[ast.Raise]:
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and ast.unparse(node.exc.func) == "NotYet"
    ]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def refusals(words: Sequence[str] = ()) -> Iterator[Refusal]:
    """Those of all modules, or of those with one of the words in their name."""
    for path in sorted(CHECKS.rglob("*.py")):
        for number, node in enumerate(_raises(ast.parse(path.read_text("utf-8")))):
            refusal = Refusal(path, number, node.lineno, ast.unparse(node)[:90])
            if not words or any(word in refusal.module for word in words):
                yield refusal


def _imports(module: ModuleType) -> set[str]:
    """The modules of the checks that a module takes something from."""
    names = {getattr(value, "__module__", None) for value in vars(module).values()}
    return {str(name) for name in names if str(name).startswith("ontime.check")}


def users(module: str) -> list[str]:
    """The exercises whose checks use a module."""
    registry.exercises()
    registry.extra_exercises()
    found = []
    for name, function in sorted(registry._checks.items()):
        reached: set[str] = set()
        ahead = {function.__module__, "ontime.check.registry"}
        while ahead:
            reached |= ahead
            ahead = {
                each for known in ahead for each in _imports(sys.modules[known])
            } - reached
        if module in reached:
            found.append(name)
    return found


def _without(refusal: Refusal) -> None:
    """Run its module again without it; who took a function of it gets the new one."""
    tree = ast.parse(refusal.path.read_text("utf-8"))
    gone = _raises(tree)[refusal.number]
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and gone in value:
                value[value.index(gone)] = ast.copy_location(ast.Pass(), gone)
    module = importlib.import_module(refusal.module)
    before = dict(vars(module))
    kept = {
        name: function
        for name, function in registry._checks.items()
        if function.__module__ != refusal.module
    }
    registry._checks.clear()
    registry._checks.update(kept)
    exec(compile(tree, str(refusal.path), "exec"), vars(module))
    after = vars(module)
    for name, other in list(sys.modules.items()):
        if not name.startswith(("ontime.check", "tests.fast.exercises", __name__)):
            continue
        for key, value in list(vars(other).items()):
            for was, old in before.items():
                if value is old and isinstance(old, (type, Callable)):  # type: ignore[arg-type]
                    setattr(other, key, after[was])


def _seen_by(names: Sequence[str]) -> bool:
    """Whether a wrong answer of these exercises is not told what it should be."""
    for name in names:
        home = all_homes()[name]
        stub = (exercise(name).stub, home.stub)
        for source, words in (stub, *reversed(home.wrong.values())):
            verdict = verdict_on(name, source)
            if verdict.passed or words not in repr(verdict):
                return True
    return False


def in_fork(act: Callable[[], int], seconds: int) -> int:
    """How a silent fork of this process ends that exits with what *act* returns.

    Args:
        act: what it does; it exits with 1 where this raises.
        seconds: after which a signal ends it.
    """
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        status = 1
        try:
            status = act()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def noticed(refusal: Refusal) -> bool:
    """Whether some answer tells that a refusal is gone; one that hangs tells it too."""
    names = users(refusal.module)

    def look() -> int:
        warnings.simplefilter("ignore")
        try:
            _without(refusal)
        except BaseException:
            return 2
        return 1 if _seen_by(names) else 0

    status = in_fork(look, SECONDS)
    if status == 2:
        raise ToolError(f"{refusal.module}:{refusal.line} could not be taken out.")
    return status != 0


def _known() -> dict[str, dict[str, Any]]:
    rows = RESULTS.read_text("utf-8").splitlines() if RESULTS.is_file() else []
    return {row["key"]: row for row in map(json.loads, rows)}


def main(words: Sequence[str]) -> int:
    """Try the refusals of the modules with these words in their names; report."""
    # The setup of each exercise is made once, and every fork has it.
    for name in all_homes():
        verdict_on(name, exercise(name).stub)
    gc.freeze()
    known = _known()
    RESULTS.parent.mkdir(exist_ok=True)
    counts: Counter[tuple[str, bool]] = Counter()
    for refusal in refusals(words):
        row = known.get(refusal.key, {"noticed": False, "answers": ""})
        if not row["noticed"] and row["answers"] != refusal.answers:
            row = {"key": refusal.key, "answers": refusal.answers}
            row["noticed"] = noticed(refusal)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        room = refusal.module.removeprefix("ontime.check.").rpartition(".")[0]
        counts[room, row["noticed"]] += 1
        if not row["noticed"]:
            where = refusal.path.relative_to(ROOT)
            say(f"MISSED {where}:{refusal.line}: {refusal.text}")
    for room in sorted({room for room, _ in counts}):
        seen, missed = counts[room, True], counts[room, False]
        say(f"{room or 'check':24} {seen:4} of {seen + missed:4} noticed")
    seen = sum(count for (_, caught), count in counts.items() if caught)
    total = counts.total()
    say(f"{seen} of {total} refusals noticed, {seen / max(total, 1):.1%}")
    return 0 if seen >= 0.95 * total else 1
