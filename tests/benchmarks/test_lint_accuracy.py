"""The accuracy of the linter: its arithmetic, its data, the published table.

Nothing is fetched here.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks.lint_accuracy import __main__ as command
from benchmarks.lint_accuracy import accuracy, corpus
from benchmarks.lint_accuracy.accuracy import Found, Judgement, Row
from benchmarks.lint_accuracy.advice import __main__ as advising
from looplab.lint.explain import sections
from tools.common import ToolError


def found(line: int, code: str, severity: str = "error") -> Found:
    return Found(("p", "f.py", line), code, severity, code.lower())


TRUTH = {
    ("p", "f.py", 1): Judgement("channel", True, ""),
    ("p", "f.py", 2): Judgement("channel", True, ""),
    ("p", "f.py", 3): Judgement("channel", False, ""),
    ("p", "f.py", 4): Judgement("channel", True, ""),
    ("p", "f.py", 5): Judgement("poll", True, ""),
    ("p", "f.py", 6): Judgement("poll", False, ""),
}


def test_precision_and_recall():
    some = [
        found(1, "LAG101"),
        found(2, "LAG101", "warning"),
        found(3, "LAG101"),
        found(5, "LAG201"),
        found(6, "LAG203"),
    ]
    table = {row.name: row for row in accuracy.rows(some, TRUTH)}
    errors = table["LAG101, errors"]
    assert (errors.found, errors.right, errors.there) == (2, 1, 3)
    assert (errors.precision, errors.recall) == (0.5, 1 / 3)
    every = table["LAG101, errors and warnings"]
    assert (every.precision, every.recall) == (2 / 3, 2 / 3)
    polls = table["LAG201 and LAG203, polls"]
    assert (polls.precision, polls.recall) == (0.5, 1)
    notes = table["LAG102: rightly a note"]
    assert (notes.precision, notes.recall, notes.there) == (None, None, None)


def test_what_nothing_finds():
    some = [found(1, "LAG101"), found(2, "LAG102"), found(4, "LAG203")]
    places = [where[2] for where, _ in accuracy.missed(some, TRUTH)]
    assert places == [4, 5]


def test_two_findings_of_one_place_count_once():
    some = [found(5, "LAG201"), found(5, "LAG203")]
    table = {row.name: row for row in accuracy.rows(some, TRUTH)}
    assert table["LAG201 and LAG203, polls"].found == 1


def test_what_nobody_has_judged():
    assert accuracy.unjudged([found(1, "LAG101")], TRUTH) == []
    new, other = found(9, "LAG101"), found(5, "LAG101")
    assert accuracy.unjudged([new, other], TRUTH) == [new, other]


def test_a_place_that_is_judged_twice(tmp_path):
    one = '[[place]]\nproject="p"\nfile="f"\nline=1\nkind="poll"\nright=true\nwhy="."\n'
    path = tmp_path / "judgements.toml"
    path.write_text(one * 2, encoding="utf-8")
    with pytest.raises(ToolError, match="twice"):
        accuracy.judged(path)


def test_the_data():
    truth = accuracy.judged()
    assert len(truth) > 100
    pinned = corpus.PROJECTS.read_text(encoding="utf-8")
    pins = re.findall(r"^([a-z0-9.-]+)==\S+ --hash=sha256:[0-9a-f]{64}$", pinned, re.M)
    assert len(pins) == len(set(pins)) >= 30
    assert len(pins) == len([x for x in pinned.splitlines() if x[:1] not in ("#", "")])
    for (name, file, line), one in truth.items():
        assert name in pins
        assert file.endswith(".py")
        assert line > 0
        assert one.kind in accuracy.KINDS.values()
        assert one.why.endswith(".")
        assert len(one.why) > 20
    for kind in ("channel", "poll"):
        assert {one.right for one in truth.values() if one.kind == kind} == {
            True,
            False,
        }


def test_the_published_table():
    results = json.loads(command.RESULTS.read_text(encoding="utf-8"))
    assert command.TABLE.read_text(encoding="utf-8") == command.table(results)
    assert results["judged"] == len(accuracy.judged())
    names = [row["name"] for row in results["rows"]]
    assert names == [row.name for row in accuracy.rows([], {})]
    assert set(command.AIMS) <= set(names)
    truth = accuracy.judged()
    right = {"/".join(x[:2]) + f":{x[2]}" for x, one in truth.items() if one.right}
    missed = [one["place"] for one in results["missed"]]
    assert set(missed) <= right
    (row,) = [x for x in results["rows"] if x["name"].startswith("by the letter")]
    channels = [one for one in results["missed"] if one["kind"] == "channel"]
    assert len(channels) == row["there"] - row["right"]


def test_a_row_without_findings():
    row = Row("x", 0, 0, 0)
    assert (row.precision, row.recall) == (None, None)


def test_a_finding_that_nobody_judged_is_one_clear_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "fetch", lambda _: {"p": tmp_path})
    monkeypatch.setattr(command, "lint", lambda _: ([found(9, "LAG101")], {}))
    assert command.main(["--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "nobody has judged these" in said
    assert "LAG101 p/f.py:9" in said


def test_pip_fails_with_one_clear_line(monkeypatch, tmp_path):
    class Done:
        returncode = 1
        stderr = "what happened\nERROR: why\n"

    monkeypatch.setattr(corpus.subprocess, "run", lambda *_, **__: Done())
    with pytest.raises(ToolError, match="pip could not fetch the projects: ERROR: why"):
        corpus.fetch(tmp_path)


def test_the_names_of_projects():
    assert corpus.project("Aio_Pika-10.2.1-py3-none-any.whl") == "aio-pika"


# -- the advice, applied -------------------------------------------------------------


def test_each_advice_has_its_patch_its_program_and_its_judgement():
    every = advising.advice()
    assert len(every) >= 10
    assert len({one.name for one in every}) == len(every)
    rooms = sorted((advising.HERE / "drivers").glob("*.py"))
    programs = "".join(path.read_text(encoding="utf-8") for path in rooms)
    truth = accuracy.judged()
    for one in every:
        assert f"async def {one.name}()" in programs
        patch = one.patch.read_text(encoding="utf-8")
        path = f"{one.project}/{one.file}"
        assert patch.startswith(f"--- a/{path}\n+++ b/{path}\n")
        assert one.section in sections()
        assert truth[one.project, one.file, one.line].right
    patches = {path.stem for path in advising.HERE.glob("*.patch")}
    assert patches == {one.name for one in every}
    assert advising.TABLE.read_text(encoding="utf-8") == advising.table(every)


BEFORE = """\
import asyncio
queue = asyncio.Queue()
async def produce(source):
    async for item in source:
        await queue.put(item)
