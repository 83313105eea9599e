"""The file: its bound, its two formats, and what reading one imports."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

import looplab
from looplab import burn
from looplab.diagnose import NotATraceError, load, loads, record
from looplab.diagnose.options import Options, bytes_of, seconds_of
from looplab.diagnose.report import report
from looplab.diagnose.store import Store
from tests.looplab.diagnose.files import save


async def main():
    async def hog():
        await asyncio.sleep(0.05)
        burn(1)

    asyncio.current_task().set_name("a name")
    await asyncio.gather(hog(), asyncio.sleep(0.1))


def notes(count, first):
    """Notes of callbacks that ran one after the other."""
    rest = (None, None, None, True)  # due, set, arrived, accepted
    return [
        (
            n * 1000,
            0,
            n - 1,
            n * 1000,
            f"Task-{n}",
            "work",
            *rest,
            n * 1000 + 500,
            400,
            0,
        )
        for n in range(first, first + count)
    ]


def test_a_recording_comes_back_as_it_was(tmp_path):
    recording = record(main())
    [again] = load(save(recording, tmp_path / "t.jsonl"))
    assert again.complete
    assert again.clock == "virtual"
    assert [one.run_ns for one in again] == [one.run_ns for one in recording]
    for one, other in zip(recording, again, strict=True):
        assert (one.ready_ns, one.due_ns, one.set_ns) == (
            other.ready_ns,
            other.due_ns,
            other.set_ns,
        )
        assert (one.by, one.cause, one.task) == (other.by, other.cause, other.task)
    assert again.blame()[0].waited == recording.blame()[0].waited


def test_any_end_of_a_file_can_be_missing(tmp_path):
    text = save(record(main()), tmp_path / "t.jsonl").read_text(encoding="utf-8")
    whole = len(loads(text)[0])
    for end in range(len(text)):
        try:
            [recording] = loads(text[:end])
        except NotATraceError as exc:
            assert "no callback" in str(exc) or "not a trace" in str(exc)
        else:
            assert len(recording) <= whole


def test_disk_is_bounded_and_what_is_left_is_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    store = Store(Options(str(path), max_bytes=100_000), {"clock": "real"}, 0)
    for first in range(0, 50_000, 100):
        part = {"rows": (first, max(0, first * 1000 - 500), notes(100, first))}
        store.write(1, part)
        store.flush()
        assert sum(one.stat().st_size for one in tmp_path.iterdir()) < 120_000
    store.close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["t.jsonl", "t.jsonl.1"]
    [recording] = load(path)
    assert recording.dropped > 0
    assert [one.index for one in recording] == list(range(recording.dropped, 50_000))
    last = recording[-1]
    assert (last.task, last.code.name, last.run_ns) == ("Task-49999", "work", 49999000)
    assert "older callbacks were dropped" in report(recording)


def test_the_first_format_is_read_too(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(looplab.record(main()).to_json(), encoding="utf-8")
    [recording] = load(path)
    assert recording.blame()[0].name == "hog"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("200ms", 0.2),
        ("30s", 30),
        ("5m", 300),
        ("1h", 3600),
        ("0.5", 0.5),
        ("7µs", 7e-6),
    ],
)
def test_times(text, seconds):
    assert seconds_of(text) == pytest.approx(seconds)


def test_sizes():
    assert bytes_of("500MB") == 500_000_000
    assert bytes_of("2G") == 2_000_000_000
    for text in ("", "12", "many", "-1G"):
        with pytest.raises(ValueError, match="is not a size"):
            bytes_of(text)


def test_reading_needs_nothing_that_a_browser_lacks():
    code = """
import sys
import looplab.diagnose as room
from looplab.diagnose import blame, endpoints, load, predict, record, replay, requests
import looplab.diagnose.report
ours = {m.rpartition('.')[2] for m in sys.modules if m.startswith('looplab.diagnose.')}
print(sorted(ours & {'session', 'launch', 'arrival', 'sampler', 'hook', 'store'}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
