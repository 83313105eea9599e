"""One ledger of all waiting: recordings of a few callbacks, made by hand or exact."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab import burn, tag
from looplab.diagnose import Code, Ledger, Recording, record
from looplab.diagnose.naming import own_line
from tests.fast.looplab.diagnose import made
from tests.fast.looplab.diagnose.made import CASES, MS, SHOP, callback, hog, late_ping

#: Milliseconds, what it is, and who waited how long and how often.
EXPECTED = """
a callback: 300 callback | hog | shop.py:12 | hog | dumps at LIB/json/encoder.py:7 | for timers of ping 300 x1
an import: 300 callback | hog | shop.py:12 | hog | an import | for timers of ping 300 x1
the recorder's own frame: 300 callback | hog | shop.py:12 | hog | for timers of ping 300 x1
a callback keeps the interpreter: 300 callback | hog | shop.py:12 | hog | kept | for timers of ping 300 x1
one late look is chance: 300 callback | hog | shop.py:12 | hog | for timers of ping 300 x1
a thread keeps it: 295 thread | scrub.py:8 | scrub | kept | scrubber | for timers of ping 295 x1
a thread keeps it: 5 unseen | for timers of ping 5 x1
a thread that had no core itself: 150 thread | scrub.py:8 | scrub | kept | scrubber | for timers of ping 150 x1
a thread that had no core itself: 140 core | for timers of ping 140 x1
a thread that had no core itself: 10 unseen | for timers of ping 10 x1
a thread that keeps it for a turn: 18 thread | scrub.py:8 | scrub | scrubber | for timers of ping 18 x1
a thread that keeps it for a turn: 2 unseen | for timers of ping 2 x1
threads that take turns, seen now and then: 300 thread | scrub.py:8 | scrub | a | for timers of ping 300 x1
a block inside a block: 299 await | Lock.acquire | shop.py:40 | ping | for step 299 x1
a block inside a block: 197 unseen | for job 197 x1
threads take turns: 300 thread | scrub.py:8 | scrub | a | b | for timers of ping 300 x1
an executor's thread, idle again: 295 thread | LIB/json/encoder.py:7 | dumps | kept | scrubber | for timers of ping 295 x1
an executor's thread, idle again: 5 unseen | for timers of ping 5 x1
an executor's thread, idle again: 5 pool | a full executor | shop.py:12 | hog | for ping 5 x1
a thread without a line: 295 thread | scrubber | kept | scrubber | for timers of ping 295 x1
a thread without a line: 5 unseen | for timers of ping 5 x1
a callback waits for the interpreter: 290 thread | scrub.py:8 | scrub | scrubber | for timers of ping 290 x1
a callback waits for the interpreter: 10 callback | hog | shop.py:12 | hog | for timers of ping 10 x1
a callback sleeps beside a thread: 300 callback | hog | shop.py:12 | hog | for timers of ping 300 x1
no core: 300 core | for timers of ping 300 x1
the sampler had none: 300 core | for timers of ping 300 x1
a callback without a core: 150 callback | hog | shop.py:12 | hog | for timers of ping 150 x1
a callback without a core: 150 core | for timers of ping 150 x1
a callback without a core for several looks: 270.323 core | for timers of ping 270.323 x1
a callback without a core for several looks: 29.6774 callback | hog | shop.py:12 | hog | for timers of ping 29.6774 x1
a stop: 300 stopped | for timers of ping 300 x1
the collector: 232.258 gc | for timers of ping 232.258 x1
the collector: 67.7419 callback | hog | shop.py:12 | hog | for timers of ping 67.7419 x1
nobody saw it: 300 unseen | for timers of ping 300 x1
the selector's millisecond: 0.8 clock | for timers of ping 0.8 x1
between callbacks: 4 callback | hog | shop.py:12 | hog | for timers of ping 4 x1
between callbacks: 1 loop | for timers of ping 1 x1
others that wait: 605 callback | hog | shop.py:12 | hog | for timers of serve 305 x1, timers of ping 300 x1
others that wait: 2 callback | serve | SITE/uvicorn/server.py:8 | serve | for timers of ping 2 x1
two of one name: 500 callback | hog | shop.py:12 | hog | for timers of ping 500 x2
two of one name: 2 callback | ping | shop.py:40 | ping | for timers of ping 2 x1
an await: 498 await | Lock.acquire | shop.py:40 | ping | for GET /user 498 x1
awaits in a library: 249 await | Pool.take … Queue.get | shop.py:40 | ping | for GET /user 249 x1
awaits in a library: 249 await | Lock.acquire | shop.py:40 | ping | for GET /user 249 x1
a future: 498 await | a future | shop.py:40 | ping | for GET /user 498 x1
AnyIO's pool: 498 pool | AnyIO's full pool | scrub.py:8 | scrub | for GET /user 498 x1
AnyIO's thread: 498 executor | a thread of AnyIO | scrub.py:8 | scrub | for GET /user 498 x1
an await that was not seen: 498 unseen | for GET /user 498 x1
a full executor: 399 pool | a full executor | shop.py:12 | hog | for GET /user 399 x1
a full executor: 99 executor | ping in an executor | shop.py:40 | ping | for GET /user 99 x1
a full executor, and no tags: 298 pool | a full executor | shop.py:12 | hog | for ping 298 x1
a thread that had to start: 5 unseen | for ping 5 x1
a job that has not begun: 498 pool | a full executor | for GET /user 498 x1
a job that found a thread: 299 await | Lock.acquire | shop.py:40 | ping | for GET /user 299 x1
a job that found a thread: 9 unseen | for GET /user 9 x1
a job that found a thread: 190 executor | ping in an executor | shop.py:40 | ping | for GET /user 190 x1
a sleep that was asked for: 199 unseen | for GET /user 199 x1
tags in one callback: 240 callback | BIG | shop.py:12 | hog | for timers of ping 240 x1
tags in one callback: 50 callback | small | shop.py:12 | hog | for timers of ping 50 x1
tags in one callback: 10 callback | hog | shop.py:12 | hog | for timers of ping 10 x1
two functions of one tag: 280 unseen | for timers of ping 280 x1
two functions of one tag: 20 callback | work | scrub.py:8 | scrub | for timers of ping 20 x1
handed over: 48 callback | hog | shop.py:12 | hog | for ping 48 x1
the plumbing of a request: 305 callback | hog | shop.py:12 | hog | for GET /user 305 x1
"""  # noqa: E501


def row_as_text(row):
    """All that a row says.  Names that never change are left out."""
    plain = row.kind in ("unseen", "core", "gc", "stopped", "clock", "loop")
    fields = [f"{row.ns / MS:g} {row.kind}", "" if plain else row.name, row.place]
    fields += [row.function, row.leaf, "kept" * row.kept, *sorted(row.threads)]
    whom = [f"{who} {time * 1000:g} x{times}" for who, times, time in row.delayed]
    text = " | ".join(filter(None, [*fields, "for " + ", ".join(whom)]))
    return (
        text.replace(made.SITE, "SITE").replace(made.STDLIB, "LIB").replace("/srv/", "")
    )


@pytest.mark.parametrize("name", CASES)
def test_each_second_goes_to_one_cause(name):
    """Where no row is expected nobody is to blame: a sleep, or a batch's own queue."""
    rows = [f"{name}: {row_as_text(row)}" for row in CASES[name].ledger.rows]
    lines = EXPECTED.strip().splitlines()
    assert rows == [line for line in lines if line.startswith(f"{name}: ")]


