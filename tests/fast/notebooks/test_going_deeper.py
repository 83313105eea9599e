"""What a notebook that goes deeper repeats of its lab is as it stands there."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.fast.notebooks import guards

LOOP = {"Loop", "TimerLoop", "Future", "Task", "sleep", "TimersFirst"}
PROGRAMS = {"every_two", "at_random", "both"}
STORM = {"job", "waiting_job", "storm", "nothing"}
LIMITS = {"with_semaphore", "through_queue"}
INSTRUMENTS = {"measure", "over_phases", "makespan", "Collect"}
RULE = {"work_by_iteration", "three_in_a_row"}
QUEUES = {"pipe", "stream", "links_of", "polling_consumer", "waiting_consumer"}


def definitions(path: Path) -> dict[str, list[str]]:
    """The functions and classes of a notebook's cells, each as often as it is there."""
    found: dict[str, list[str]] = {}
    for _, cell in guards.code_cells(guards.load(path)):
        text = guards.source(cell)
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, "<cell>", "exec", flags)
        assert isinstance(tree, ast.Module)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                source = ast.get_source_segment(text, node)
                assert source is not None
                found.setdefault(node.name, []).append(source)
    return found


def test_the_loop_of_the_first_lab_is_the_same_in_both() -> None:
    lab = definitions(guards.NOTEBOOKS / "01_callbacks.ipynb")
    deeper = definitions(guards.NOTEBOOKS / "01_going_deeper.ipynb")
    for name in LOOP | PROGRAMS:
        assert lab[name] == deeper[name], name
        assert len(lab[name]) == 1, name


def test_the_storm_of_the_fourth_lab_is_the_same_in_both() -> None:
    lab = definitions(guards.NOTEBOOKS / "04_late_heartbeat.ipynb")
    deeper = definitions(guards.NOTEBOOKS / "04_going_deeper.ipynb")
    for name in STORM | LIMITS | INSTRUMENTS | RULE:
        assert lab[name] == deeper[name], name
        assert len(lab[name]) == 1, name
    # And nothing else is in both, or it would have to be in the list.
    assert set(lab) & set(deeper) == STORM | LIMITS | INSTRUMENTS | RULE


def test_the_queues_of_the_fifth_lab_are_the_same_in_both() -> None:
    lab = definitions(guards.NOTEBOOKS / "05_backpressure.ipynb")
    deeper = definitions(guards.NOTEBOOKS / "05_going_deeper.ipynb")
    for name in QUEUES:
        assert lab[name] == deeper[name], name
        assert len(lab[name]) == 1, name
