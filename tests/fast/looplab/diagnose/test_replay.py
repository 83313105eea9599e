"""A replay with a change is the changed program, to the nanosecond."""

from __future__ import annotations

import asyncio
import re
from heapq import heapreplace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import looplab
from looplab import burn
from looplab.diagnose import Recording, record, replay, tag
from looplab.diagnose.changes import chunk, faster, move, workers, yields
from looplab.diagnose.events import Code, RequestNote
from looplab.diagnose.replaying import Plan
from tests.fast.looplab.diagnose import made
from tests.fast.looplab.diagnose.made import MS, callback

# A program: for each worker when it starts, and then steps; a step is CPU work and then
# a wait of so many milliseconds.  Workers may start others.  Beside them run probes.
STEPS = st.lists(
    st.tuples(st.integers(1, 40), st.integers(0, 30)), min_size=1, max_size=3
)
WORKERS = st.lists(
    st.tuples(st.integers(0, 30), STEPS, st.integers(0, 3)), min_size=1, max_size=5
)
PROBES = st.lists(st.integers(1, 25), min_size=1, max_size=2)


class Program:
    """The program, with what a change changes as parameters."""

    def __init__(self, spec, probes, *, work=None, enter=None, leave=None):
        self.spec, self.probes = spec, probes
        self.work, self.enter, self.leave = work, enter, leave

    async def worker(self, steps, children):
        if self.enter is not None:
            await self.enter()
        tasks = [asyncio.create_task(self.worker(steps, 0)) for _ in range(children)]
        for cpu, wait in steps:
            if self.work is None:
                burn(cpu / 1000)
            else:
                await self.work(cpu)
            await asyncio.sleep(wait / 1000)
        self.tasks += tasks
        if self.leave is not None:
            self.leave()

    async def probe(self, every):
        for _ in range(12):
            await asyncio.sleep(every / 1000)
            burn(0.001)

    async def late(self, start, steps, children):
        await asyncio.sleep(start / 1000)
        self.tasks.append(asyncio.create_task(self.worker(steps, children)))

    async def main(self):
        self.tasks = []
        probes = [self.probe(every) for every in self.probes]
        await asyncio.gather(*probes, *(self.late(*worker) for worker in self.spec))
        while self.tasks:
            await self.tasks.pop()


def shape(recording):
    """When each callback that took time ran, and each step of a probe."""
    return [
        (each.run_ns, each.ended_ns, each.code.name.rpartition(".")[2])
        for each in recording
        if each.held_ns
    ]


@given(WORKERS, PROBES)
@settings(max_examples=60)
def test_unchanged(spec, probes):
    recording = record(Program(spec, probes).main())
    again = zip(recording, replay(recording), strict=True)
    assert all((a.run_ns, a.ended_ns) == (b.run_ns, b.ended_ns) for a, b in again)


def in_less(times):
    async def work(cpu):
        burn(cpu / times / 1000)

    return faster("*.worker", times), {"work": work}


def in_pieces(size):
    async def work(cpu):
        while cpu > size:
            burn(size / 1000)
            cpu -= size
            await asyncio.sleep(0)
        burn(cpu / 1000)

    return chunk("*.worker", size / 1000), {"work": work}


def in_threads(threads):
    free = [0.0] * threads

    async def work(cpu):
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        end = max(loop.time_ns(), free[0]) + cpu * MS
        heapreplace(free, end)
        loop.call_at(end / 1e9, done.set_result, None)
        await done

    return move("*.worker", threads), {"work": work}


def behind_workers(count):
    gate = asyncio.Semaphore(count)
    how = {"enter": gate.acquire, "leave": gate.release}
    return workers("*.worker", count), how


# A worker comes after a place was given back, and before one that was woken goes on.
WOKEN = [(25, [(20, 2), (18, 27)], 3), (27, [(15, 7)], 1), (0, [(18, 7)], 3)]


@pytest.mark.parametrize("make", [in_less, in_pieces, in_threads, behind_workers])
@example(WOKEN, [12], 3)
@given(WORKERS, PROBES, st.integers(1, 8))
@settings(max_examples=60)
def test_the_replay_of_a_change_is_the_changed_program(make, spec, probes, amount):
    change, changed = make(amount)
    predicted = replay(record(Program(spec, probes).main()), change)
    seen = record(Program(spec, probes, **changed).main())
    assert shape(predicted) == shape(seen)
    assert predicted.end_ns == seen.end_ns


@pytest.mark.parametrize("cpu", [0.1, 0.03, 0.007])
def test_a_worker_that_yields_gives_others_a_turn(cpu):
    """As one that takes jobs from a queue and sleeps for 0 s after each."""

    async def job():
        burn(cpu)

    async def at_once():
        await asyncio.gather(*(job() for _ in range(10)))

    async def one_worker():
        for _ in range(10):
            await job()
            await asyncio.sleep(0)

    async def main(work):
        probe = asyncio.create_task(beat(80, 0.01))
        await asyncio.sleep(0.05)
        await asyncio.create_task(work())
        await probe

    recording = record(main(at_once))
    unchanged = recording.trace.worst_lateness
    assert replay(recording, workers("job", 1)).trace.worst_lateness == unchanged
    found = replay(recording, yields("job")).trace.worst_lateness
    assert found == record(main(one_worker)).trace.worst_lateness < unchanged / 3


def test_jobs_of_one_request_are_many_pieces_of_work():
    async def job():
        burn(0.01)
        await asyncio.sleep(0.01)
        burn(0.01)

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0.05), name="probe")
            with tag("POST /import"):
                for _ in range(100):
                    group.create_task(job())

    recording = record(main())
    assert replay(recording, workers("job", 1)).trace.worst_lateness <= 0.02
    # The request is one piece.
    whole = replay(recording, workers("POST /import", 1))
    assert whole.trace.worst_lateness == recording.trace.worst_lateness