def test_whose_names_are_plumbing():
    assert CASES["others that wait"].ledger.plumbing == {"timers of serve"}
    heart = Code("beat", f"{made.SITE}/looplab/heartbeat.py", 3)
    assert not late_ping(hog(), callback(1, 95, 400, 400, code=heart)).ledger.plumbing


def test_the_worst_wait_of_each_victim_above_a_limit():
    ledger = CASES["two of one name"].ledger
    [(ns, whom, row)] = [late[:3] for late in ledger.late(210 * MS)]
    assert (ns, whom, row.name) == (300 * MS, "timers of ping", "hog")
    assert [ns for ns, *_ in ledger.late(100 * MS)] == [300 * MS, 202 * MS]
    assert ledger.late(300 * MS) == []


def test_the_callbacks_and_how_they_held_the_loop():
    callbacks = list(CASES["others that wait"])
    callbacks[1] = replace(callbacks[1], cpu_ns=None)
    rows = Recording(callbacks).blame()
    assert [(row.name, row.waited, row.held) for row in rows] == [
        ("hog", 0.605, 0.31),
        ("serve", 0.002, 0.002),
        ("ping", 0, 0.001),
    ]
    assert [row.computed for row in rows] == [0.31, None, 0.001]
    twice = {row.name: row for row in CASES["two of one name"].blame()}["ping"]
    assert (twice.callbacks, twice.held, twice.longest) == (2, 0.003, 0.002)
    cut = {row.name: row.computed for row in CASES["tags in one callback"].blame()}
    assert cut == {"BIG": 0.24, "small": 0.055, "hog": 0.015, "ping": 0.001}


