"""The pins, and the environments that are made of them."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.fast.book.spinning_loop.example import (
    environments,
    programs,
)


def test_the_pins_are_exact_and_of_their_time() -> None:
    old, new = environments.pins("old"), environments.pins("new")
    assert (old["fastapi"], old["starlette"]) == ("0.110.0", "0.36.3")
    assert tuple(map(int, new["starlette"].split("."))) >= (0, 45, 1)
    assert {"anyio", "httpx"} <= set(old)
    assert set(environments.pins("tools")) == {"py-spy"}


@pytest.mark.parametrize("line", ["fastapi", "fastapi>=0.110", "fastapi=="])
def test_a_pin_that_is_not_exact(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "HERE", tmp_path)
    (tmp_path / "requirements-old.txt").write_text(f"# pins\n\n{line}\n", "utf-8")
    with pytest.raises(programs.CaptureError, match=r"not of the form name==1\.2\.3"):
        environments.pins("old")


def test_no_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "HERE", tmp_path)
    with pytest.raises(programs.CaptureError, match=r"requirements-old\.txt cannot be"):
        environments.ensure("old", tmp_path)


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by "
            "'NewConnectionError(...): [Errno 111] Connection refused'\n"
            "ERROR: No matching distribution found for fastapi==0.110.0",
            "skipped",
            "the package index cannot be reached",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement x==9 "
            "(from versions: 1, 2)\nERROR: No matching distribution found for x==9",
            "skipped",
            "the package index has no x==9",
        ),
        ("ERROR: ResolutionImpossible: for help visit", "failed", "contradict"),
        ("ERROR: [Errno 28] No space left on device", "failed", "the disk is full"),
        ("notice\nERROR: something else\nhint", "failed", "ERROR: something else"),
        ("", "failed", "it said nothing"),
    ],
)
def test_what_pip_means(words: str, kind: str, message: str) -> None:
    error = environments._reason("old", words)
    assert isinstance(error, programs.SkippedError) is (kind == "skipped")
    assert message in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (
            (3, 12),
            r"for Python 3\.12 .*\): point PIP_INDEX_URL at an index that has it$",
        ),
        (
            (3, 13),
            r"for Python 3\.13 .*\): use Python 3\.12, or point PIP_INDEX_URL at",
        ),
    ],
)
def test_the_python_that_runs_is_not_proposed(
    version: tuple[int, int], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments.sys, "version_info", version)
    error = environments._reason(
        "old", "ERROR: No matching distribution found for x==9"
    )
    assert re.search(words, str(error))


def a_made_environment(side: str, venv: Path) -> None:
    """Stands in for the creation."""
    python = environments.python_of(venv)
    python.parent.mkdir(parents=True)
    python.touch()


def test_an_environment_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def create(side: str, venv: Path) -> None:
        assert not (venv / environments.STAMP).exists()  # it is written last
        made.append(side)
        shutil.rmtree(venv, ignore_errors=True)
        a_made_environment(side, venv)

    monkeypatch.setattr(environments, "_create", create)
    said: list[str] = []
    first = environments.ensure("old", tmp_path, said.append)
    assert first.exists()
    assert environments.ensure("old", tmp_path, said.append) == first
    assert made == ["old"]
    assert len(said) == 1
    assert said[0].startswith("making the environment old-")
    # Other pins, another environment.
    other = tmp_path / "pins"
    other.mkdir()
    (other / "requirements-old.txt").write_text("fastapi==0.1\n", "utf-8")
    monkeypatch.setattr(environments, "HERE", other)
    (first.parent.parent / environments.STAMP).rename(tmp_path / "stamp")
    environments.ensure("old", tmp_path, said.append)
    assert made == ["old", "old"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_creation_that_is_cut_short_leaves_nothing(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(side: str, venv: Path) -> None:
        a_made_environment(side, venv)
        raise error

    monkeypatch.setattr(environments, "_create", create)
    with pytest.raises(error):
        environments.ensure("old", tmp_path, None)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(programs.CaptureError, match="give another with --folder"):
        environments.ensure("old", tmp_path / "file" / "envs", None)


def test_a_link_is_not_removed(tmp_path: Path) -> None:
    tag = f"old-{sys.version_info.major}.{sys.version_info.minor}"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        tag += "t"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / tag).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(programs.CaptureError, match="is a link"):
        environments._create("old", tmp_path / tag)
    assert (tmp_path / "elsewhere").is_dir()