async def beat(times, every):
    for _ in range(times):
        await asyncio.sleep(every)


def test_work_that_keeps_the_lock_still_delays():
    async def job():
        await asyncio.sleep(0.01)
        burn(1)

    async def main():
        await asyncio.gather(job(), beat(10, 0.05))

    recording = record(main())
    assert replay(recording, move("job")).trace.worst_lateness == 0
    high = replay(recording, move("job"), lock_held=True)
    assert 0 < high.trace.worst_lateness <= 0.01
    assert recording.trace.worst_lateness > 0.9


def test_a_change_says_what_it_is_or_what_is_wrong_with_it():
    changes = move("x", 3), chunk("x", 0.005), faster("x", 4), workers("x", 6)
    amounts = [re.findall(r"\d+", str(change)) for change in changes]
    assert amounts == [["3"], ["5"], ["4"], ["6"]]
    assert len({str(change) for change in (*changes, yields("x"))}) == 5
    for make, wrong, text in (
        (move, ("x", 0), "threads is 0: give 1 or more"),
        (chunk, ("x", 0), "a piece is 0 s: give a finite"),
        (faster, ("x", 0), "times is 0: give a finite"),
        (workers, ("x", 0), "workers is 0: give 1 or more"),
        (yields, ("",), "the pattern is empty"),
    ):
        with pytest.raises(ValueError, match=text):
            make(*wrong)


def test_it_runs_where_a_loop_is_running():
    async def main():
        return replay(record(asyncio.sleep(0)))

    assert len(looplab.run(main())) == len(record(asyncio.sleep(0)))


def test_a_change_to_a_tag_moves_the_part_of_a_callback_that_has_it():
    async def main():
        probe = asyncio.create_task(beat(100, 0.01))
        for kind in ("thumb", "resize", "thumb"):
            with tag(f"msg {kind}"):
                await asyncio.sleep(0.05)
                if kind == "resize":
                    burn(0.2)  # the callback goes on to the next message
        await probe

    recording = record(main())
    assert recording.trace.worst_lateness == pytest.approx(0.2)
    assert replay(recording, move("msg resize")).trace.worst_lateness == 0
    assert replay(recording, move("msg thumb")).trace.worst_lateness > 0.18


@pytest.mark.parametrize("name", ["scrub", "scrub.py:8", "srv/scrub.py:8"])
def test_a_change_to_a_line_moves_the_part_of_a_callback_in_which_it_was_seen(name):
    seen = (150, made.PING), (250, made.SCRUB), (300, made.SCRUB), (390, made.PING)
    samples = [made.sample(at, 10, code) for at, code in seen]
    plan = Plan(made.late_ping(made.hog(), samples=samples), (move(name),))
    # From the look before to the one after, which stands for 10 ms.
    assert plan.jobs[0].part == ((150 - 90) * MS, (380 - 90) * MS)


def test_what_a_thread_brings_is_the_answer_to_the_step_that_asked():
    """Two callbacks of no task lie between the thread and the task that it wakes."""

    def ran(index, cause, **more):
        return callback(index, index, index, index + 0.5, cause=cause, **more)

    asked, brought = ran(0, "timer", task="A"), ran(1, "thread")
    passed_on, woken = ran(2, "call", by=1), ran(3, "call", by=2, task="A")
    plan = Plan(Recording([asked, brought, passed_on, woken]), ())
    assert [index for _, index in plan.roots] == [0]
    assert [index for _, index in plan.jobs[0].children] == [1]
    assert plan.jobs[1].delay == MS / 2  # from the end of that step


def crowd(arrivals, hog=100, accept=2):
    """A loop that was held while connections came, and then accepted them at once.

    Milliseconds.  To accept takes *accept* each; each is then set up, read from when
    its data are there, and answered in one more.
    """
    made, notes = [], []

    def add(cause, name, ready, run, held, by=None, **more):
        of = {"cause": cause, "code": Code(name), "by": by} | more
        made.append(callback(len(made), ready, run, run + held, **of))
        return len(made) - 1

    add("before", "hog", 0, 0, hog)
    many, came = len(arrivals), min(arrivals) * MS
    now = hog + accept * many
    first = add("io", "accept", hog, hog, accept * many, arrived_ns=came)
    setups = [
        add("call", "set_up", hog + accept * (n + 1), now, 0, by=first)
        for n in range(many)
    ]
    reads = [
        add("io", "read", now, now, 0, by=setup, arrived_ns=round(at * MS))
        for setup, at in zip(setups, arrivals, strict=True)
    ]
    for number, read in enumerate(reads, 1):
        run = now + number - 1
        answer = add("call", "answer", now, run, 1, by=read, tag=number)
        notes.append(RequestNote(number, answer, answer, run * MS, (run + 1) * MS))
    return Recording(made, tags={1: "a", 2: "b", 3: "c"}, notes=notes)


def latencies(recording):
    return [round(1000 * request.latency, 3) for request in recording.requests()]


def test_connections_that_were_accepted_together_come_one_by_one():
    was = crowd([20, 50, 80])
    assert latencies(was) == latencies(replay(was)) == [87, 58, 29]
    # Nobody holds the loop: each is accepted when it comes, in 2 ms, and answered in 1.
    assert latencies(replay(was, faster("hog", 1e6))) == [3, 3, 3]
    # Held while the first two came, it accepts these together.
    assert latencies(replay(was, faster("hog", 100 / 60))) == [45, 16, 3]
    late = replay(crowd([20, 104]))  # these data came after it was accepted
    assert [each.code.name for each in late].count("accept") == 1
