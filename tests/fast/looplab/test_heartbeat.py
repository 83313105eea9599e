"""The heartbeat: what it measures, what it refuses, how it ends."""

from __future__ import annotations

import asyncio
import logging
import math
import re
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.clock import DeadlockError, VirtualTimeLoop, burn, run
from looplab.heartbeat import Beat, Heartbeat, NoBeatsError
from looplab.priority import VirtualPriorityLoop
from tests.fast.looplab.clock.random_programs import StockLoop
from tests.fast.looplab.jobs.shared import on_stock_loop

pytestmark = pytest.mark.virtual_time

# What it measures


async def test_loop_held_before_the_probe_ran_counts() -> None:
    async with Heartbeat(1.0) as heartbeat:
        burn(2.0)
        await asyncio.sleep(2.5)
    assert heartbeat.worst == 2.0


async def test_overdue_beat_at_the_end_is_not_lost() -> None:
    async with Heartbeat(1.0) as heartbeat:
        await asyncio.sleep(0)
        burn(5.0)
    await asyncio.sleep(10)
    assert heartbeat.beats == [Beat(1.0, 5.0)], "and none after the end"
    assert heartbeat.worst == 4.0


@settings(max_examples=100)
@given(
    interval=st.integers(1, 50),
    load=st.lists(st.tuples(st.integers(1, 60), st.integers(0, 200)), max_size=8),
)
def test_lateness_is_that_of_a_model(
    interval: int, load: list[tuple[int, int]]
) -> None:
    """One task that sleeps and computes; beats due while it computes wait for its end.

    The interval is a whole number of milliseconds and one nanosecond, so that a beat is
    never due at the very moment at which something else is.
    """
    ms = 1_000_000  # the model counts whole nanoseconds
    step = interval * ms + 1

    async def main() -> list[Beat]:
        async with Heartbeat(step / 1e9) as heartbeat:
            for sleep, cpu in load:
                await asyncio.sleep(sleep / 1e3)
                burn(cpu / 1e3)
        return heartbeat.beats

    expected = []
    due, now = step, 0
    for sleep, cpu in load:
        now += sleep * ms
        while due < now:
            expected.append((due, due))
            due += step
        now += cpu * ms
        if due < now:
            expected.append((due, now))
            due = now + step
    assert [
        (round(beat.due_at * 1e9), round(beat.woke_at * 1e9)) for beat in run(main())
    ] == expected


# Figures


def lateness_of(*values: float) -> Heartbeat:
    """A heartbeat that has measured exactly these."""

    async def main() -> Heartbeat:
        async with Heartbeat(1.0) as heartbeat:
            for value in values:
                await asyncio.sleep(0.75)  # 0.25 s of the interval are left
                burn(0.25 + value)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        return heartbeat

    heartbeat: Heartbeat = run(main())
    assert [beat.lateness for beat in heartbeat.beats] == list(values)
    return heartbeat


def test_no_beats_yet() -> None:
    heartbeat = Heartbeat(0.5)
    with pytest.raises(NoBeatsError, match=r"no beats yet.*0\.5 s"):
        _ = heartbeat.worst
    with pytest.raises(NoBeatsError):
        heartbeat.percentile(50)
    assert repr(heartbeat.summary()) == "heartbeat: no beats yet (one every 0.5 s)"
    assert "no beats yet" in heartbeat.summary()._repr_html_()


def test_summary_in_a_terminal_and_in_a_page() -> None:
    summary = lateness_of(0.1, 0.2, 0.3).summary()
    assert repr(summary) == (
        "heartbeat: 3 beats, lateness p50 0.200 s, p99 0.300 s, worst 0.300 s"
    )
    page = summary._repr_html_()
    assert re.findall(r"<td>(.*?)</td>", page) == ["3", "0.200 s", *["0.300 s"] * 2]


async def test_memory_is_bounded_and_says_so() -> None:
    async with Heartbeat(1.0, limit=10) as heartbeat:
        await asyncio.sleep(0.5)
        burn(3.5)
        await asyncio.sleep(100)
    assert len(heartbeat.beats) == 10
    assert heartbeat.count > 90
    assert heartbeat.worst == 3.0, "the worst is that of all beats"
    assert heartbeat.percentile(100) == 0.0, "percentiles are those of the beats kept"
    assert "(of the last 10)" in repr(heartbeat.summary())
    assert "over the last 10" in heartbeat.summary()._repr_html_()


# A monitor


def test_late_beats_are_logged_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    late: list[Beat] = []

    async def main() -> None:
        async with Heartbeat(1.0, threshold=0.5, on_late=late.append, name="db"):
            await asyncio.sleep(0.5)
            burn(1.0)  # 0.5 s late: at the threshold, not above it
            await asyncio.sleep(0.75)
            burn(1.0)  # 0.75 s late
            await asyncio.sleep(2)

    with caplog.at_level(logging.WARNING, logger="looplab.heartbeat"):
        run(main())
    assert [beat.lateness for beat in late] == [0.75]
    assert [record.getMessage() for record in caplog.records] == [
        "db woke 0.750 s late (threshold 0.500 s)"
    ]


