"""What runs the cells of a page: outputs, bounds, errors, and what a cell needs."""

from __future__ import annotations

import asyncio
import builtins
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from livecells.runtime import Session
from tests.site.conftest import need

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = ROOT / "node_modules" / "pyodide"


class Page:
    """A session and what it emits, cell by cell."""

    def __init__(self, **settings: Any) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.session = Session(self.outputs.append, **settings)
        self.sources: dict[str, str] = {}

    def run(self, source: str, name: str = "c1") -> list[dict[str, Any]]:
        """Run a cell; its outputs, with the pieces of a stream joined."""
        self.outputs.clear()
        source = textwrap.dedent(source).strip("\n")
        self.sources[name] = source
        label = f"Cell {name[1:]}"
        self.status = asyncio.run(self.session.run_cell(name, label, source))
        return joined(self.outputs)

    def error(self, source: str, name: str = "c1") -> dict[str, Any]:
        """Run a cell that fails; its error."""
        outputs = self.run(source, name)
        assert self.status == "error", outputs
        assert outputs[-1]["kind"] == "error"
        return outputs[-1]

    def text(self, source: str, name: str = "c1") -> str:
        """Run a cell that only prints; what it printed."""
        outputs = self.run(source, name)
        assert self.status == "ok", outputs
        return "".join(output["text"] for output in outputs)


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for output in outputs:
        last = out[-1] if out else {}
        is_same = last.get("kind") == "stream" == output["kind"]
        if is_same and last["name"] == output["name"]:
            last["text"] += output["text"]
        else:
            out.append(dict(output))
    return out


@pytest.fixture
def page() -> Page:
    return Page()


# ---------------------------------------------------------------- what is shown


def test_print_and_the_last_value_are_shown(page: Page) -> None:
    assert page.run("print('a')\nprint('b')\n1 + 1") == [
        {"kind": "stream", "name": "stdout", "text": "a\nb\n"},
        {"kind": "display", "data": {"text/plain": "2"}, "result": True},
    ]


@pytest.mark.parametrize(
    "source", ["3;", "3 ;  # three", "x = 3", "None", "", "# nothing", "def f(): pass"]
)
def test_nothing_is_shown_where_nothing_is_to_show(page: Page, source: str) -> None:
    assert page.run(source) == []
    assert page.status == "ok"


@pytest.mark.parametrize("source", ["'a;'", "3  # a; b", "('ä', \n 3) # ;"])
def test_a_semicolon_elsewhere_hides_nothing(page: Page, source: str) -> None:
    assert len(page.run(source)) == 1


def test_a_value_that_can_be_html_is_html_and_text(page: Page) -> None:
    page.run("""
        class Both:
            def _repr_html_(self): return "<b>x</b>"
            def __repr__(self): return "x"
        class Picture:
            def _repr_svg_(self): return "<svg></svg>"
            def __repr__(self): return "y"
        class Neither:
            def _repr_html_(self): return None
            def __getattr__(self, name): return lambda: "no"
            def __repr__(self): return "z"
    """)
    data = [page.run(f"{name}()", "c2")[0]["data"] for name in ("Both", "Picture")]
    assert data == [
        {"text/html": "<b>x</b>", "text/plain": "x"},
        {"image/svg+xml": "<svg></svg>", "text/plain": "y"},
    ]
    assert page.run("Neither()", "c2")[0]["data"] == {"text/plain": "z"}


def test_display_shows_values_in_between(page: Page) -> None:
    kinds = [
        (output["kind"], output.get("result"))
        for output in page.run("print(1)\ndisplay(2, 3)\nprint(4)\n5")
    ]
    assert kinds == [
        ("stream", None),
        ("display", False),
        ("display", False),
        ("stream", None),
        ("display", True),
    ]


def test_both_streams_keep_their_order(page: Page) -> None:
    outputs = page.run("""
        import sys
        print("a")
        print("b", file=sys.stderr)
        print("c")
    """)
    assert [(o["name"], o["text"]) for o in outputs] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
    ]


