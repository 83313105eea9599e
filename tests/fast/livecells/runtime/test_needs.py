"""Which cells run before another one."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from livecells.runtime.names import Names
from tests.fast.livecells.runtime.pages import Page, Reader, shown


def plan(page: Page, *sources: str) -> list[int]:
    """The places of the cells that run for the last one."""
    cells = [{"id": f"c{i}", "source": source} for i, source in enumerate(sources)]
    return [int(name[1:]) for name in page.session.plan(cells, cells[-1]["id"])]


CASES: list[tuple[list[str], list[int]]] = [
    (cells.replace("\\n", "\n").split(" | "), [int(place) for place in plan.split()])
    for line in Path(__file__).with_name("needs.txt").read_text("utf-8").splitlines()
    for cells, arrow, plan in [line.partition(" -> ")]
    if arrow
]


@pytest.mark.parametrize(("sources", "expected"), CASES)
def test_a_cell_needs_what_binds_or_may_change_its_names(
    page: Page, sources: list[str], expected: list[int]
) -> None:
    assert plan(page, *sources) == expected


def test_a_cell_that_waits_is_understood_on_python_3_14(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There the table of names refuses ``await`` outside of functions."""
    whole = symtable.symtable

    def strict(source: str, *words: str) -> symtable.SymbolTable:
        compile(source, "cell", "exec")  # refuses it in every version
        return whole(source, *words)

    monkeypatch.setattr(symtable, "symtable", strict)
    found = Names("import a\nasync with a.b() as c:\n    d = [await e, await c]")
    assert not found.is_opaque
    assert found.reads == {"a", "c", "e"}
    assert Names("def f(): await a").is_opaque  # as it is wrong everywhere


def test_where_python_cannot_import_any_more_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What rewrites a cell that waits is imported when it is first needed."""

    def unparse(_: object) -> str:
        raise ImportError("no module named _ast_unparse")

    monkeypatch.setattr(ast, "unparse", unparse)
    assert Names("await a").is_opaque
    assert not Names("async def f(): await a").is_opaque


def test_an_unknown_cell_is_named(page: Page) -> None:
    with pytest.raises(KeyError, match="no cell is called 'x'"):
        page.session.plan([{"id": "c1", "source": ""}], "x")


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


def numbered(*sources: str) -> Reader:
    return Reader([{"id": f"c{i}", "source": s} for i, s in enumerate(sources)])


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
@settings(max_examples=100)
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


def test_a_missing_module_says_what_there_is() -> None:
    page = Page(packages=["mine", "other"])
    error = page.error("import numpy_of_another_world")
    assert error["text"].splitlines()[-2:] == [
        "ModuleNotFoundError: No module named 'numpy_of_another_world'",
        "In the page there is the standard library and mine, other, without what needs "
        "threads, processes or sockets.",
    ]
