"""Which callbacks make others late: exact, on the virtual clock."""

from __future__ import annotations

import asyncio
from contextvars import Context

import pytest

from looplab import burn, tag
from looplab.diagnose import Ledger, record
from looplab.diagnose.events import Code, Sample
from looplab.diagnose.report import head, report, table


def names(recording):
    return [one.name for one in recording.blame() if one.waited or one.spun]


def worst(recording):
    return recording.blame()[0]


async def probe(count=5, every=0.1):
    for _ in range(count):
        await asyncio.sleep(every)


def test_one_long_callback():
    async def hog():
        await asyncio.sleep(0.05)
        burn(1)

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(probe())
            group.create_task(hog())

    first = worst(record(main()))
    assert first.name == "hog"
    assert first.place.endswith(f"test_blame.py:{hog.__code__.co_firstlineno}")
    # The probe was due at 0.1 and ran at 1.05.
    assert first.waited == pytest.approx(0.95)
    assert first.held == first.longest == 1
    [delayed] = first.delayed
    assert (delayed.name, delayed.times) == ("timers of probe", 1)


def test_a_storm_of_short_jobs_is_charged_as_one_long_one():
    async def job():
        burn(0.01)

    async def storm():
        await asyncio.sleep(0.05)
        for _ in range(100):
            asyncio.create_task(job())

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(probe())
            group.create_task(storm())

    recording = record(main())
    first = worst(recording)
    assert first.name == "job"
    assert first.callbacks == 100
    assert first.longest == 0.01
    # That jobs waited for each other is their own affair.
    assert first.waited == pytest.approx(0.95)
    assert recording.blame("probe")[0].name == "job"
    assert recording.blame("probe")[0].waited == pytest.approx(0.95)


def test_a_tag_goes_on_into_the_tasks_that_are_made_under_it():
    async def job():
        burn(0.5)

    async def main():
        other = asyncio.create_task(probe())
        await asyncio.sleep(0.05)
        with tag("import"):
            asyncio.create_task(job())
        await other

    assert worst(record(main())).name == "import"


def test_a_poll_spins():
    async def main():
        asyncio.create_task(asyncio.sleep(1))
        while asyncio.get_running_loop().time() < 2:
            await asyncio.sleep(0)

    found = record(main(), callback_cost=0.0001)
    assert worst(found).name == "main"
    assert worst(found).spun == pytest.approx(2, rel=0.01)


def test_what_the_loop_does_for_a_task_is_at_the_tasks_own_line():
    async def poll():
        for _ in range(50):
            burn(0.01)
            await asyncio.sleep(0)

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(probe())
            group.create_task(poll())

    recording = record(main())
    own = Code("poll", "/srv/shop.py", 12)
    loops = Code(
        "BaseEventLoop._call_soon", "/lib/python3.11/asyncio/base_events.py", 7
    )
    for one in recording:
        if one.code.name.endswith("poll"):
            one.code = own
            sample = Sample(one.run_ns, one.index, 1_000_000, (loops,))
            recording.samples.append(sample)
    assert len(recording.samples) > 40
    first = worst(recording)
    assert (first.name, first.function, first.place) == ("poll", "poll", own.place)


def test_work_in_pieces_is_no_poll():
    async def main():
        for _ in range(300):
            burn(0.01)
            await asyncio.sleep(0)

    assert all(one.spun == 0 for one in record(main()).blame())


def test_only_the_waits_of_a_victim():
    async def early():
        await asyncio.sleep(0.05)
        burn(1)

    async def late():
        await asyncio.sleep(5)
        burn(0.5)

    async def first():
        await asyncio.sleep(0.1)

    async def second():
        await asyncio.sleep(5.1)

    async def main():
        await asyncio.gather(early(), late(), first(), second())

    recording = record(main())
    assert [one.name for one in recording.blame("second") if one.waited] == ["late"]
    assert [one.name for one in recording.blame("first") if one.waited] == ["early"]


def test_nobody_waits():
    async def main():
        await asyncio.sleep(1)

    recording = record(main())
    assert names(recording) == []
    assert report(recording).startswith("Nothing on this loop is to blame")


def test_the_report_names_line_and_victim():
    async def hog():
        await asyncio.sleep(0.05)
        burn(1)

    async def main():
        await asyncio.gather(probe(), hog())

    text = report(record(main()), file="slow.jsonl")
    line = hog.__code__.co_firstlineno
    first = text.splitlines()[0]
    assert f"diagnose/test_blame.py:{line} in" in first
    assert first.startswith("timers of probe: 100%")
    assert "looplab what-if slow.jsonl --move hog" in first
    assert "waited: timers of probe 950 ms (once)" in text


def test_a_sleep_that_was_asked_for_is_no_wait():
    async def main():
        with tag("sleeper"):
            await asyncio.sleep(5)
        with tag("waiter"):
            await asyncio.get_running_loop().create_task(late(), context=Context())

    async def late():
        await asyncio.sleep(2)

    rows = Ledger(record(main())).rows
    assert [(row.kind, row.waited) for row in rows] == [("unseen", 2)]
    assert dict(rows[0].whom) == {"waiter": 2_000_000_000}


def test_a_poll_is_not_charged_for_rounds_in_which_others_worked():
    async def poll(worker):
        while not worker.done():
            await asyncio.sleep(0)

    async def work():
        for _ in range(500):
            burn(0.001)
            await asyncio.sleep(0)

    async def main():
        worker = asyncio.create_task(work())
        await poll(worker)

    recording = record(main(), callback_cost=0.00001)
    assert all(one.spun == 0 for one in recording.blame())


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["/usr/bin/python3", "-m", "uvicorn", "app:app"], "uvicorn app:app: "),
        (["/venv/bin/python", "/srv/shop.py", "8000"], "shop.py 8000: "),
        (["/venv/bin/gunicorn", "app"], "gunicorn app: "),
        ([], "2 callbacks"),
    ],
)
def test_the_head_names_the_program(argv, shown):
    recording = record(asyncio.sleep(0))
    recording.about = {"argv": argv}
    assert head(recording).startswith(shown)


def test_a_table_gives_way_where_the_names_are():
    rows = table([["name", "n"], ["x" * 200, "7"], ["short", "12"]])
    assert 90 < max(map(len, rows)) <= 96
    assert rows[1].split()[0].endswith("x…")
    assert table([["name", "n"], ["y" * 20, "7"]])[1] == "y" * 20 + "  7"
