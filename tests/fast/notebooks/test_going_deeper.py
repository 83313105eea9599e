"""What a notebook that goes deeper repeats of its lab is as it stands there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.fast.notebooks import guards

REPEATED = {
    "01": {"Loop", "TimerLoop", "Future", "Task", "sleep", "TimersFirst"}
    | {"every_two", "at_random", "both"},
    "04": {"job", "waiting_job", "storm", "nothing", "with_semaphore", "through_queue"}
    | {"measure", "over_phases", "makespan", "Collect"}
    | {"work_by_iteration", "three_in_a_row"},
    "05": {"pipe", "stream", "links_of", "polling_consumer", "waiting_consumer"},
}


def definitions(path: Path) -> dict[str, list[str]]:
    """The functions and classes of a notebook's cells, each as often as it is there."""
    sources: dict[str, list[str]] = {}
    for cell in guards.code_cells(guards.load(path)):
        text = guards.source(cell)
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, "<cell>", "exec", flags)
        assert isinstance(tree, ast.Module)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                source = ast.get_source_segment(text, node)
                assert source is not None
                sources.setdefault(node.name, []).append(source)
    return sources


@pytest.mark.parametrize("chapter", REPEATED)
def test_what_is_repeated_is_the_same_in_both(chapter: str) -> None:
    (page,) = guards.BOOK.glob(f"{chapter}_*.md")
    lab = definitions(guards.NOTEBOOKS / f"{page.stem}.ipynb")
    deeper = definitions(guards.NOTEBOOKS / f"{chapter}_going_deeper.ipynb")
    for name in REPEATED[chapter]:
        assert lab[name] == deeper[name], name
        assert len(lab[name]) == 1, name
    if chapter == "04":  # nothing else is in both, or it would have to be in the list
        assert set(lab) & set(deeper) == REPEATED[chapter]