def test_only_the_waits_of_a_victim():
    recording = CASES["others that wait"]
    for victim, waited in (
        *(("*", 0.605), ("ping", 0.3), ("timers of serve", 0.305)),
        *(("nobody", 0), ("serv*", 0.305)),
    ):
        rows = {row.name: row for row in recording.blame(victim)}
        assert rows["hog"].waited == waited, victim
        assert sorted(rows) == ["hog", "ping", "serve"]
    [row] = CASES["a callback keeps the interpreter"].ledger.rows_of("ping")
    assert (row.kept_ns, row.ns) == (300 * MS, 300 * MS)


def test_the_line_of_a_stack():
    """The program's own, else a library's, else Python's, and last what imports."""
    frozen = Code("_path_stat", "<frozen importlib._bootstrap_external>", 147)
    module = SHOP._replace(name="<module>")
    every = [frozen, made.DUMPS, made.SERVE, module, SHOP]
    for end, line in enumerate(every, 1):
        assert own_line(every[:end]) == line
    assert own_line([]) is None


@given(st.integers(0, 10_000))
@settings(max_examples=60)
def test_who_waits_together_is_charged_as_if_each_were_alone(seed):
    """Moment by moment for all of a name, against callback by callback for each."""
    draw = Random(seed)
    callbacks, now = [], 0
    for index in range(40):
        now += draw.choice([0, 0, 1, 7])
        held, ready = draw.randrange(1, 9), max(0, now - draw.randrange(60))
        how = {
            "code": draw.choice([SHOP, made.PING, made.SCRUB]),
            "cause": draw.choice(["timer", "thread"]),
        }
        callbacks.append(callback(index, ready, now, now + held, **how))
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
    charged = {
        row.name: dict(row.whom) for row in ledger.rows if row.kind == "callback"
    }
    assert charged == expected
    waited = sum(b - a for spans in ledger.waiting.values() for a, b in spans)
    assert waited == sum(row.ns for row in ledger.rows) + own


# -- programs on the virtual clock -------------------------------------------------


async def probe():
    for _ in range(5):
        await asyncio.sleep(0.1)


async def job():
    burn(0.01)


async def tag_goes_on():
    """A tag goes on into the tasks that are made under it."""
    await asyncio.sleep(0.045)
    with tag("import"):
        asyncio.create_task(job())


async def tag_ends():
    """What its task does later is none of a block's."""
    with tag("import"):
        await asyncio.sleep(0.035)
    await asyncio.sleep(0.01)
    burn(0.01)


async def storm():
    """That jobs wait for each other is their own affair."""
    await asyncio.gather(*(job() for _ in range(100)))


@pytest.mark.parametrize(
    ("work", "name", "longest", "waited"),
    [
        (tag_goes_on, "import", 0.01, 0.005),
        (tag_ends, "main", 0.01, 0.005),
        (storm, "job", 0.01, 0.95),
    ],
)
def test_work_beside_a_heartbeat(work, name, longest, waited):
    async def main():
        beat = asyncio.create_task(probe())
        await asyncio.sleep(0.05)
        await work()
        await beat

    row = record(main()).blame()[0]
    assert (row.name, row.longest) == (name, longest)
    assert row.waited == pytest.approx(waited)


@pytest.mark.parametrize("group", [False, True])
def test_a_batch_makes_itself_wait_and_is_not_to_blame(group):
    """A harmless batch before anybody is there; later a callback delays a beat."""

    async def main():
        if group:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(100):
                    tasks.create_task(job())
        else:
            await storm()
        beat = asyncio.create_task(asyncio.sleep(0.1))
        await asyncio.sleep(0.05)
        with tag("hog"):
            burn(0.4)
        await beat

    rows = record(main()).ledger.rows
    assert rows[0].name == "hog"
    assert all(row.name != "job" for row in rows)


async def poll(over):
    while not over():
        await asyncio.sleep(0)


async def idle_poll():
    loop = asyncio.get_running_loop()
    timer = asyncio.create_task(asyncio.sleep(1))
    await poll(lambda: loop.time() > 2)
    await timer


async def poll_seldom():
    """300 steps in a row are a poll in a second, and none in many."""
    steps = iter(range(300))
    await poll(lambda: next(steps, None) is None)
    await asyncio.sleep(100)


async def poll_beside_work():
    worker = asyncio.create_task(in_pieces(0.001))
    await poll(worker.done)


async def in_pieces(size=0.01):
    for _ in range(300):
        burn(size)
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("program", "seconds"),
    [(idle_poll, 2), (poll_beside_work, 0), (in_pieces, 0), (poll_seldom, 0)],
)
def test_a_poll_spins_where_nobody_else_works(program, seconds):
    rows = record(program(), callback_cost=0.0001).blame()
    assert sum(row.spun for row in rows) == pytest.approx(seconds, rel=0.01)
