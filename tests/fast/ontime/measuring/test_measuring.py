"""What a measurement needs besides processes: counters, the machine, a table."""

from __future__ import annotations

import json
import os
import platform
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ontime.cost import Cost, CostTable
from ontime.measuring import counters, fresh, processes
from ontime.measuring.counters import COUNTERS, Counter, first_that_counts
from ontime.measuring.machine import machine, usable_cores


@pytest.mark.parametrize(
    ("counter", "text", "number"),
    [
        (1, "==7== I   refs:      313,146,377\n", 313_146_377),
        (1, "==7== I refs: 12\n", 12),
        (1, "valgrind: no such tool", None),
        (0, "1234567;;instructions:u;100;100.00;;\n", 1_234_567),
        (0, "<not supported>;;instructions:u;0;100.00;;\n", None),
    ],
)
def test_what_a_counter_prints_is_read(
    counter: int, text: str, number: int | None
) -> None:
    assert COUNTERS[counter].find(text) == number


def test_the_first_that_counts_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Counter("nowhere", ("no-such-counter",), r"(\d+)")
    printed = {"hangs": "", "fails": "7", "silent": "nothing", "counts": "12"}
    tools = [Counter(name, (sys.executable, name), r"(\d+)") for name in printed]
    asked = []

    def run(words: Sequence[str], env: object, timeout: float) -> CompletedProcess[str]:
        asked.append(words[1])
        if words[1] == "hangs":
            raise TimeoutError
        return CompletedProcess(words, words[1] == "fails", "", printed[words[1]])

    monkeypatch.setattr(processes, "run", run)
    monkeypatch.setattr(counters, "COUNTERS", [nowhere, *tools])
    assert first_that_counts({}, 5) is tools[-1]
    assert asked == list(printed)
    monkeypatch.setattr(counters, "COUNTERS", [nowhere, *tools[:-1]])
    assert first_that_counts({}) is None


def test_the_machine_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    words = machine("pytest", "no-such-package")
    assert words["python"] == f"Python {platform.python_version()}"
    assert words["cores"] == "1 core"
    assert words["pytest"] == f"pytest {pytest.__version__}"
    assert "no-such-package" not in words
    assert all(words.values()) and "build" not in words
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1)
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert machine()["build"] == "free-threaded build, GIL off"
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert usable_cores() == 7


def test_a_table_is_kept_and_read_again_and_its_rows_have_names(tmp_path: Path) -> None:
    row = Cost("ä", "asyncio", (1e-6,), (2e-6,), 10)
    table = CostTable(
        (row, Cost("b", "asyncio", unavailable="no")),
        {"cores": "2 cores"},
        "ä",
        "Look.",
    )
    path = tmp_path / "table.json"
    table.save(path)
    assert CostTable.load(path) == table
    assert json.loads(path.read_text("utf-8"))["rows"][0]["name"] == "ä"
    assert table["b"] is list(table)[1]
    with pytest.raises(KeyError, match="no row 'c'; there are ä, b"):
        table["c"]


def test_who_measures_in_a_measurement_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script without a guard would do so without an end."""
    monkeypatch.setattr(os, "environ", fresh.environ())
    with pytest.raises(RuntimeError, match='under if __name__ == "__main__"'):
        fresh.call("a:b", None, name="b", timeout=1)


def test_a_clean_interpreter_has_no_setting_that_slows_asyncio(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    monkeypatch.setenv("A_WORD", "stays")
    kept = fresh.environ()
    assert "PYTHONASYNCIODEBUG" not in kept
    assert (kept["A_WORD"], kept["PYTHONHASHSEED"]) == ("stays", "0")
