"""Questions of the quizzes that no lab answers as they are asked: each is run."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from collections import Counter, deque
from collections.abc import Generator
from typing import Any

import pytest

from looplab import DeadlockError, elapsed, run
from tools.common import ROOT


def quiz(page: str) -> list[str]:
    """The questions of a page, each with its answers."""
    text = (ROOT / "book" / f"{page}.md").read_text("utf-8")
    _, _, rest = text.partition("\n## Quiz\n")
    return rest.partition("\n## ")[0].split("\n**")[1:]


def right(page: str, words: str) -> str:
    """The answer that the page calls right, of the question with these words."""
    (question,) = (each for each in quiz(page) if words in " ".join(each.split()))
    (answer,) = (
        choice.partition("\n")[0].strip()
        for choice in question.split(":::{dropdown}")[1:]
        if "Right" in choice
    )
    return answer


def test_each_quiz_is_numbered_and_names_what_is_right() -> None:
    pages = sorted(file.stem for file in (ROOT / "book").glob("0[1-5]_*.md"))
    assert len(pages) == 5
    for page in pages:
        questions = quiz(page)
        numbers = [int(each.partition(".")[0]) for each in questions]
        assert numbers == list(range(1, len(questions) + 1)), page
        for each in questions:
            assert each.count(":::{dropdown}") == 3
            assert "Right" in each


# ---- chapter 1 ----------------------------------------------------------------


def test_a_task_that_nobody_holds() -> None:
    answer = right("01_callbacks", "`listen` waits for a future that nobody else holds")

    async def listen(ended: list[str]) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            ended.append("cancelled")

    async def main() -> tuple[bool, bool, list[str], list[str]]:
        logged: list[str] = []
        ended: list[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: logged.append(context["message"])
        )
        task = weakref.ref(asyncio.create_task(listen(ended)))
        await asyncio.sleep(0)
        before = task() is not None
        gc.collect()
        return before, task() is not None, logged, ended

    before, after, logged, ended = run(main())
    assert before and not after
    assert logged == ["Task was destroyed but it is pending!"]
    assert not ended
    assert answer == "It may be gone, and no `except` ever heard of it"


def test_a_bare_yield_in_await() -> None:
    answer = right("01_callbacks", "class Seven:")

    class Seven:
        def __await__(self) -> Generator[None, None, int]:
            yield
            return 7

    async def main() -> list[Any]:
        loop, ran = asyncio.get_running_loop(), list[Any]()
        loop.call_soon(ran.append, "ready before")
        ran.append(await Seven())
        return ran

    assert run(main()) == ["ready before", 7]
    assert answer == "In the next iteration, with 7"


# ---- chapter 3 ----------------------------------------------------------------


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="eager tasks came with Python 3.12"
)
def test_an_eager_task_that_never_waits() -> None:
    answer = right("03_task_cost", "Tasks are eager")

    async def find(key: str) -> int:
        return {"a": 1}[key]

    async def main(eager: bool) -> bool:
        if eager:
            factory = asyncio.eager_task_factory  # type: ignore[attr-defined,unused-ignore]
            asyncio.get_running_loop().set_task_factory(factory)
        task = asyncio.create_task(find("a"))
        done = task.done()
        assert await task == 1
        return done

    assert run(main(eager=True)) and not run(main(eager=False))
    assert answer == "When `create_task` returns"


# ---- chapter 5 ----------------------------------------------------------------


def test_a_put_that_was_given_up() -> None:
    answer = right("05_backpressure", "`async with asyncio.timeout(0.5)")

    async def main() -> list[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=1)
        await queue.put("first")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await queue.put("second")
        taken = [await queue.get()]
        await asyncio.sleep(10)  # time enough for a put that would follow
        while not queue.empty():
            taken.append(queue.get_nowait())
        return taken

    assert run(main()) == ["first"]
    assert answer == "With you"


def test_how_a_service_ends() -> None:
    answer = right("05_backpressure", "A service gets SIGTERM")

    async def main(cancel_first: bool, grace: float | None) -> tuple[float, str, str]:
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=10)
        done, left = [], []

        async def work() -> None:
            while True:
                job = await queue.get()
                try:
                    await asyncio.sleep(10_000 if job == "hangs" else 1)
                    done.append(job)
                except asyncio.CancelledError:
                    left.append(job)
                    raise
                finally:
                    queue.task_done()

        crew = [asyncio.create_task(work()) for _ in range(2)]
        for job in ("a", "b", "hangs", "c"):
            queue.put_nowait(job)
        await asyncio.sleep(0)
        if cancel_first:
            for worker in crew:
                worker.cancel()
        try:
            async with asyncio.timeout(grace):
                await queue.join()
        except TimeoutError:
            for worker in crew:
                worker.cancel()
            await asyncio.gather(*crew, return_exceptions=True)
        return elapsed(), "".join(sorted(done)), " ".join(left)

    with pytest.raises(DeadlockError):
        run(main(cancel_first=True, grace=None))
    took, done, _ = run(main(cancel_first=False, grace=None))
    assert took > 10_000 and done == "abchangs"
    assert run(main(cancel_first=False, grace=5)) == (5, "abc", "hangs")
    assert answer.startswith("`queue.join()` with a time-out")


def answered(bound: int, each: int | None) -> Counter[str]:
    """Answers in ten seconds to one greedy client and ten who ask twice a second."""
    got: Counter[str] = Counter()

    async def main() -> None:
        queue: asyncio.Queue[str] = asyncio.Queue(bound)

        async def serve() -> None:
            while True:
                client = await queue.get()
                await asyncio.sleep(0.0125)
                got[client] += 1

        async def ask(client: str, begin: float, gap: float) -> None:
            times: deque[float] = deque()  # when this one was let in lately
            await asyncio.sleep(begin)
            while elapsed() < 10:
                while times and times[0] <= elapsed() - 1:
                    times.popleft()
                if each is not None and len(times) >= each:
                    got[client + " 429"] += 1
                else:
                    times.append(elapsed())
                    try:
                        queue.put_nowait(client)
                    except asyncio.QueueFull:
                        got[client + " 503"] += 1
                await asyncio.sleep(gap)

        serving = asyncio.create_task(serve())
        async with asyncio.TaskGroup() as clients:
            clients.create_task(ask("greedy", 0.0003, 0.001))
            for number in range(10):
                clients.create_task(ask("other", 0.0507 * number, 0.5))
        serving.cancel()

    run(main())
    return got


def test_what_protects_the_others_from_one() -> None:
    answer = right("05_backpressure", "One client sends a thousand requests per second")
    for bound in (5, 40, 400):  # neither a smaller bound helps nor a larger one
        got = answered(bound, None)
        assert got["other 503"] > 0.5 * (got["other"] + got["other 503"])
    got = answered(40, 20)
    assert got["other 503"] == got["other 429"] == 0
    assert got["greedy 429"] > 9000
    assert answer == "A limit for each client, and *429* above it"
