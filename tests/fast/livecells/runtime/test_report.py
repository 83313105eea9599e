"""Errors as a reader of a cell sees them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fast.livecells.runtime.pages import Page


def test_an_error_marks_the_readers_own_last_line(page: Page) -> None:
    page.run("def divide(a, b):\n    both = a, b\n    return both[0] / both[1]", "c2")
    error = page.error("x = 0\ndivide(1, x)", "c7")
    assert (error["name"], error["message"]) == (
        "ZeroDivisionError",
        "division by zero",
    )
    assert (error["cell"], error["line"]) == ("c2", 3)
    assert error["text"].split("\n") == [
        "Cell 7, line 2",
        "  2  divide(1, x)",
        "Cell 2, line 3, in divide",
        "  1  def divide(a, b):",
        "  2      both = a, b",
        "→ 3      return both[0] / both[1]",
        "ZeroDivisionError: division by zero",
    ]


def test_the_line_of_a_text_that_is_gone_is_not_marked(page: Page) -> None:
    page.run("def f():\n    return 1 / 0", "c1")
    page.run("keep = f", "c2")
    page.run("# another text\ndef f():\n    return 1", "c1")
    error = page.error("keep()", "c3")
    assert (error["cell"], error["line"]) == ("c1", None)
    assert "return 1 / 0" in error["text"], "the text as it ran"


@pytest.mark.parametrize(
    ("source", "line"),
    [("x = = 1", 1), ("a = 1\nif a:\nb", 3), ("print('open", 1), ("é = (\n", 1)],
)
def test_a_syntax_error_marks_its_line(page: Page, source: str, line: int) -> None:
    error = page.error(source)
    assert error["line"] == line and error["cell"] == "c1"
    assert "inside ast" not in error["text"]
    assert error["text"].count("→") == 1


def test_errors_that_are_hard_to_tell(page: Page) -> None:
    error = page.error("""
        class Odd(Exception):
            def __str__(self): raise ValueError
        raise Odd
    """)
    assert error["message"] == "<its str() raised ValueError>"
    error = page.error("raise ValueError('x' * 1_000_000)")
    assert len(error["text"]) < 30_000


CASES = Path(__file__).with_name("reports.txt").read_text("utf-8").split("\n=== ")[1:]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.partition("\n")[0])
def test_the_whole_report(page: Page, case: str) -> None:
    source, line, report = re.split(
        r"\n--- (\d+)\n", case.partition("\n")[2].rstrip("\n")
    )
    error = page.error(source)
    assert (error["cell"], error["line"]) == ("c1", int(line))
    lines, expected = error["text"].split("\n"), report.split("\n")
    assert [
        want if want[:1] == "~" and want[1:] in seen else seen
        for seen, want in zip(lines, expected, strict=True)
    ] == expected


def test_deep_recursion_is_folded(page: Page) -> None:
    error = page.error("def f():\n    return f()\nf()")
    assert error["name"] == "RecursionError"
    assert error["line"] == 2
    assert len(error["text"]) < 1000
    error = page.error("def f(): return g()\ndef g(): return f()\nf()")
    assert len(error["text"].split("\n")) < 100


def test_a_memory_error_is_told(page: Page) -> None:
    assert page.error("x = bytearray(10 ** 18)")["name"] in (
        "MemoryError",
        "OverflowError",
    )
    assert page.error("x = [0]\nraise MemoryError")["line"] == 2


def test_input_says_what_to_do(page: Page) -> None:
    assert "write the value into the code" in page.error("input('?')")["message"]


def test_print_after_the_cell_has_ended_goes_nowhere(page: Page) -> None:
    page.run("import sys\nkept = sys.stdout")
    page.outputs.clear()
    page.session._module.__dict__["kept"].write("late")
    assert page.outputs == []
