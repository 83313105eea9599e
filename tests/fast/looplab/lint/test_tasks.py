"""Tasks that a semaphore holds, and locks that are held too long (LAG301, LAG302)."""

from __future__ import annotations

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import agrees


def test_a_storm():
    agrees(
        """\
        import asyncio
        semaphore = asyncio.Semaphore(5)

        async def fetch(url):
            async with semaphore:
                return await get(url)

        class Pool:
            def __init__(self): self.slots = asyncio.BoundedSemaphore(3)
            async def run(self, item):
                "Words."
                async with self.slots:
                    await work(item)
            async def all(self, items):
                async with asyncio.TaskGroup() as group:
                    for item in items:
                        group.create_task(self.run(item))  # LAG301

        async def main(urls):
            await asyncio.gather(*[fetch(url) for url in urls])  # LAG301
            await asyncio.gather(*(fetch(url) for url in urls))  # LAG301
            tasks = {asyncio.create_task(fetch(url)) for url in urls}  # LAG301
            for url in urls:
                asyncio.ensure_future(fetch(url))  # LAG301
            for url in range(1000):
                nursery.start_soon(fetch, url)  # LAG301
        """
    )


def test_no_storm():
    agrees(
        """\
        import asyncio
        semaphore = asyncio.Semaphore(5)
        lock = asyncio.Lock()

        async def fetch(url):
            async with semaphore:
                return await get(url)

        async def later(url):
            await prepare(url)
            async with semaphore:
                return await get(url)

        async def alone(url):
            async with lock:
                return await get(url)

        async def main(urls):
            await asyncio.gather(*[fetch(url) for url in ("a", "b")])
            await asyncio.gather(*[fetch(n) for n in range(3)])
            await asyncio.gather(fetch(1), fetch(2))
            await asyncio.gather(*[later(url) for url in urls])
            await asyncio.gather(*[alone(url) for url in urls])
            for url in urls:
                await fetch(url)
            asyncio.create_task(fetch(1))
        """
    )


def test_a_lock_of_threads():
    agrees(
        """\
        import asyncio, threading
        lock = threading.Lock()

        class Service:
            def __init__(self):
                self.lock = threading.RLock()
                self.other = asyncio.Lock()

            async def save(self):
                with self.lock:  # LAG302
                    self.count += 1
                    await write()
                with self.lock:
                    self.count += 1
                await write()
                with self.lock:
                    async def inner(): await write()
                async with self.other:
                    await write()
                with open("a"), lock:  # LAG302
                    async for x in y: pass
                with threading.Lock():  # LAG302
                    await write()
                with lock:
                    lock.release()
                    await write()
                    lock.acquire()
        """
    )


def test_a_name_that_is_two_locks():
    agrees(
        """\
        import asyncio, threading
        class One:
            def __init__(self): self.lock = threading.Lock()
        class Two:
            def __init__(self): self.lock = asyncio.Lock()
            async def f(self):
                with self.lock:
                    await g()
        """
    )


@pytest.mark.parametrize(
    ("other", "advice"),
    [
        ("async def other(self): await go()", "take asyncio.Lock or await outside"),
        ("def other(self):\n  with self.lock: go()", "await outside the lock"),
        ("def other(self):\n  self.lock.acquire()", "await outside the lock"),
        (
            "async def other(self):\n  with self.lock: go()",
            "take asyncio.Lock or await outside",
        ),
        (
            "async def other(self):\n  def inner():\n   with self.lock: go()\n"
            "  await asyncio.to_thread(inner)",
            "await outside the lock",
        ),
    ],
)
def test_a_lock_that_a_plain_function_takes_too_stays_one_of_threads(other, advice):
    source = (
        "import asyncio, threading\nclass A:\n"
        " def __init__(self): self.lock = threading.Lock()\n"
        " async def load(self):\n  with self.lock:\n   await go()\n "
    )
    (finding,) = check_source(source + other + "\n", select=["LAG302"])
    assert finding.message == (
        "lock is held across the await in line 6: other threads stop the loop; "
        + advice
    )


def test_a_long_name_gives_way():
    name = "the_one_that_everybody_waits_for_" * 3
    source = (
        f"import asyncio, threading\n{name}lock = threading.Lock()\n"
        f"{name}sem = asyncio.Semaphore(3)\n"
        f"async def one(x):\n async with {name}sem: await x\n"
        f"async def all(xs):\n await asyncio.gather(*[one(x) for x in xs])\n"
        f" with {name}lock: await go()\n"
    )
    findings = check_source(source)
    assert [(one.line, one.code) for one in findings] == [(7, "LAG301"), (8, "LAG302")]
    for finding in findings:
        assert len(finding.message) <= 120
        assert name not in finding.message
        assert "line 5" in finding.message or "line 8" in finding.message
