"""The gradebook and the pages of feedback."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from ontime.grade import Grade
from ontime.grade.table import Row, Table, feedback, safe

NAMES = ["04-predict", "04-fix", "04-make"]
ROW = Row(
    "Ada",
    ["a.ipynb"],
    grades={"04-predict": Grade("passed", ""), "04-fix": Grade("not yet", "1 s late")},
)


def write(path: Path, *rows: Row) -> None:
    table = Table(path, NAMES)
    for row in rows:
        table.add(row)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "|calc", "\t=1", "\r=1", " \n =1", "\0=1", "%x"],
)
def test_no_cell_is_a_formula(tmp_path: Path, text: str) -> None:
    write(tmp_path / "grades.csv", Row(text, []))
    assert read(tmp_path / "grades.csv")[0]["student"][0] == "'"


def test_a_cell_is_one_short_line() -> None:
    assert safe("a\nb\u2028c\u202ed\x1b[0m") == "a b c d [0m"
    assert len(safe("x" * 10**6)) == 300
    assert safe("\ud800") == ""
    assert safe("0.5 s, 'so'") == "0.5 s, 'so'"


def test_a_student_a_row(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    write(path, ROW, Row('a,"b"', ["x"], unreadable=["it is empty"]))
    first, second = read(path)
    assert (first["student"], first["points"], first["of"]) == ("Ada", "1", "6")
    assert [first[name] for name in NAMES] == ["1", "0", "0"]
    assert first["remarks"] == "04-fix not yet"
    assert (second["student"], second["points"]) == ('a,"b"', "0")
    assert second["remarks"] == "unreadable: it is empty"


def test_a_row_is_there_as_soon_as_it_was_added(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    write(path, ROW, ROW)
    table = Table(path, NAMES)  # the old one is replaced
    table.add(ROW)
    assert len(read(path)) == 1


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link, chain = (tmp_path / name for name in ("real", "link", "chain"))
    real.write_text("old")
    link.symlink_to(real.name)
    chain.symlink_to(link)
    write(chain, ROW)
    assert chain.is_symlink()
    assert link.is_symlink()
    assert len(read(real)) == 1


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs /dev/fd")
def test_an_open_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    # As /dev/stdout is one where the output goes into a file.
    path = tmp_path / "log"
    with path.open("wb") as log:
        before = os.fstat(log.fileno())
        log.write(b"before\n")
        log.flush()
        write(Path(f"/dev/fd/{log.fileno()}"), ROW)
        assert path.stat().st_ino == before.st_ino
    assert path.read_bytes().startswith(b"before\nstudent,points")
    assert list(tmp_path.iterdir()) == [path]


def test_a_page_of_feedback(tmp_path: Path) -> None:
    row = Row("../<Ada>", [], unreadable=["<i>"])
    row.grades["04-fix"] = Grade("error", "<b>\u202e1 & 2</b>")
    page = feedback(tmp_path, row, NAMES)
    assert page.parent == tmp_path
    text = page.read_text("utf-8")
    assert "&lt;b&gt; 1 &amp; 2" in text
    assert "&lt;i&gt;" in text
    assert "<Ada>" not in text
    assert "0 of 6 points" in text
    assert feedback(tmp_path, row, NAMES) == page, "a second run replaces the page"
    assert feedback(tmp_path, Row("...", []), NAMES).name == "_.html"