def test_a_repr_that_raises_is_told_and_is_no_error(page: Page) -> None:
    [output] = page.run("""
        class Bad:
            def __repr__(self): raise ValueError("no")
        Bad()
    """)
    assert output["data"]["text/plain"] == "<Bad: its repr() raised ValueError: no>"
    assert page.status == "ok"


def test_text_that_is_not_unicode_still_leaves(page: Page) -> None:
    text = page.text(r"print('a\ud800b')")
    assert json.loads(json.dumps(text)).encode() == b"a?b\n"


def test_top_level_await_works_also_as_the_last_value(page: Page) -> None:
    outputs = page.run("""
        import asyncio
        await asyncio.sleep(0)
        await asyncio.sleep(0, "done")
    """)
    assert outputs[0]["data"]["text/plain"] == "'done'"


def test_the_host_gets_its_streams_and_main_back(page: Page) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]
    page.run("import sys\nsys.stdout = None\nsys.modules['__main__'] = None")
    page.run("1 / 0")
    assert (sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]) == before


def test_dataclasses_of_a_cell_find_their_module(page: Page) -> None:
    text = page.text("""
        from __future__ import annotations
        from dataclasses import dataclass
        @dataclass
        class Point:
            x: int
        print(Point(1))
    """)
    assert text == "Point(x=1)\n"


# ---------------------------------------------------------------- bounds


def test_text_beyond_the_limit_is_dropped_and_one_line_says_so() -> None:
    page = Page(limit=1000)
    outputs = page.run("for i in range(10_000): print(i)\nprint('x')\n5")
    assert [output["kind"] for output in outputs] == ["stream", "cut"]
    assert len(outputs[0]["text"]) == 1000
    assert outputs[0]["text"].startswith("0\n1\n2\n")
    assert outputs[1] == {"kind": "cut", "limit": 1000}
    assert page.run("print('next')", "c2")[0]["text"] == "next\n"


def test_ten_megabytes_leave_in_few_pieces(page: Page) -> None:
    page.run("line = 'x' * 99\nfor _ in range(100_000): print(line)")
    assert sum(len(output.get("text", "")) for output in page.outputs) == 100_000
    assert len(page.outputs) < 100
    page.run("print('y' * 10_000_000)")
    assert sum(len(output.get("text", "")) for output in page.outputs) == 100_000


def test_an_error_after_the_cut_is_still_told() -> None:
    page = Page(limit=1000)
    outputs = page.run("print('x' * 5000)\n1 / 0")
    assert [output["kind"] for output in outputs] == ["stream", "cut", "error"]


def test_a_huge_repr_is_cut() -> None:
    page = Page(limit=1000)
    outputs = page.run("'x' * 5000")
    assert len(outputs[0]["data"]["text/plain"]) == 1000
    assert outputs[1]["kind"] == "cut"


def test_html_has_a_bound_of_its_own(page: Page) -> None:
    page.run("""
        class Html:
            def __init__(self, size): self.size = size
            def _repr_html_(self): return "x" * self.size
            def __repr__(self): return "short"
    """)
    assert len(page.run("Html(500_000)", "c2")[0]["data"]["text/html"]) == 500_000
    output, cut = page.run("Html(3_000_000)", "c2")
    assert cut["kind"] == "cut"
    assert "text/html" not in output["data"]
    assert (
        "3,000,000 characters with 0 tags of text/html" in output["data"]["text/plain"]
    )


def test_html_may_not_have_any_number_of_tags(page: Page) -> None:
    page.run("""
        class Table:
            def _repr_html_(self): return "<b>x</b>" * 1_000
            def __repr__(self): return "short"
    """)
    outputs = page.run("for i in range(5_000): display(Table())", "c2")
    shown = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(shown) == 10
    *_, last, cut = outputs
    assert len(outputs) == len(shown) + 2
    assert "8,000 characters with 2,000 tags of text/html" in last["data"]["text/plain"]
    assert "2,000,000 and 20,000" in last["data"]["text/plain"]
    assert cut["kind"] == "cut"


def test_endless_displays_are_cut(page: Page) -> None:
    outputs = page.run("for i in range(5000): display(i)")
    assert len(outputs) < 400
    assert outputs[-1]["kind"] == "cut"


