"""What a record of a measurement needs, whoever measures."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from pathlib import Path

import pytest

from ontime.measuring.records import machine, record_path, usable_cores


def test_a_place_for_a_record(tmp_path: Path) -> None:
    assert record_path(str(tmp_path / "table.json")) == tmp_path / "table.json"


def test_no_place_for_a_record(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    for name, says in {
        "table.txt": r"table\.txt' must end in \.json",
        "table": r"table' must end in \.json",
        "folder.json": r"folder\.json' is a folder: give the name of a file in it",
    }.items():
        with pytest.raises(ValueError, match=says):
            record_path(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"no folder '.*absent': make it"):
        record_path(tmp_path / "absent" / "table.json")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.json"]


def test_the_machine_in_words() -> None:
    words = machine("pytest", "no-such-package")
    assert words["python"] == f"Python {platform.python_version()}"
    assert words["cores"].startswith(str(usable_cores()))
    assert words["pytest"] == f"pytest {pytest.__version__}"
    assert "no-such-package" not in words
    assert all(words.values())


def test_cores_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert usable_cores() == 1
    assert machine()["cores"] == "1 core"
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cores() == 1


@pytest.mark.parametrize(
    ("built", "enabled", "said"),
    [
        (1, False, "free-threaded build, GIL off"),
        (1, True, "free-threaded build, GIL on"),
        (1, None, "free-threaded build, GIL on"),
        (0, None, None),
        (None, None, None),
    ],
)
def test_machine_names_a_free_threaded_build(
    built: int | None,
    enabled: bool | None,
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = sysconfig.get_config_var
    monkeypatch.setattr(
        sysconfig,
        "get_config_var",
        lambda name: built if name == "Py_GIL_DISABLED" else ask(name),
    )
    if enabled is None:
        monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    else:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: enabled, raising=False)
    assert machine().get("build") == said
