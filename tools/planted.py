"""Plant faults, and see which of them the fast tests miss: ``python -m tools.planted``.

There are three kinds:

* ``bugs``: those of ``planted_bugs.toml``, each with the tests that should see it;
* ``checks``: one ``raise NotYet`` at a time is taken out of an exercise's check;
* ``mutants``: some of the faults that a few operators can make anywhere in ``src``,
  drawn by ``--seed`` and ``--count``.  Modules that need a door to the world (a thread,
  a process, a real clock) are left to the contract tests.  ``planted_equivalent.toml``
  sets aside what changes nothing that anybody could see, each with its reason.

``python -m tools.planted mutants looplab/clock`` takes the faults of one room.  Each is
planted alone, in a fork of this process: no file is touched.  It is caught if one of
the answers to the exercises concerned is judged in another way, or a fast test of its
room fails or does not end.  What was caught is kept in ``_build/planted.jsonl``: a
stopped run goes on, and what was missed is tried again once its tests have changed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import importlib
import importlib.machinery
import json
import os
import resource
import signal
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import hypothesis  # noqa: F401 (imported once, for all forks)
import nbval.plugin  # noqa: F401
import pytest

from ontime.check import registry
from tests.fast.exercises import homes
from tools.common import ROOT, ToolError, say
from tools.planted_mutants import SOURCE, drawn, modules, refusals

__all__ = ["Fault", "main"]

BUGS = Path(__file__).with_name("planted_bugs.toml")
EQUIVALENT = Path(__file__).with_name("planted_equivalent.toml")
RESULTS = ROOT / "_build" / "planted.jsonl"
FAST = ROOT / "tests" / "fast"
CHECKS = SOURCE / "ontime" / "check"

#: The share of each kind that must be caught.
AIMS = {"bugs": 1.0, "checks": 0.95, "mutants": 0.8}
SECONDS = 60  # of CPU time for a test, or for the answers to an exercise
MEMORY = 4 << 30  # bytes


@dataclass(frozen=True)
class Fault:
    """One fault in a module."""

    name: str
    path: Path
    tree: Callable[[], ast.Module]  # the module with it
    tests: tuple[str, ...] = ()  # words for pytest; those of its room if there are none

    @property
    def room(self) -> str:
        """Where its module lies, two floors deep; that of a check by its chapter."""
        parts = self.path.relative_to(SOURCE).with_suffix("").parts
        depth = 4 if "bank" in parts else 3 if self.path.is_relative_to(CHECKS) else 2
        return "/".join(parts[: min(depth, len(parts) - (depth > 2))])

    @property
    def key(self) -> str:
        """The same as long as its module has not changed."""
        return f"{self.name} @{_digest((self.path,))}"

    @property
    def answered(self) -> list[str]:
        """The exercises that its module may judge, the likeliest first."""
        if self.tests or not self.path.is_relative_to(CHECKS):
            return []
        registry.exercises()  # has them imported
        registry.extra_exercises()
        parts = self.path.relative_to(CHECKS).parts
        module = ".".join(self.path.relative_to(SOURCE).with_suffix("").parts)
        numbers = [n for n, folder in registry.CHAPTERS.items() if folder in parts]
        names = [n for n in homes.all_homes() if n[:2] in numbers or not numbers]
        names.sort(key=lambda name: registry._checks[name].__module__ != module)
        return names

    @property
    def files(self) -> list[Path]:
        """The tests of its room, the likeliest first."""
        package, room = self.path.relative_to(SOURCE).with_suffix("").parts[:2]
        tests = [*FAST.glob(f"{package}/test_{room.strip('_')}*.py")]
        tests += (FAST / package / room).rglob("test_*.py")
        tests = tests or [*(FAST / package).rglob("test_*.py")]
        return sorted(tests, key=lambda file: self.path.stem not in file.stem)

    @property
    def tried(self) -> str:
        """Another one when an answer or a test changes that may tell it."""
        folders = {homes.ANSWERS / name[:2] for name in self.answered}
        tests = [ROOT / word for word in self.tests] or [f.parent for f in self.files]
        return _digest(tuple(sorted({*folders, *tests})))


@cache
def _digest(places: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for place in places:
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if "__pycache__" not in file.parts:
                digest.update(
                    file.read_bytes() if file.is_file() else file.name.encode()
                )
    return digest.hexdigest()[:16]


def _bugs() -> Iterator[Fault]:
    for raw in tomllib.loads(BUGS.read_text(encoding="utf-8"))["bug"]:
        name, path = raw["name"], SOURCE / raw["file"]
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.count(raw["old"]) != 1:
            raise ToolError(
                f"{name}: {raw['file']} holds its text {text.count(raw['old'])} times "
                f"and not once; change the entry in {BUGS.name}."
            )
        planted = text.replace(raw["old"], raw["new"])
        yield Fault(name, path, partial(ast.parse, planted), tuple(raw["tests"]))


def faults(kind: str, room: str, seed: int, count: int) -> Iterator[Fault]:
    """The faults of a kind in the modules whose path begins with *room*."""
    if kind == "bugs":
        yield from (bug for bug in _bugs() if bug.room.startswith(room))
    elif kind == "checks":
        for path in sorted(CHECKS.rglob("*.py")):
            if path.relative_to(SOURCE).as_posix().startswith(room):
                for name, tree in refusals(path):
                    yield Fault(name, path, tree)
    else:
        for path, (name, tree) in drawn(modules(room), seed, count):
            yield Fault(name, path, tree)


def _load_instead(path: Path, tree: ast.Module) -> None:
    """Have the import of a file, and of what imported it already, run a tree."""
    get_code = importlib.machinery.SourceFileLoader.get_code

    def planted(loader: importlib.machinery.SourceFileLoader, name: str) -> object:
        if loader.path == str(path):
            return compile(tree, str(path), "exec")
        return get_code(loader, name)

    importlib.machinery.SourceFileLoader.get_code = planted  # type: ignore[assignment,method-assign]
    in_checks = path.is_relative_to(CHECKS)
    ours = ("livecells", "looplab", "ontime", "tests")
    for name in list(sys.modules):
        if name.startswith("ontime.check" if in_checks else ours):
            del sys.modules[name]
    if in_checks:  # what the cells above the exercises made stays as it is
        vars(homes)["check"] = importlib.import_module("ontime.check").check


class _Limit:
    """Ends this process when a test takes more CPU time than it may."""

    def pytest_runtest_logstart(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)


def _judged_otherwise(name: str) -> bool:
    """Whether an answer to an exercise is told something else than it should be."""
    _Limit().pytest_runtest_logstart()
    home = homes.all_homes()[name]
    wrong, misjudged = ("stub", *reversed(home.wrong)), homes.misjudged
    return any(misjudged(name, answer, right=False) for answer in wrong) or any(
        misjudged(name, answer, right=True) for answer in home.right
    )


def _try(fault: Fault, tree: ast.Module) -> int:
    """In a fork: 0 if the tests of a fault pass with this tree for its module."""
    answered = fault.answered
    _load_instead(fault.path, tree)
    warnings.simplefilter("ignore")
    if any(_judged_otherwise(name) for name in answered):
        return 1
    # Plain, as pytest would load all of looplab, which has a plugin, itself.
    words = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
    tests = fault.tests or tuple(map(str, fault.files))
    return int(pytest.main([*words, "--hypothesis-seed=0", *tests], [_Limit()]))


def _in_fork(act: Callable[[], int]) -> tuple[int, float]:
    """How a silent fork ends that exits with what *act* returns; its CPU time."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        status = 1
        try:
            signal.alarm(20 * SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            status = act()
        finally:
            os._exit(status)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


@cache
def _cells_run() -> None:
    """Run the cells above the exercises once, for all forks."""
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        for name in homes.all_homes():
            homes.verdict_on(name, homes.exercise(name).stub)
    gc.freeze()


class _Record:
    """What was found, so that a run that was stopped goes on."""

    def __init__(self) -> None:
        lines = RESULTS.read_text("utf-8").splitlines() if RESULTS.is_file() else []
        self._rows = {row["key"]: row for row in map(json.loads, lines)}

    def row(self, fault: Fault) -> dict[str, Any]:
        """Whether the tests of a fault tell it, and the CPU time that they took."""
        row = self._rows.get(fault.key, {"caught": False, "tests": ""})
        if row["caught"] or row["tests"] == fault.tried:
            return row
        return self._add(fault, fault.key, fault.tree)

    def is_sound(self, fault: Fault, tests: str) -> bool:
        """Whether its tests pass with nothing planted."""
        key = f"nothing @{tests}"
        tree = partial(ast.parse, fault.path.read_text("utf-8"))
        row = self._rows.get(key) or self._add(fault, key, tree)
        return not row["caught"]

    def _add(
        self, fault: Fault, key: str, tree: Callable[[], ast.Module]
    ) -> dict[str, Any]:
        if fault.answered:
            _cells_run()
        status, cpu = _in_fork(lambda: _try(fault, tree()))
        row = {"key": key, "tests": fault.tried, "caught": status != 0}
        self._rows[key] = row = {**row, "cpu": round(cpu, 1)}
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return row


def report(kind: str, room: str, seed: int, count: int) -> bool:
    """Try the faults of a kind, print what was missed; whether enough were caught."""
    aside = tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]
    record = _Record()
    counts: dict[str, Counter[str]] = {}
    cpu = 0.0
    passing: set[str] = set()
    failing: dict[str, Fault] = {}
    for fault in faults(kind, room, seed, count):
        counted = counts.setdefault(fault.room, Counter())
        if fault.name in aside:
            counted["aside"] += 1
            continue
        row = record.row(fault)
        cpu += row["cpu"]
        counted["caught" if row["caught"] else "missed"] += 1
        if row["caught"]:
            failing[row["tests"]] = fault
        else:
            passing.add(row["tests"])
            say(f"MISSED {fault.name}")
    for tests in failing.keys() - passing:
        if not record.is_sound(failing[tests], tests):
            name = failing[tests].name
            raise ToolError(f"the tests for {name} fail with nothing planted, too.")
    total = sum(counts.values(), Counter[str]())
    for place, counted in [*sorted(counts.items()), (f"all {kind}", total)]:
        tried = counted["caught"] + counted["missed"]
        say(f"{place:34} {counted['caught']:4} of {tried:4} caught")
    share = total["caught"] / max(1, total["caught"] + total["missed"])
    drawing = f", seed {seed}" if kind == "mutants" else ""
    say(f"{share:.1%}{drawing}; {total['aside']} set aside; CPU time {cpu:.0f} s\n")
    return share >= AIMS[kind]


def main(words: Sequence[str]) -> int:
    """Plant the faults that the words select, and report by room."""
    parser = argparse.ArgumentParser(prog="python -m tools.planted")
    parser.add_argument("kind", nargs="?", choices=list(AIMS), help="all if not given")
    parser.add_argument("room", nargs="?", default="", help="such as looplab/clock")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    asked = parser.parse_args(words)
    kinds = [asked.kind] if asked.kind else list(AIMS)
    try:
        enough = [report(kind, asked.room, asked.seed, asked.count) for kind in kinds]
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
