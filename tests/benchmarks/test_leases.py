"""The record of the consumer in real time: what the command keeps, and the kept file.

Nothing here asserts a speed: a loaded machine must not fail it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import leases
from ontime.leases import LeaseSettings

SMALL = LeaseSettings(messages=1, rounds=2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RUNS", {"one": (SMALL, lambda: None, 2)})
    monkeypatch.setattr(leases, "free_cores", lambda: 1.234)


@pytest.mark.usefixtures("small")
def test_it_keeps_each_run_with_its_times_unscaled(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert leases.main(["--save", str(path)]) == 0
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["scale"] == leases.SCALE
    assert len(record["runs"]["one"]) == 2
    for run in record["runs"]["one"]:
        assert run["messages"] == 1
        assert run["free"] == [1.23, 1.23]
        assert run["makespan"] > 0.25 + 2 * 2  # received, and two rounds of 2 s


@pytest.mark.usefixtures("small")
def test_it_keeps_what_the_record_has_of_others(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text('{"runs": {"other": [1]}}', encoding="utf-8")
    assert leases.main(["--save", str(path), "--only", "one"]) == 0
    assert set(json.loads(path.read_text(encoding="utf-8"))["runs"]) == {"other", "one"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--save", "/nowhere/x.json"], "there is no folder /nowhere"),
        (["--only", "E9"], "invalid choice: 'E9'"),
    ],
)
def test_bad_options(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        leases.main(words)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_the_kept_record_has_every_run() -> None:
    record = json.loads(leases.RECORD.read_text(encoding="utf-8"))
    assert record["scale"] == leases.SCALE
    assert list(record["runs"]) == list(leases.RUNS)
    for name, (settings, _, times) in leases.RUNS.items():
        kept = record["runs"][name]
        assert len(kept) == times
        assert {run["messages"] for run in kept} == {settings.messages}
