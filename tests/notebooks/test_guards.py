"""Guards of the notebooks and the prose, and tests that each guard can fail."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import guards

Rule = Callable[[guards.Notebook], list[str]]
RULES: dict[str, Rule] = {
    "tags": guards.bad_tags,
    "shares": guards.bad_shares,
    "runs": guards.not_run,
    "solutions": guards.unnamed_solutions,
    "errors": guards.errors,
    "traces": guards.traces_of_a_machine,
    "size": guards.too_big,
}
PAGES = guards.pages()


@pytest.mark.parametrize("path", guards.notebooks(), ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", RULES)
def test_notebook(path: Path, rule: str) -> None:
    found = RULES[rule](guards.load(path))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_prose_types_no_measured_number(path: Path) -> None:
    found = guards.typed_numbers(path.read_text(encoding="utf-8"))
    assert not found, "\n".join(f"{path.name} {line}" for line in found)


def test_there_are_notebooks_and_pages() -> None:
    """The guards above pass when there is nothing to guard; the book has both."""
    assert guards.notebooks()
    assert any(path.name[:2].isdigit() for path in PAGES)


# ------------------------------------------------- the guards can fail


def cell(source: str, *tags: str, count: int = 1, text: str = "") -> guards.Cell:
    outputs: list[dict[str, Any]] = []
    if text:
        outputs = [{"output_type": "stream", "name": "stdout", "text": text}]
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": f"cell-{count}",
        "metadata": {"tags": list(tags)},
        "outputs": outputs,
        "source": source,
    }


@pytest.fixture
def good() -> guards.Notebook:
    book: guards.Notebook = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": "# Title"},
            cell("import asyncio", "live", count=1),
            cell("print(1)", "live", count=2, text="1\n"),
            cell("asyncio", "exact", count=3, text="<module>"),
            cell("print(t)", "measured", "nbval-ignore-output", count=4, text="2"),
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    book["cells"][4]["metadata"]["free_cores"] = 0.97
    return book


@pytest.mark.parametrize("rule", RULES)
def test_a_good_notebook_passes(good: guards.Notebook, rule: str) -> None:
    assert RULES[rule](good) == []


def set_tags(*tags: str) -> Callable[[guards.Cell], None]:
    return lambda cell: cell["metadata"].update(tags=list(tags))


def set_text(text: str) -> Callable[[guards.Cell], None]:
    return lambda cell: cell["outputs"][0].update(text=text)


def set_source(source: str, *, keep: bool = True) -> Callable[[guards.Cell], None]:
    return lambda cell: cell.update(
        source=source, outputs=cell["outputs"] if keep else []
    )


ERROR = {
    "output_type": "error",
    "ename": "ValueError",
    "evalue": "no",
    "traceback": [],
}

MUTATIONS: list[tuple[str, int, Callable[[guards.Cell], Any], str]] = [
    ("tags", 2, set_tags(), "exactly one"),
    ("tags", 2, set_tags("live", "exact"), "exactly one"),
    ("tags", 2, set_tags("live", "mesured"), "unknown tag 'mesured'"),
    ("tags", 4, set_tags("measured"), "tag it nbval-ignore-output"),
    ("tags", 2, set_tags("live", "nbval-ignore-output"), "must be compared"),
    ("shares", 4, lambda c: c["metadata"].pop("free_cores"), "not run by make execute"),
    ("shares", 4, lambda c: c["metadata"].update(free_cores=0), "0 is no share"),
    ("shares", 4, set_source("def f(): pass"), "measures nothing"),
    ("shares", 2, lambda c: c["metadata"].update(free_cores=1.0), "measures nothing"),
    ("runs", 2, lambda c: c.update(execution_count=None), "was not run"),
    ("runs", 2, lambda c: c.update(execution_count=7), "top to bottom"),
    ("runs", 2, lambda c: c.update(outputs=[]), "has no output"),
    ("runs", 3, lambda c: c.update(outputs=[]), "has no output"),
    ("runs", 2, set_source("await main()", keep=False), "has no output"),
    ("runs", 2, set_source("glue('A1_x', 1)", keep=False), "has no output"),
    ("runs", 2, set_source("def"), "no Python"),
    ("runs", 2, set_source("  "), "is empty"),
    ("solutions", 2, set_tags("live", "solution"), "does not say"),
    ("errors", 2, lambda c: c["outputs"].append(ERROR), "ends in ValueError"),
    ("errors", 2, set_tags("live", "raises-exception"), "raised nothing"),
    ("traces", 2, set_text("/home/me/x.py"), "a path"),
    ("traces", 2, set_text("at C:\\Users"), "a path"),
    ("traces", 2, set_text("2026-11-21 03:00"), "a time stamp"),
    ("traces", 2, set_text("<A object at 0x7f12ab34cd>"), "a memory address"),
    ("traces", 2, lambda c: c["metadata"].update(execution={}), "times of a run"),
    ("size", 2, set_source("x = 1  # " + "x" * 79), "columns"),
    ("size", 2, set_source("x = 1\n" * 26), "26 lines"),
]


@pytest.mark.parametrize(("rule", "index", "change", "says"), MUTATIONS)
def test_a_mutated_notebook_fails(
    good: guards.Notebook,
    rule: str,
    index: int,
    change: Callable[[guards.Cell], Any],
    says: str,
) -> None:
    bad = copy.deepcopy(good)
    change(bad["cells"][index])
    found = RULES[rule](bad)
    assert len(found) == 1
    assert says in found[0]


def test_an_output_that_is_not_text_is_read_too(good: guards.Notebook) -> None:
    good["cells"][2]["outputs"] = [
        {
            "output_type": "display_data",
            "data": {"text/html": ["<svg>", "/tmp/x</svg>"]},
            "metadata": {},
        }
    ]
    assert len(guards.traces_of_a_machine(good)) == 1


def test_a_glued_image_may_be_ignored(good: guards.Notebook) -> None:
    bad = good["cells"][3]
    bad["metadata"]["tags"] = ["exact", "nbval-ignore-output"]
    assert guards.bad_tags(good)
    bad["outputs"] = [{"data": {guards.GLUED_IMAGE + "png": "AAAA"}}]
    assert not guards.bad_tags(good)


@pytest.mark.parametrize(
    ("source", "speaks"),
    [
        ("x = 1", False),
        ("x", True),
        ("x;", False),
        ("f(x)", True),
        ("await f()", True),
        ("_ = f(x)", False),
        ("items.append(1)", False),
        ("def f():\n    print(1)", False),
        ("if x:\n    print(1)", False),
        ("with x:\n    print(1)", True),
        ("assert x", False),
        ("%pip list\nx = 1", False),
    ],
)
def test_which_cells_must_have_an_output(source: str, speaks: bool) -> None:
    assert guards.must_speak(source) is speaks


@pytest.mark.parametrize(
    "text",
    [
        "The heartbeat was 1.5 s late.",
        "It took 10 ms.",
        "It took 10\u00a0ms.",
        "It is 40 times slower.",
        "A ratio of 3 × is a lot.",
        "It used 99 % of a core.",
        "It used 99% of a core.",
        "It took `1.5 s`.",
        "Between 10 and 20 ms.",
        "A 10-second wait.",
        "```{note}\nIt took 2 µs.\n```",
        ":::{note} It took 2 µs.\n:::",
        "`````{admonition} Title\n```python\nx\n```\nIt took 2 µs.\n`````",
        "{strong}`1.5 s`",
        "| run | 1.534 s |",
        "```{results}\n:head: way | s\n:cells: C7_*:.3f\n\nonce | 1.5 s\n```",
        "```{results}\n:head: way | in 1.5 s\n:cells: C7_*:.3f\n\nonce | x\n```",
    ],
)
def test_a_typed_number_is_found(text: str) -> None:
    found = guards.typed_numbers(f"# Title\n\n{text}\n")
    assert len(found) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The heartbeat was {ours}`A2_lateness:.3f` s late.",
        "It took {ours}`01_nest_asyncio/ratio:.2f` times as long.",
        "```{results}\n:head: way | s\n:cells: C7_*:.3f s\n\nonce | in one\n```",
        "It was {published}`A2:1.534 s`, with jobs of {param}`10 ms`.",
        "With {param}`200 jobs of\n10 ms` each.",
        "```python\nsleep(1)  # 1 s\n```",
        "```{code-block} python\nsleep(1)  # 1 s\n```",
        "Call `sleep(10)` in 3 tasks and see A2 in 2020.",
        "There are 200 tasks and 4 workers.",
        "[a link](https://example.org/10 ms)",
        "% a comment: 10 ms",
        "<!-- 10 ms -->",
        "Python 3.11 supports it.",
    ],
)
def test_what_is_allowed_in_prose(text: str) -> None:
    assert guards.typed_numbers(f"# Title\n\n{text}\n") == []


def test_the_message_names_the_line() -> None:
    assert guards.typed_numbers("a\n\nb 1.5 s\n")[0].startswith("line 3: '1.5 s'")
