"""The checks of chapter 5: right answers pass, wrong ones are told why.

The answers of the lab and its wrong answers are run by tests/notebooks; here are
other right answers, and other mistakes with the words that they are told.
"""

from __future__ import annotations

import asyncio
import contextlib
import textwrap
from typing import Any

import pytest

from looplab.channel import Channel
from looplab.lint import check_source
from ontime.check import check, exercises
from ontime.check.backpressure import (
    FINDINGS,
    PARSONS_LINES,
    VERDICTS,
    parsons_program,
)
from tests.ontime.check.exercise_checks import assert_not_yet, assert_passes

END = object()

pytestmark = pytest.mark.usefixtures("quiet_check")


def test_the_exercises_of_chapter_5() -> None:
    names = ["05-fix", "05-judge", "05-make", "05-modify", "05-parsons", "05-predict"]
    assert [name for name in exercises() if name.startswith("05-")] == names


# 1. Predict


def test_predict() -> None:
    def waiting(made: int, served: int, seconds: float, maxsize: int) -> float:
        return min(max(0, made - served) * seconds, maxsize or float("inf"))

    assert_passes("05-predict", waiting)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *_: None, "returned no number"),
        (lambda *_: "many", "'many', which is not a number"),
        (lambda *_: float("nan"), "says nan"),
        (lambda made, served, t, m: 2 * max(0, made - served) * t, "come than go"),
        (lambda made: made, "parameters"),
        (12, "not a function"),
    ],
)
def test_predict_wrong(answer: Any, words: str) -> None:
    assert_not_yet("05-predict", answer, words)


# 2. Put the lines in order

ORDER = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]


def test_parsons() -> None:
    assert_passes("05-parsons", ORDER)
    assert_passes("05-parsons", tuple(ORDER))
    # The queue inside the group would be indented; the task may come later.
    assert_passes("05-parsons", [7, 9, 5, 12, 4, 2, 8, 10, 1, 6])
    compile(parsons_program(ORDER), "x", "exec")
    assert len(set(PARSONS_LINES)) == len(PARSONS_LINES) == len(ORDER) + 2


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([], "the list is empty"),
        ([7, 7], "twice"),
        ([0], "there is no line 0"),
        (["async def"], "is not a line number"),
        (7, "not a list"),
        (list(range(1, 13)), "cannot stand at place 1"),
        ([9], "cannot stand at place 1"),
        ([n for n in ORDER if n != 8], "waits for ever"),
        ([n for n in ORDER if n != 9], "misspelt"),
    ],
)
def test_parsons_wrong(order: Any, words: str) -> None:
    assert_not_yet("05-parsons", order, words)


# 3. Fix the bug


async def over_channels(source: Any, parse: Any, store: Any) -> None:
    """Without a queue at all."""
    parsed: Channel[Any] = Channel()

    async def read() -> None:
        async for item in source:
            await parsed.put(parse(item))
        parsed.close()

    async def save() -> None:
        async for text in parsed:
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(read())
        tasks.create_task(save())


async def with_three_stages(source: Any, parse: Any, store: Any) -> None:
    raw: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)
    parsed: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)

    async def read() -> None:
        async for item in source:
            await raw.put(item)
        await raw.put(END)

    async def turn() -> None:
        while (item := await raw.get()) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)

    async def save() -> None:
        while (text := await parsed.get()) is not END:
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        for stage in read, turn, save:
            tasks.create_task(stage())


@pytest.mark.parametrize("answer", [over_channels, with_three_stages])
def test_fix(answer: Any) -> None:
    assert_passes("05-fix", answer)


async def nothing(source: Any, parse: Any, store: Any) -> None: ...


async def all_at_once(source: Any, parse: Any, store: Any) -> None:
    async with asyncio.TaskGroup() as tasks:
        async for item in source:
            tasks.create_task(store(parse(item)))


async def polls(source: Any, parse: Any, store: Any) -> None:
    parsed: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)

    async def save() -> None:
        while True:
            while parsed.empty():
                await asyncio.sleep(0)
            if (text := parsed.get_nowait()) is END:
                return
            await store(text)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(save())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)


async def leaves_its_consumer(source: Any, parse: Any, store: Any) -> None:
    parsed: asyncio.Queue[Any] = asyncio.Queue(maxsize=1)

    async def save() -> None:
        while True:
            await store(await parsed.get())
            parsed.task_done()

    _ = asyncio.create_task(save())
    async for item in source:
        await parsed.put(parse(item))
    await parsed.join()