def test_what_is_printed_leaves_before_the_cell_goes_on(page: Page) -> None:
    page.session._module.__dict__["sent"] = page.outputs
    outputs = page.run("""
        print("first")
        seen = "".join(output["text"] for output in sent)
        seen
    """)
    assert outputs[-1]["data"]["text/plain"] == repr("first\n")


# ---------------------------------------------------------------- errors


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


def test_a_syntax_error_of_exec_marks_the_line_of_exec(page: Page) -> None:
    assert page.error("x = 1\nexec('a b')")["line"] == 2


def test_library_frames_are_one_line(page: Page) -> None:
    error = page.error("import json\njson.loads('{')")
    assert re.search(r"… \d calls inside json\n", error["text"])
    assert error["line"] == 2


def test_a_group_shows_each_error_and_marks_the_leaf(page: Page) -> None:
    error = page.error("""
        import asyncio, looplab

        async def bad(text):
            await asyncio.sleep(1)
            raise ValueError(text)

        async def main():
            async with asyncio.TaskGroup() as group:
                group.create_task(bad("a"))
                group.create_task(bad("b"))

        looplab.run(main())
    """)
    assert error["name"] == "ExceptionGroup"
    assert error["line"] == 5
    assert error["text"].count("→") == 2
    assert "1 of 2:" in error["text"] and "    ValueError: b" in error["text"]


def test_a_cause_and_a_context_are_told_in_order(page: Page) -> None:
    error = page.error("""
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise KeyError("x") from error
    """)
    text = error["text"]
    assert (
        text.index("ZeroDivisionError") < text.index("cause") < text.index("KeyError")
    )
    text = page.error("""
        try:
            1 / 0
        except ZeroDivisionError:
            [][3]
    """)["text"]
    places = [text.index(word) for word in ("division", "another one", "IndexError")]
    assert places == sorted(places)


def test_errors_that_are_hard_to_tell(page: Page) -> None:
    error = page.error("""
        class Odd(Exception):
            def __str__(self): raise ValueError
        raise Odd
    """)
    assert error["message"] == "<its str() raised ValueError>"
    error = page.error("raise ValueError('x' * 1_000_000)")
    assert len(error["text"]) < 30_000
    error = page.error("""
        a = ValueError(1)
        b = KeyError(2)
        a.__cause__, b.__cause__ = b, a
        raise a
    """)
    assert "KeyError" in error["text"]
    error = page.error("""
        error = ValueError("with a note")
        error.add_note("the note")
        raise error
    """)
    assert error["text"].endswith("ValueError: with a note\nthe note")


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


@pytest.mark.parametrize(
    "source", ["import sys\nsys.exit(3)", "raise KeyboardInterrupt"]
)
def test_leaving_is_an_error_of_the_cell_and_ends_nothing(
    page: Page, source: str
) -> None:
    assert page.error(source)["name"] in ("SystemExit", "KeyboardInterrupt")
    assert page.text("print('on')") == "on\n"


def test_input_says_what_to_do(page: Page) -> None:
    assert "write the value into the code" in page.error("input('?')")["message"]


def test_a_builtin_that_a_cell_deletes_is_back(page: Page) -> None:
    page.run("import builtins\ndel builtins.print, builtins.len")
    assert builtins.len is len
    assert page.text("print(len('abc'))", "c2") == "3\n"


def test_a_builtin_that_a_cell_replaces_is_back(page: Page) -> None:
    page.run("import builtins\nbuiltins.isinstance = builtins.getattr = None")
    assert isinstance(1, int)
    assert page.error("1 / 0", "c2")["name"] == "ZeroDivisionError"


@pytest.mark.parametrize("wait", ["", "await asyncio.sleep(0)"])
def test_a_cell_that_cancels_itself_ends_nothing(page: Page, wait: str) -> None:
    outputs = page.run(f"import asyncio\n_ = asyncio.current_task().cancel()\n{wait}")
    assert [output["name"] for output in outputs] == (
        ["CancelledError"] if wait else []
    )
    assert page.text("await asyncio.sleep(0)\nprint(1)", "c2") == "1\n"