async def test_on_late_that_raises_does_not_stop_the_probe() -> None:
    reports: list[dict[str, Any]] = []
    error = RuntimeError("no pager")

    def on_late(beat: Beat) -> None:
        raise error

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: reports.append(context))
    async with Heartbeat(1.0, threshold=0.0, on_late=on_late) as heartbeat:
        await asyncio.sleep(0.5)
        burn(1.0)
        await asyncio.sleep(3.1)
    assert heartbeat.count == 4
    assert [report["exception"] for report in reports] == [error]
    assert "the probe goes on" in reports[0]["message"]


# How it starts and ends


async def test_cancelled_while_stopping() -> None:
    async def body(heartbeat: Heartbeat) -> None:
        async with heartbeat:
            await asyncio.sleep(0.5)

    heartbeat = Heartbeat(1.0)
    task = asyncio.create_task(body(heartbeat))
    await asyncio.sleep(0.5)
    await asyncio.sleep(0)  # now it waits for the probe to end
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not heartbeat.running


async def test_used_again_forgets_its_beats() -> None:
    heartbeat = Heartbeat(1.0)
    heartbeat.start()
    with pytest.raises(RuntimeError, match=r"beats already.*second"):
        heartbeat.start()
    await asyncio.sleep(0.5)
    burn(2)
    await asyncio.sleep(0.1)
    await heartbeat.stop()
    await heartbeat.stop()  # does nothing
    assert heartbeat.worst == 1.5
    async with heartbeat:
        await asyncio.sleep(1.5)
    assert heartbeat.beats == [Beat(1.0, 1.0)]
    assert heartbeat.worst == 0.0


def test_outside_a_loop() -> None:
    with pytest.raises(RuntimeError, match="needs a running event loop"):
        Heartbeat().start()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"interval": 0}, ValueError, "interval is 0 s: give .* above 0"),
        ({"interval": math.inf}, ValueError, "interval is inf s"),
        ({"interval": "1"}, TypeError, "interval as a number of seconds, got '1'"),
        ({"threshold": -0.1}, ValueError, "threshold is -0.1 s"),
        ({"limit": 0}, ValueError, "limit is 0: give 1 or more"),
        ({"limit": 1.5}, TypeError, "limit as a whole number, got 1.5"),
        ({"on_late": print}, ValueError, "on_late needs a threshold"),
        ({"on_late": 3, "threshold": 1}, TypeError, "must be a function"),
        ({"on_late": asyncio.sleep, "threshold": 1}, TypeError, "plain function"),
    ],
)
def test_settings_refused(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Heartbeat(**settings)


# Beside a program that waits for ever


@pytest.mark.parametrize("new_loop", [VirtualTimeLoop, VirtualPriorityLoop])
@pytest.mark.parametrize("hearts", [1, 2])
def test_a_beating_heart_hides_no_deadlock(new_loop: Any, hearts: int) -> None:
    async def consume(queue: asyncio.Queue[int]) -> None:
        await queue.get()

    async def main() -> None:
        for number in range(hearts):
            Heartbeat(0.3 + number).start()
        queue: asyncio.Queue[int] = asyncio.Queue()
        consumer = asyncio.create_task(consume(queue), name="consumer")
        await asyncio.sleep(1)  # a timer that counts: the heart beats meanwhile
        asyncio.get_running_loop().call_later(9, print).cancel()
        await consumer

    with pytest.raises(DeadlockError) as caught:
        run(main(), loop_factory=new_loop)
    message = str(caught.value)
    assert "at 1 s nothing is ready and no timer is set but a probe's" in message
    assert "2 tasks wait" in message
    assert "consumer: consume, line" in message
    assert "heartbeat" not in message


@pytest.mark.parametrize("runner", [run, on_stock_loop])
@pytest.mark.parametrize("end", [None, KeyError, TimeoutError])
def test_the_probe_is_a_task_with_the_name_and_ends_with_the_block(
    end: Any, runner: Any
) -> None:
    async def body() -> None:
        async with Heartbeat(0.01, name="pulse") as heartbeat:
            await asyncio.sleep(0.02)
            assert heartbeat.running
            assert "pulse" in {task.get_name() for task in asyncio.all_tasks()}
            if end is KeyError:
                raise KeyError("mine")
            await asyncio.sleep(60 if end else 0)

    async def main() -> None:
        with pytest.raises(end) if end else nullcontext():
            await asyncio.wait_for(body(), 0.03)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    runner(main())


def test_uvloop_is_read_through_a_fresh_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvloop's time() stands still within an iteration; the probe must not."""

    class Stale(StockLoop):
        """Looks at its clock once an iteration."""

        looked = 0.0

        def time(self) -> float:
            return self.looked

        def select(self, timeout: float | None) -> list[asyncio.Handle]:
            events = super().select(timeout)
            self.looked = self.now
            return events

    loop = Stale()
    monkeypatch.setattr("time.monotonic", lambda: loop.now)
    monkeypatch.setattr(asyncio, "BaseEventLoop", VirtualTimeLoop)  # it is none of them

    async def main() -> float:
        # Work that stands before the probe in the iteration in which it wakes.
        loop.call_later(0.05, loop.call_soon, loop.charge, 0.2)
        async with Heartbeat(0.05) as heartbeat:
            await asyncio.sleep(0.06)
        return heartbeat.worst

    assert loop.run_until_complete(main()) == pytest.approx(0.2)
    loop.close()