async def swallows(source: Any, parse: Any, store: Any) -> None:
    async def careless(text: str) -> None:
        with contextlib.suppress(OSError):
            await store(text)

    await with_three_stages(source, parse, careless)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (nothing, "only 0 of 100"),
        (all_at_once, "under way at once"),
        (polls, "does not come to an end"),
        (leaves_its_consumer, "left 1 tasks behind"),
        (swallows, "as if nothing had been"),
        (lambda *_: None, "plain function"),
        (print, "cannot be awaited"),
    ],
)
def test_fix_wrong(answer: Any, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert_not_yet("05-fix", answer, words)
    if answer is print:
        capfd.readouterr()


# 4. Modify


@pytest.mark.parametrize("answer", [4, 5])
def test_modify(answer: int) -> None:
    assert_passes("05-modify", answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (100, "lie in the queue for"),
        (-1, "no bound"),
        (10**9, "think smaller"),
        (4.0, "whole number"),
        (True, "whole number"),
    ],
)
def test_modify_wrong(answer: Any, words: str) -> None:
    assert_not_yet("05-modify", answer, words)


# 5. Make


async def chain_of_channels(items: Any, *stages: Any) -> list[Any]:
    links: list[Channel[Any]] = [Channel() for _ in range(len(stages) + 1)]

    async def feed() -> None:
        for item in items:
            await links[0].put(item)
        links[0].close()

    async def work(place: int) -> None:
        async for item in links[place]:
            await links[place + 1].put(await stages[place](item))
        links[place + 1].close()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed())
        for place in range(len(stages)):
            tasks.create_task(work(place))
        return [item async for item in links[-1]]


def test_make() -> None:
    assert_passes("05-make", chain_of_channels)


async def no_list(items: Any, *stages: Any) -> Any:
    return tuple(await chain_of_channels(items, *stages))


async def first_stage_only(items: Any, *stages: Any) -> list[Any]:
    return await chain_of_channels(items, stages[0])


async def reads_ahead(items: Any, *stages: Any) -> list[Any]:
    return await chain_of_channels(list(items), *stages)


async def none_is_the_end(items: Any, *stages: Any) -> list[Any]:
    found = await chain_of_channels(items, *stages)
    return found[: found.index(None)] if None in found else found


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (no_list, "returned ()"),
        (first_stage_only, "those of all stages"),
        (reads_ahead, "30 items were under way"),
        (none_is_the_end, "1, None, 2"),
    ],
)
def test_make_wrong(answer: Any, words: str) -> None:
    assert_not_yet("05-make", answer, words)


async def swallows_errors(items: Any, *stages: Any) -> list[Any]:
    try:
        return await chain_of_channels(items, *stages)
    except ExceptionGroup:
        return []


async def leaves_tasks(items: Any, *stages: Any) -> list[Any]:
    running = asyncio.create_task(chain_of_channels(items, *stages))
    try:
        return await asyncio.shield(running)
    except ExceptionGroup:
        _ = asyncio.create_task(asyncio.sleep(60))
        raise


@pytest.mark.parametrize(
    ("answer", "words"),
    [(swallows_errors, "as if nothing had been"), (leaves_tasks, "left behind")],
)
def test_make_failure(answer: Any, words: str) -> None:
    assert_not_yet("05-make", answer, words)


# -- 05-judge ------------------------------------------------------------------------

RIGHT: dict[str, Any] = {
    "broadcaster": "bound",
    "litestar": "refuse",
    "uvicorn": "harmless",
    "crawlee": "end",
    "discord.py": "harmless",
}


def test_judge() -> None:
    assert check("05-judge", RIGHT)
    for library in FINDINGS:
        for verdict in VERDICTS:
            answer = RIGHT | {library: verdict}
            assert bool(check("05-judge", answer)) == (answer == RIGHT)
    one = check("05-judge", RIGHT | {"crawlee": "bound", "litestar": "bound"})
    assert one.message == "3 of 5 are right."
    assert one.hint.startswith("litestar: ")


@pytest.mark.parametrize(
    "answer", [None, [], {}, {"broadcaster": 1}, RIGHT | {"uvicorn": []}]
)
def test_judge_no_verdict(answer: Any) -> None:
    assert not check("05-judge", answer)


def test_judge_the_linter_says_what_the_check_says_of_it() -> None:
    sections = {}
    for library, source in FINDINGS.items():
        if source.startswith("self."):
            first, _, rest = source.partition("\n")
            source = "class Service:\n    def __init__(self):\n        " + first
            source += "\n" + textwrap.indent(rest, "    ")
        source = "import asyncio\n" + source
        (finding,) = check_source(source, select=["LAG1", "LAG102"])
        sections[library] = finding.section
    assert sections == {
        "broadcaster": "lag101-await",
        "litestar": "lag101-callback",
        "uvicorn": "lag102-answer",
        "crawlee": "lag101-finally",
        "discord.py": "lag101-callback",
    }