@pytest.mark.parametrize(
    "body",
    [
        "def __str__(self): raise SystemExit",
        "def __str__(self): raise ValueError(self)",
        "__notes__ = 5",
        "__notes__ = [type('N', (), {'__str__': lambda self: 1 / 0})()]",
    ],
)
def test_an_error_that_cannot_be_told_is_named(page: Page, body: str) -> None:
    error = page.error(f"class Odd(Exception):\n    {body}\nraise Odd")
    assert error["name"] == "Odd"
    assert "line 3" in error["text"]


def test_print_after_the_cell_has_ended_goes_nowhere(page: Page) -> None:
    page.run("import sys\nkept = sys.stdout")
    page.outputs.clear()
    page.session._module.__dict__["kept"].write("late")
    assert page.outputs == []


# ---------------------------------------------------------------- what a cell needs


def plan(page: Page, *sources: str) -> list[int]:
    """The places of the cells that run for the last one."""
    cells = [{"id": f"c{i}", "source": source} for i, source in enumerate(sources)]
    return [int(name[1:]) for name in page.session.plan(cells, cells[-1]["id"])]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["a = 1", "b = 2", "print(a)"], [0, 2]),
        (["a = 1", "b = a", "print(b)"], [0, 1, 2]),
        (["import math", "x = 1", "math.pi"], [0, 2]),
        (["from math import pi as p", "p"], [0, 1]),
        (["def f(): return g()", "def g(): return 1", "f()"], [0, 1, 2]),
        (["a = []", "a.append(1)", "print(a)"], [0, 1, 2]),
        (["a = []", "a += [1]", "print(a)"], [0, 1, 2]),
        (["a = {}", "a['x'] = 1", "print(a)"], [0, 1, 2]),
        (["class A: n = 0", "A.n += 1", "A.n"], [0, 1, 2]),
        (["a = []", "def f(): a.append(1)", "f()", "a"], [0, 1, 2, 3]),
        (["a = []", "b = a", "b.append(1)", "print(a)"], [0, 1, 2, 3]),
        (["import random", "random.seed(1)", "random.random()"], [0, 1, 2]),
        (["import os; os.environ['X'] = '1'", "import os; os.environ"], [0, 1]),
        (["import os", "import os; os.environ"], [1]),
        (["from random import seed", "a = 1", "seed"], [0, 2]),
        (["def f(): global n; n = 1", "f()", "print(n)"], [0, 1, 2]),
        (["from math import *", "print(1)"], [0, 1]),
        (["exec('a = 1')", "print(2)"], [0, 1]),
        (["a = = 1", "print(2)"], [0, 1]),
        (["a = 1", "b = 2", "exec('print(a)')"], [0, 1, 2]),
        (["for i in range(3): pass", "print(i)"], [0, 1]),
        (["with open('x') as f: pass", "f"], [0, 1]),
        (["match 1:\n    case n: pass", "n"], [0, 1]),
        (["(n := 1)", "n"], [0, 1]),
        (["a = 1", "del a", "a"], [0, 1, 2]),
        (["n = 3", "def f(x=n): return x", "f()"], [0, 1, 2]),
        (["def deco(f): return f", "@deco\ndef f(): pass", "f()"], [0, 1, 2]),
        (["class A: pass", "class B(A): pass", "B()"], [0, 1, 2]),
        (["def f(): pass", "f()", "print(f)"], [0, 2]),
        # A name that every cell binds anew does not tie the cells together.
        (["x = 1", "x = 2", "print(x)"], [1, 2]),
        (["def m(): pass", "def m(): return 1", "m()"], [1, 2]),
        (["def m(): pass\nm()", "def m(): return 1\nm()"], [1]),
        (["a = [1]", "r = len(a)", "def m(): pass\nr = m()\nprint(r)"], [2]),
        (["x = 1", "x = x + 1", "print(x)"], [0, 1, 2]),
        (["x = 1", "if x:\n    x = 2", "print(x)"], [0, 1, 2]),
        (["def m(): return 1", "def f(): return m()", "f()\ndef m(): pass"], [0, 1, 2]),
        (["x = []", "y = x", "x.append(1)", "print(y)"], [0, 1, 2, 3]),
        (["x = []", "y = [x]", "y[0].append(1)", "print(x)"], [0, 1, 2, 3]),
        (["def f():\n    local = 1\n    return local", "local = 2", "f()"], [0, 2]),
        (["x = 1", "x += 1", "print(x)"], [0, 1, 2]),
        (["x, y = 1, 2", "x, y = 3, 4", "print(x, y)"], [1, 2]),
        (["x = 1", "del x", "x"], [0, 1, 2]),
        (["class A:\n    n = []", "a = A()", "a.n.append(1)", "A.n"], [0, 1, 2, 3]),
    ],
)
def test_a_cell_needs_what_binds_or_may_change_its_names(
    page: Page, sources: list[str], expected: list[int]
) -> None:
    assert plan(page, *sources) == expected


