"""Which cells run before another one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import livecells.runtime
from tests.fast.livecells.runtime.pages import Page, Reader, shown
from tests.fast.livecells.runtime.test_needs import CASES

IN_PYODIDE = """
import { loadPyodide } from "%(module)s";
import { readdirSync, readFileSync } from "node:fs";
const python = await loadPyodide({ indexURL: "%(pyodide)s/" });
python.FS.mkdirTree("/code/livecells_runtime");
for (const name of readdirSync("%(runtime)s").filter((one) => one.endsWith(".py")))
  python.FS.writeFile(
    "/code/livecells_runtime/" + name, readFileSync("%(runtime)s/" + name));
python.globals.set("cases", readFileSync(0, "utf8"));
console.log(python.runPython(`
import json, sys
sys.path.insert(0, "/code")
from livecells_runtime import Session
def plan(sources):
    cells = [{"id": str(i), "source": source} for i, source in enumerate(sources)]
    found = Session(print).plan(cells, cells[-1]["id"])
    return [int(name) for name in found]
json.dumps([plan(sources) for sources in json.loads(cases)])`));
"""


def test_the_python_of_a_page_finds_the_same(node_modules: Path) -> None:
    """Its version is another one, whose table of names may be, too."""
    node = shutil.which("node")
    assert node is not None
    parts = {
        "module": (node_modules / "pyodide" / "pyodide.mjs").as_uri(),
        "pyodide": (node_modules / "pyodide").as_posix(),
        "runtime": Path(livecells.runtime.__file__).parent.as_posix(),
    }
    done = subprocess.run(
        [node, "--input-type=module", "--eval", IN_PYODIDE % parts],
        input=json.dumps([sources for sources, _ in CASES]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    wrong = [
        (*case, plan)
        for case, plan in zip(CASES, found, strict=True)
        if plan != case[1]
    ]
    assert not wrong


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
@settings(max_examples=400)
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
