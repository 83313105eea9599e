"""The file: its bound, its formats, and what reading one imports."""

from __future__ import annotations

import asyncio
import json
from contextvars import copy_context
from itertools import count

import pytest

from looplab import burn
from looplab.diagnose import (
    Callback,
    Code,
    NotATraceError,
    Recording,
    columns,
    load,
    loads,
    record,
)
from looplab.diagnose import events as ev
from looplab.diagnose.columns import pack, unpack
from looplab.diagnose.options import Options, bytes_of, seconds_of
from looplab.diagnose.recorder import BEFORE, Recorder
from looplab.diagnose.report import report
from looplab.diagnose.tags import Request
from looplab.diagnose.writer import Encoder, Store
from tests.fast.looplab.diagnose.files import save


async def main():
    async def hog():
        await asyncio.sleep(0.05)
        burn(1)

    asyncio.current_task().set_name("a name")
    await asyncio.gather(hog(), asyncio.sleep(0.1))


def notes(number, first):
    """Notes of callbacks that ran one after the other."""
    noted = []
    for n in range(first, first + number):
        at, by = n * 1000, n - 1 if n else BEFORE
        noted += at, by, at, at + 500, 4e-7, f"Task-{n}", "work", 0
    return noted


def rows(number, first):
    """The rows of a part for :meth:`Encoder.encode`."""
    return first, notes(number, first), [], []


def outside():
    """What came from outside, in all ways in which it can."""
    of = {"ended_ns": 900, "cpu_ns": 3000, "code": Code("work"), "cause": "io"}
    of |= {"by": None, "ready_ns": 5, "run_ns": 9}
    timer = {"cause": "timer", "by": 1, "due_ns": 4}
    ways = [{}, {"arrived_ns": 2}, {"accepted": False, "arrived_ns": 5}, timer]
    ways.append({"cause": "thread"})
    tasks = None, "a", "é", "Task-0007", None
    return Recording(
        [Callback(index=n, task=tasks[n], **of | way) for n, way in enumerate(ways)],
        clock="virtual",
    )


@pytest.mark.parametrize("make", [lambda: record(main()), outside])
def test_a_recording_comes_back_as_it_was(tmp_path, make):
    recording = make()
    [again] = load(save(recording, tmp_path / "t.jsonl"))
    assert (again.complete, again.clock, again.end_ns) == (
        *(True, "virtual", recording.end_ns),
    )
    for callback in recording:  # the file has its name alone
        callback.code = Code(callback.code.name)
        # The clock of CPU time also counts what the loop used between two callbacks.
        callback.cpu_ns = min(callback.cpu_ns, callback.held_ns)
    assert again.callbacks == recording.callbacks
    assert [each.waits_from_ns for each in outside()] == [5, 2, 5, 4, 5]