def test_a_cell_that_ran_does_not_run_again_until_its_text_changes(page: Page) -> None:
    cells = [{"id": "c1", "source": "a = 1"}, {"id": "c2", "source": "a"}]
    page.run("a = 1", "c1")
    assert page.session.plan(cells, "c2") == ["c2"]
    assert page.session.plan(cells, "c1") == ["c1"], "the one asked for always runs"
    cells[0]["source"] = "a = 2"
    assert page.session.plan(cells, "c2") == ["c1", "c2"]
    page.run("a = 2", "c1")
    page.session.forget("c1")
    assert page.session.plan(cells, "c2") == ["c1", "c2"]


def test_a_cell_that_failed_has_not_run(page: Page) -> None:
    page.run("a = 1 / 0", "c1")
    cells = [{"id": "c1", "source": "a = 1 / 0"}, {"id": "c2", "source": "a"}]
    assert page.session.plan(cells, "c2") == ["c1", "c2"]


class Reader:
    """Presses Run on the cells of a page, in any order; edits them and resets them."""

    def __init__(self, cells: Sequence[dict[str, str]]) -> None:
        self.cells = [{"id": cell["id"], "source": cell["source"]} for cell in cells]
        self.page = Page()

    def press(self, place: int) -> list[tuple[str, str]]:
        """What the cell shows after what it needs has run."""
        cell = self.cells[place]
        by_name = {cell["id"]: cell["source"] for cell in self.cells}
        for name in self.page.session.plan(self.cells, cell["id"]):
            outputs = self.page.run(by_name[name], name)
        return shown(outputs)

    def expected(self, place: int) -> list[tuple[str, str]]:
        """What it shows on a page on which nothing else was pressed."""
        return Reader(self.cells).press(place)


def numbered(*sources: str) -> Reader:
    return Reader([{"id": f"c{i}", "source": s} for i, s in enumerate(sources)])


@pytest.mark.parametrize(
    ("sources", "presses"),
    [
        (["a = []", "a.append(1)", "print(a)"], [2, 0, 2]),
        (["a = []", "a.append(1)\nprint(a)"], [1, 1]),
        (["a = []", "a.append(1)", "print(a)"], [2, 1, 2]),
        (["x = 1", "print(x)", "x = 2", "print(x)"], [3, 1, 3, 2, 1]),
        (["def f(): return 1", "print(f())", "def f(): return 2"], [2, 1]),
        (["import random", "random.seed(1)", "print(random.random())"], [2, 2]),
        (["n = [0]", "def f(): n[0] += 1", "f()\nprint(n)", "f()"], [2, 3, 3, 2]),
        (["a = [1]", "b = a", "b.append(2)", "print(a)"], [3, 2, 3, 1, 3]),
        (["a = [1]", "exec('a.append(2)')", "print(a)"], [2, 1, 2]),
        (["a = 1", "a = a + 1", "print(a)", "del a"], [2, 3, 2]),
    ],
)
def test_a_cell_shows_the_same_whatever_ran_before(
    sources: list[str], presses: list[int]
) -> None:
    reader = numbered(*sources)
    for place in presses:
        assert reader.press(place) == reader.expected(place), presses


def test_an_edit_reaches_the_cells_below() -> None:
    reader = numbered("a = 1", "b = a", "print(b)")
    assert reader.press(2) == [("stdout", "1\n")]
    reader.cells[0]["source"] = "a = 2"
    assert reader.press(2) == [("stdout", "2\n")]


