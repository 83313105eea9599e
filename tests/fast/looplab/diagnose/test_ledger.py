"""One ledger of all waiting: recordings of a few callbacks, made by hand or exact."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab import burn, tag
from looplab.diagnose import Callback, Code, Recording, record
from looplab.diagnose.events import (
    Await,
    Job,
    OtherThread,
    Pause,
    RequestNote,
    Sample,
    Window,
)
from looplab.diagnose.ledger import Ledger, minus, union
from looplab.diagnose.report import sentence, whom

MS = 1_000_000
SHOP = Code("hog", "/srv/shop.py", 12)
PING = Code("ping", "/srv/shop.py", 40)
JSON = "/usr/lib/python3.11/json/encoder.py"
REGEX = Code("scrub", "/srv/scrub.py", 8)


def callback(index, ready, run, ended, *, code=PING, cause="timer", cpu=None, **more):
    """One callback; times are milliseconds."""
    if cause == "timer":
        more.setdefault("due_ns", ready * MS)
    return Callback(
        index=index,
        ready_ns=ready * MS,
        run_ns=run * MS,
        ended_ns=ended * MS,
        cpu_ns=(ended - run if cpu is None else cpu) * MS,
        cause=cause,
        by=more.pop("by", None),
        code=code,
        task=more.pop("task", None),
        **more,
    )


def window(start, end, *, cpu=0, delay=0, slices=1, own=0, others=(), late=1):
    times = start * MS, end * MS, cpu * MS, delay * MS, slices, 0, own * MS, late
    return Window(*times, tuple(others))


def rows(recording):
    """Milliseconds by the kind of what was waited for."""
    ledger = Ledger(recording)
    found = {}
    for row in ledger.rows:
        found[row.kind] = found.get(row.kind, 0) + row.ns / MS
    return found


def said(recording):
    ledger = Ledger(recording)
    return sentence(ledger, ledger.rows)


def late_ping(*before, ready=100, run=400):
    """A timer that was due at 100 ms and ran at 400 ms."""
    return [*before, callback(len(before), ready, run, run + 1)]


def test_a_callback_that_holds_the_loop():
    hog = callback(0, 90, 90, 400, code=SHOP)
    recording = Recording(late_ping(hog))
    recording.samples.append(Sample(200 * MS, 0, MS, (SHOP,)))
    [row] = Ledger(recording).rows
    assert (row.kind, row.name, row.ns) == ("callback", "hog", 300 * MS)
    assert row.place.endswith("shop.py:12")
    assert dict(row.whom) == {"timers of ping": 300 * MS}
    assert "hog" in said(recording)


def test_the_line_that_was_seen_longest_and_what_it_called():
    recording = Recording(late_ping(callback(0, 90, 90, 400, code=SHOP)))
    rare, dumps = Code("hog", "/srv/shop.py", 99), Code("dumps", JSON, 7)
    looks = [(150, 5, (rare,)), (200, 20, (dumps, SHOP)), (300, 9, (SHOP,))]
    for at, weight, stack in looks:
        recording.samples.append(Sample(at * MS, 0, weight * MS, stack))
    [row] = recording.ledger.rows
    assert (row.place, row.function) == (SHOP.place, "hog")
    assert row.leaf == f"dumps at {JSON}:7"


def test_a_victim_that_is_of_a_library_alone_is_named_where_nobody_else_waited():
    library = Code("serve", "/venv/lib/python3.11/site-packages/uvicorn/server.py", 8)
    hog = callback(0, 90, 90, 400, code=SHOP)
    tick = callback(1, 95, 400, 401, code=library)
    both = Recording([hog, tick, callback(2, 390, 401, 402)])
    [row] = [row for row in both.ledger.rows if row.name == "hog"]
    assert both.ledger.plumbing == {"timers of serve"}
    assert set(row.whom) == {"timers of serve", "timers of ping"}
    assert "serve" in whom(row, both.ledger.plumbing), "305 ms of 315"
    late = Recording([hog, tick, callback(2, 100, 401, 402)])
    [row] = [row for row in late.ledger.rows if row.name == "hog"]
    assert "serve" not in whom(row, late.ledger.plumbing)


def test_another_thread_that_kept_the_interpreter():
    thread = OtherThread("scrubber", 295 * MS, 0, REGEX)
    recording = Recording(late_ping(callback(0, 1, 1, 2)))
    recording.windows.append(window(100, 400, slices=60, others=[thread]))
    ledger = Ledger(recording)
    worst = ledger.rows[0]
    assert worst.kind == "thread"
    assert worst.threads == {"scrubber"}
    assert worst.place.endswith("scrub.py:8")
    assert worst.ns == 295 * MS
    assert worst.kept_ns == worst.ns
    assert "scrubber" in said(recording)
    assert "hog" not in said(recording)


def test_a_callback_that_sleeps_beside_a_thread_that_computes_is_to_blame():
    thread = OtherThread("worker", 290 * MS, 0, REGEX)
    hog = callback(0, 90, 90, 400, code=SHOP, cpu=1)
    recording = Recording(late_ping(hog))
    # Who waits for the interpreter wakes every 5 ms; who sleeps does not.
    recording.windows.append(window(100, 400, slices=2, late=0, others=[thread]))
    assert rows(recording)["callback"] > 280


def test_no_core():
    recording = Recording(late_ping(callback(0, 1, 1, 2)))
    recording.windows.append(window(100, 400, delay=280, own=200))
    found = rows(recording)
    assert found["core"] > 270
    assert "callback" not in found


def test_the_process_was_stopped():
    recording = Recording(late_ping(callback(0, 1, 1, 2)))
    recording.windows.append(window(100, 400))
    assert rows(recording) == {"stopped": pytest.approx(300)}


def test_the_garbage_collector():
    hog = callback(0, 100, 100, 400, code=SHOP)
    recording = Recording(late_ping(hog))
    recording.pauses.append(Pause(0, 240 * MS, 2))
    found = rows(recording)
    assert found == {"gc": pytest.approx(240), "callback": pytest.approx(60)}


def test_what_nobody_saw_is_said_to_be_unknown():
    assert rows(Recording(late_ping(callback(0, 1, 1, 2)))) == {"unseen": 300}


def request(awaits=(), jobs=()):
    """A request of 500 ms that computed for 2 ms of them."""
    begin = callback(0, 0, 0, 1, cause="io", tag=1)
    end = callback(1, 499, 499, 500, cause="io", tag=1)
    note = RequestNote(1, 0, 1, 0, 500 * MS)
    return Recording(
        [begin, end],
        tags={1: "GET /user"},
        notes=[note],
        awaits=list(awaits),
        jobs=list(jobs),
    )


def test_what_a_request_awaits_is_named_by_the_line():
    acquire = Code("Lock.acquire", "/usr/lib/python3.11/asyncio/locks.py", 100)
    recording = request([Await(20 * MS, 1, (acquire, PING))])
    [row] = Ledger(recording).rows
    assert (row.kind, row.name, row.function) == ("await", "Lock.acquire", "ping")
    assert row.ns == 498 * MS
    assert "Nothing on this loop is to blame" in said(recording)


def test_a_full_executor_names_who_fills_it():
    thumbs = [Job(2, 0, 0, 0, 400 * MS, SHOP) for _ in range(4)]
    recording = request(jobs=[*thumbs, Job(1, 0, MS, 400 * MS, 499 * MS, PING)])
    [pool, own] = Ledger(recording).rows
    assert (pool.kind, pool.function, pool.ns) == ("pool", "hog", 399 * MS)
    assert (own.kind, own.ns) == ("executor", 99 * MS)
    # Its own work is no harm, so it is never the sentence.
    assert "hog" in said(recording)


def test_three_tags_in_one_step():
    async def main():
        async def victim():
            await asyncio.sleep(0.001)

        task = asyncio.create_task(victim())
        await asyncio.sleep(0)
        for name, size in (("small", 0.002), ("BIG", 0.2), ("tail", 0.002)):
            with tag(name):
                burn(size)
        await task

    ledger = Ledger(record(main()))
    charged = {r.name: r.ns // MS for r in ledger.rows if r.kind == "callback"}
    assert charged == {"small": 1, "BIG": 200, "tail": 2}


@pytest.mark.parametrize("group", [False, True])
def test_a_batch_makes_itself_wait_and_is_not_to_blame(group):
    """A harmless batch before anybody is there; later a callback delays a beat."""

    async def small():
        burn(0.002)

    async def main():
        if group:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(100):
                    tasks.create_task(small())
        else:
            await asyncio.gather(*(small() for _ in range(100)))
        beat = asyncio.create_task(asyncio.sleep(0.1))
        await asyncio.sleep(0.05)
        with tag("hog"):
            burn(0.4)
        await beat

    ranked = Ledger(record(main())).rows
    assert ranked[0].name == "hog"
    assert all(row.name != "small" for row in ranked)


def test_unions_and_differences():
    assert union([(5, 9), (0, 2), (1, 3), (9, 10)]) == [(0, 3), (5, 10)]
    assert minus([(0, 10)], [(2, 3), (5, 20)]) == [(0, 2), (3, 5)]
    assert minus([(0, 3), (4, 6)], [(0, 10)]) == []


@given(st.integers(0, 10_000))
@settings(max_examples=60)
def test_who_waits_together_is_charged_as_if_each_were_alone(seed):
    """Moment by moment for all of a name, against callback by callback for each."""
    draw = Random(seed)
    callbacks = []
    now = 0
    for index in range(40):
        now += draw.choice([0, 0, 1, 7])
        ready = max(0, now - draw.randrange(60))
        code = draw.choice([SHOP, PING, REGEX])
        held = draw.randrange(1, 9)
        cause = draw.choice(["timer", "thread"])
        callbacks.append(
            callback(index, ready, now, now + held, code=code, cause=cause)
        )
        now += held
    ledger = Ledger(Recording(callbacks))
    expected, own = {}, 0
    for key, spans in ledger.waiting.items():
        for start, end in spans:
            for other, segment in zip(callbacks, ledger.segments, strict=True):
                size = min(end, segment.end) - max(start, segment.start)
                if size > 0 and segment.key == key:
                    own += size
                elif size > 0:
                    row = expected.setdefault(other.code.name, {})
                    row[ledger.names[key]] = row.get(ledger.names[key], 0) + size
    found = {row.name: dict(row.whom) for row in ledger.rows if row.kind == "callback"}
    assert found == expected
    waited = sum(b - a for spans in ledger.waiting.values() for a, b in spans)
    assert waited == sum(row.ns for row in ledger.rows) + own