def test_requests_come_back_as_they_were():
    at = 2_000_000_000  # the clock of the machine when the recording began
    encoder = Encoder(at)
    recorder = Recorder(None, 1)
    recorder.now = count(at + 10, 10).__next__
    recorder.enter()
    ended = copy_context().run(Request("GET /a").begin)
    under_way = copy_context().run(Request("GET /b").begin)
    ended.name = "GET /{x}"
    ended.end()
    recorder.leave()
    names = recorder.new_names()
    assert names == [under_way]
    assert recorder.new_names() == []  # it was told
    parts = {"rows": (0, notes(1, at // 1000), [], []), "tags": names}
    head = json.dumps({"format": ev.FORMAT, "origin_ns": at})
    line = encoder.encode(1, parts | {"done": recorder.requests})
    [again] = loads(f"{head}\n{line.decode()}")
    assert again.tags == {ended.number: "GET /{x}", under_way.number: "GET /b"}
    assert again.notes == [ev.RequestNote(ended.number, -1, -1, 10, 30, None)]
    assert [each.run_ns for each in again] == [0]


def test_what_the_sampler_saw_comes_back_as_it_was():
    zero, code = 1_000_000, rows.__code__
    line = Code(code.co_qualname, code.co_filename, code.co_firstlineno + 7)
    name = Code(code.co_qualname, code.co_filename, code.co_firstlineno)
    here = code, code.co_firstlineno + 7
    stack = (code,), (0,)  # at its first instruction, which is of its first line
    threads = [("worker", 6, 7, here), ("b", 1, 2, None)]
    parts = {
        "samples": [(zero + 5, 1, 9, stack)],
        "pauses": [(1, 8)],
        "marks": [(1, zero + 4, 0, 3)],
        "windows": [(zero, zero + 9, 1, 2, 3, 4, 5, 1, threads)],
        "awaits": [(zero + 6, 3, stack, [(here, -4)])],
        "jobs": [(3, 1, zero, zero + 1, zero + 2, rows), (3, 1, zero, 0, 0, len)],
        "threads": [(zero + 9, "loop", 5, 6)],
    }
    encoder = Encoder(zero)
    head = json.dumps({"format": ev.FORMAT, "origin_ns": zero})
    lines = [{"rows": rows(1, zero // 1000)}, parts, {"end": zero + 9}]
    text = "".join([f"{head}\n", *(encoder.encode(1, one).decode() for one in lines)])
    [again] = loads(text)
    assert again.samples == [ev.Sample(5, 1, 9, (name,))]
    assert again.pauses == [ev.Pause(1, 8)]
    assert again.marks == [ev.Mark(1, 4, 0, 3)]
    others = ev.OtherThread("worker", 6, 7, line), ev.OtherThread("b", 1, 2, None)
    assert again.windows == [ev.Window(0, 9, 1, 2, 3, 4, 5, 1, others)]
    assert again.awaits == [ev.Await(6, 3, (name,), ((line, -4),))]
    unended = ev.Job(3, 1, 0, -1, -1, Code("len"))
    assert again.jobs == [ev.Job(3, 1, 0, 1, 2, name), unended]
    assert again.threads == [ev.ThreadUse(9, "loop", 5, 6)]


def test_an_equal_number_takes_memory_once():
    head = json.dumps({"format": ev.FORMAT})
    line = Encoder(0).encode(1, {"rows": rows(2, 5000)}).decode()
    first, second = loads(f"{head}\n{line}")[0]
    assert second.by is first.index
    assert first.run_ns is first.ready_ns


def test_a_damaged_line_costs_that_line():
    encoder = Encoder(0)
    parts = [{"rows": rows(3, n)} for n in (0, 3, 6)]
    lines = [encoder.encode(1, part).decode() for part in [*parts, {"end": 9000}]]
    text = [json.dumps({"format": ev.FORMAT}), *map(str.strip, lines)]
    cut = [*text[:2], text[2][:40], *text[3:]]
    [recording] = loads("\n".join(cut))
    assert [each.index for each in recording] == [0, 1, 2, 6, 7, 8]
    assert (recording.damaged, recording.complete) == (1, True)
    assert "could not be read" in report(recording)
    # What names things ends what is read: later lines would speak of wrong names.
    for wrong in '{"codes":[["other","",0', '{"codes":[7],"loop":1}':
        [recording] = loads("\n".join([*text[:2], wrong, *text[3:]]))
        assert [each.index for each in recording] == [0, 1, 2]
        assert (recording.damaged, recording.complete) == (3, False)


def test_columns():
    given = [(1, -1, 3), (1 << 62, 0, 1 << 31)]
    text = pack("qii", list(zip(*given, strict=True))).decode()
    assert text.startswith("qiq 01000000")  # where four bytes do not suffice: eight
    assert list(unpack(text)) == given
    assert list(unpack(pack("qii", [[], [], []]).decode())) == []
    assert list(unpack(pack("di", [[0.1], [2]]).decode())) == [(0.1, 2)]
    for wrong, said in (
        ("qi 00", "1 bytes are not rows of 'qi'"),
        ("", "'' are no kinds of columns"),
        ("qx 00", "'qx' are no kinds of columns"),
        ("q 0g", "non-hexadecimal"),
        ("qd " + "00" * 24, "24 bytes are not rows"),
    ):
        with pytest.raises(ValueError, match=said):
            unpack(wrong)


def test_columns_are_the_same_where_the_machine_writes_other_numbers(monkeypatch):
    numbers = [[1, -1, 1 << 40], [5, 6, 7]]
    own = pack("qi", numbers)
    monkeypatch.setattr(columns, "_HAS_LONG", False)  # as on a big-endian machine
    assert pack("qi", numbers) == own


def test_any_end_of_a_file_can_be_missing(tmp_path):
    text = save(record(main()), tmp_path / "t.jsonl").read_text(encoding="utf-8")
    whole = len(loads(text)[0])
    for end in range(0, len(text), 3):
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
        part = {"rows": rows(100, first)}
        store.write(1, part)
        store.flush()
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 120_000
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.jsonl", "t.jsonl.1"]
    [recording] = load(path)
    assert recording.dropped > 0
    assert [each.index for each in recording] == list(range(recording.dropped, 50_000))
    last = recording[-1]
    assert (last.task, last.code.name, last.run_ns) == ("Task-49999", "work", 49999000)
    assert "older callbacks were dropped" in report(recording)


TIMES = {"200ms": 0.2, "30s": 30, "5m": 300, "1h": 3600, "0.5": 0.5, "7µs": 7e-6}
SIZES = {"500MB": 5e8, "2G": 2e9, "100kB": 1e5, " 1.5 MiB ": 1.5e6}


@pytest.mark.parametrize(("parse", "values"), [(seconds_of, TIMES), (bytes_of, SIZES)])
def test_times_and_sizes(parse, values):
    assert {text: parse(text) for text in values} == pytest.approx(values)
    for text in ("", "12 parsecs", "many", "-1G", "0s", "99kB"):
        with pytest.raises(ValueError, match=r"is not a (size|time)"):
            parse(text)


def test_a_name_is_written_once():
    encoder = Encoder(0)
    assert json.loads(encoder.encode(1, {"rows": rows(3, 1)}))["codes"] == [
        ["work", "", 0]
    ]
    made = "".join(["wo", "rk"])  # another object of the same value
    again = [0, BEFORE, 0, 1, 1e-9, None, made, 0]
    assert "codes" not in json.loads(encoder.encode(1, {"rows": (6, again, [], [])}))
    here = test_columns.__code__, 3
    assert [encoder.code(what) for what in (here, made, here)] == [1, 0, 1]