def test_a_reset_cell_takes_its_effect_back() -> None:
    reader = numbered("a = []", "a.append(1)", "print(a)")
    reader.press(2)
    reader.cells[1]["source"] = "a.append(2)"
    assert reader.press(2) == [("stdout", "[2]\n")]
    reader.cells[1]["source"] = "a.append(1)"
    reader.page.session.forget("c1")
    assert reader.press(2) == [("stdout", "[1]\n")]


# Statements over few names, so that the cells of a program meddle with each other.
NAMES = st.sampled_from("abc")
DIGITS = st.integers(0, 9)
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, DIGITS),
    st.builds("{} = [{}]".format, NAMES, DIGITS),
    st.builds("{} = {}".format, NAMES, NAMES),
    st.builds("{} = [{}]".format, NAMES, NAMES),
    st.builds("{}.append({})".format, NAMES, DIGITS),
    st.builds("{}[0] = {}".format, NAMES, DIGITS),
    st.builds("{} += [{}]".format, NAMES, DIGITS),
    st.builds("add({}, {})".format, NAMES, DIGITS),
    st.builds("def f(): return {}".format, NAMES),
    st.builds("def f(x={}): return x".format, NAMES),
    st.builds("def f(): {}.append({})".format, NAMES, DIGITS),
    st.builds("def f():\n    global {0}\n    {0} = {1}".format, NAMES, DIGITS),
    st.just("f()"),
    st.builds("{} = f()".format, NAMES),
    st.builds("if {} > 4: {} = {}".format, DIGITS, NAMES, DIGITS),
    st.builds("random.seed({})".format, DIGITS),
    st.builds("{} = random.randrange(9)".format, NAMES),
    st.builds("({} := {})".format, NAMES, DIGITS),
    st.builds("import random\n{} = random.randrange(9)".format, NAMES),
)
FIRST = """import random
def add(l, x): l.append(x)
def f(): return 1
a, b, c = [1], [2], [3]
random.seed(0)"""


@given(
    bodies=st.lists(
        st.tuples(st.lists(STATEMENTS, min_size=1, max_size=2), NAMES, NAMES),
        min_size=2,
        max_size=5,
    ),
    presses=st.lists(st.integers(0, 5), min_size=1, max_size=8),
)
@settings(max_examples=400, deadline=None)
def test_random_programs_show_the_same_whatever_ran_before(
    bodies: list[tuple[list[str], str, str]], presses: list[int]
) -> None:
    sources = [FIRST]
    for statements, one, other in bodies:
        sources.append("\n".join([*statements, f"print({one}, {other})"]))
    in_order = Reader(numbered(*sources).cells)
    want = []
    for cell in in_order.cells:
        want.append(shown(in_order.page.run(cell["source"], cell["id"])))
        assume(in_order.page.status == "ok")
    reader = Reader(in_order.cells)
    for place in presses:
        place %= len(sources)
        assert reader.press(place) == want[place], (sources, presses)


def test_reset_empties_the_namespace(page: Page) -> None:
    page.run("a = 1")
    page.session.reset()
    assert page.error("a")["name"] == "NameError"
    assert page.text("print(display is not None)") == "True\n"


def test_a_missing_module_says_what_there_is(page: Page) -> None:
    error = page.error("import numpy_of_another_world")
    assert error["text"].splitlines()[-2:] == [
        "ModuleNotFoundError: No module named 'numpy_of_another_world'",
        "In the page there is the standard library, without what needs threads, "
        "processes or sockets, and the packages that this site brings along.",
    ]


def test_an_unknown_cell_is_named(page: Page) -> None:
    with pytest.raises(KeyError, match="no cell is called 'x'"):
        page.session.plan([{"id": "c1", "source": ""}], "x")


# ---------------------------------------------------------------- as the build shows


def live_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [
        {**cell, "source": "".join(cell["source"])}
        for cell in cells
        if cell["cell_type"] == "code" and "live" in cell["metadata"].get("tags", ())
    ]