"""
PATCH = """\
--- a/lib/lib.py
+++ b/lib/lib.py
@@ -1,3 +1,3 @@
 import asyncio
-queue = asyncio.Queue()
+queue = asyncio.Queue(maxsize=1)
 async def produce(source):
"""
PROGRAM = "import lib\nprint(lib.queue.maxsize or 99)\n"


@pytest.fixture
def trial(tmp_path, monkeypatch):
    """Try the advice on a library of one file."""
    source, here = tmp_path / "lib", tmp_path / "here"
    source.mkdir()
    here.mkdir()
    monkeypatch.setattr(advising, "HERE", here)

    def run(before=BEFORE, patch=PATCH, program=PROGRAM, section="lag101-await"):
        (source / "lib.py").write_text(before, encoding="utf-8")
        (here / "x.patch").write_text(patch, encoding="utf-8")
        (here / "drivers").mkdir(exist_ok=True)
        (here / "drivers" / "__main__.py").write_text(program, encoding="utf-8")
        one = advising.Advice("x", "lib", "lib.py", 2, section)
        return advising.tried(one, source, Path(sys.executable))

    return run


def test_advice_that_works(trial):
    assert trial() == (99, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"program": "import lib\nassert not lib.queue.maxsize\nprint(9)"},
            "x fails: ",
        ),
        ({"program": "print(9)"}, "x: 9 before, 9 after"),
        ({"patch": PATCH.replace("maxsize=1", "maxsize=0")}, "is still found"),
        ({"patch": PATCH.replace(" import", " imp")}, "the patch does not apply"),
        ({"section": "lag101-nowait"}, "lag101-nowait is not found in line 2"),
    ],
)
def test_advice_that_does_not(trial, changed, said):
    with pytest.raises(ToolError, match=re.escape(said)):
        trial(**changed)
