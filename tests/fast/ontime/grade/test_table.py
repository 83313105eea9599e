"""The table of grades."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from ontime.grade.table import COLUMNS, Row, as_csv, safe, write

ROW = Row("a.ipynb", "04-fix", "passed", "yes", "apart")


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "|calc", "\t=1", "\r=1", " \n =1", "\0=1", "%x"],
)
def test_no_cell_is_a_formula(text: str) -> None:
    ((found, *_),) = list(csv.reader(io.StringIO(as_csv([Row(text, *ROW_REST)]))))[1:]
    assert found[0] == "'"


ROW_REST = ("04-fix", "passed", "yes", "apart")


def test_a_cell_is_one_short_line() -> None:
    assert safe("a\nb\u2028c\u202ed\x1b[0m") == "a b c d [0m"
    assert len(safe("x" * 10**6)) == 300
    assert safe("\ud800") == ""
    assert safe("0.5 s, 'so'") == "0.5 s, 'so'"


def test_it_is_read_back() -> None:
    text = as_csv([Row('a,"b".ipynb', *ROW_REST), ROW])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == list(COLUMNS)
    assert rows[0]["submission"] == 'a,"b".ipynb'
    assert rows[1] == {"submission": "a.ipynb"} | dict(
        zip(COLUMNS[1:], ROW_REST, strict=True)
    )


def test_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grades.csv"
    write(path, [ROW])
    old = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write(path, [])
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link, chain = (tmp_path / name for name in ("real", "link", "chain"))
    real.write_text("old")
    link.symlink_to(real.name)
    chain.symlink_to(link)
    write(chain, [ROW])
    assert chain.is_symlink()
    assert link.is_symlink()
    assert real.read_bytes() == as_csv([ROW]).encode()
    dangling = tmp_path / "dangling"
    dangling.symlink_to("new")
    write(dangling, [])
    assert (tmp_path / "new").read_bytes() == as_csv([]).encode()
    assert dangling.is_symlink()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs /dev/fd")
def test_an_open_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    # As /dev/stdout is one where the output goes into a file.
    path = tmp_path / "log"
    with path.open("wb") as log:
        before = os.fstat(log.fileno())
        log.write(b"before\n")
        log.flush()
        write(Path(f"/dev/fd/{log.fileno()}"), [ROW])
        assert path.stat().st_ino == before.st_ino
    assert path.read_bytes() == b"before\n" + as_csv([ROW]).encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    write(path, [ROW])
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    path.chmod(0o640)
    write(path, [ROW])
    assert path.stat().st_mode & 0o777 == 0o640