def committed(cell: dict[str, Any]) -> list[tuple[str, str]]:
    out = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            out.append((output["name"], "".join(output["text"])))
        else:
            data = output["data"]
            mime = "text/html" if "text/html" in data else "text/plain"
            out.append((mime, "".join(data[mime])))
    return out


def shown(outputs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    out = []
    for output in outputs:
        if output["kind"] == "stream":
            out.append((output["name"], output["text"]))
        elif output["kind"] == "display":
            data = output["data"]
            mime = "text/html" if "text/html" in data else "text/plain"
            out.append((mime, data[mime]))
        else:
            out.append((output["kind"], output.get("text", "")))
    return out


NOTEBOOKS = [
    path for path in sorted(ROOT.glob("notebooks/*.ipynb")) if live_cells(path)
]


def test_there_are_notebooks_to_compare() -> None:
    assert NOTEBOOKS


def run_apart(cells: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Run cells as the build does, in a process of their own."""
    request = {
        "limit": 100_000,
        "cells": [
            {"id": cell["id"], "label": cell["id"], "source": cell["source"]}
            for cell in cells
        ],
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "src" / "livecells" / "runner.py")],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answer: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_live_cells_give_the_committed_outputs(notebook: Path) -> None:
    cells = live_cells(notebook)
    outputs = run_apart(cells)
    for cell in cells:
        assert shown(outputs[cell["id"]]) == committed(cell), cell["id"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_pressed_in_any_order_give_the_committed_outputs(
    notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without handlers a warning goes to stderr, as it does in a page.
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    cells = live_cells(notebook)
    places = [place % len(cells) for place in range(0, 7 * len(cells), 7)]
    reader = Reader(cells)
    for place in [*reversed(range(len(cells))), *places]:
        cell = cells[place]
        assert reader.press(place) == committed(cell), cell["id"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_cell_with_what_it_needs_gives_the_committed_output(notebook: Path) -> None:
    cells = live_cells(notebook)
    byname = {cell["id"]: cell for cell in cells}
    session = Session(lambda output: None)
    # Every fourth one, each in a process of its own: the sample varies with the book.
    for cell in cells[3::4]:
        needed = [byname[name] for name in session.plan(cells, cell["id"])]
        assert shown(run_apart(needed)[cell["id"]]) == committed(cell), cell["id"]


IN_NODE = """
import { readFileSync } from "node:fs";
const [, , place, source, wheelhouse, request] = process.argv;
const { loadPyodide } = await import(`${place}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${place}/` });
python.FS.mkdirTree("/book");
python.FS.mount(python.FS.filesystems.NODEFS, { root: wheelhouse }, "/book");
python.FS.writeFile("/home/pyodide/livecells_runtime.py", readFileSync(source, "utf8"));
python.globals.set("request", readFileSync(request, "utf8"));
console.log(await python.runPythonAsync(`
import json, sys
sys.path[:0] = ["/book", "/home/pyodide"]
from livecells_runtime import Session
answers = []
for cells in json.loads(request):
    outputs = []
    session = Session(outputs.append)
    for cell in cells:
        outputs.clear()
        await session.run_cell(cell["id"], cell["id"], cell["source"])
        answers.append(list(outputs))
json.dumps(answers)
`));
"""


def test_live_cells_give_the_committed_outputs_in_pyodide(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (PYODIDE / "pyodide.mjs").is_file():
        need("Pyodide or Node is not installed: run npm ci")
    notebooks = [live_cells(path) for path in NOTEBOOKS]
    request = [
        [{"id": cell["id"], "source": cell["source"]} for cell in cells]
        for cells in notebooks
    ]
    (tmp_path / "request.json").write_text(json.dumps(request), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(IN_NODE, encoding="utf-8")
    done = subprocess.run(
        [
            node,
            str(tmp_path / "run.mjs"),
            str(PYODIDE),
            str(ROOT / "src" / "livecells" / "runtime.py"),
            str(ROOT / "src"),
            str(tmp_path / "request.json"),
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers = json.loads(done.stdout.strip().splitlines()[-1])
    cells = [cell for cells in notebooks for cell in cells]
    for cell, outputs in zip(cells, answers, strict=True):
        assert shown(joined(outputs)) == committed(cell), cell["id"]
