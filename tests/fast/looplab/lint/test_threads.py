"""What threads do to the loop: events that they set, and what a loop asks of them."""

from __future__ import annotations

import textwrap

import pytest

from looplab.lint import check_source
from looplab.lint.findings import LONGEST
from tests.fast.looplab.lint.marks import EVERY, agrees


def test_an_event_that_a_thread_sets():
    agrees(
        """\
        import asyncio, threading
        from threading import Thread

        class Reader:
            def __init__(self):
                self.ready = asyncio.Event()
                self.stop = threading.Event()

            def run(self):
                self.ready.set()  # LAG303
                self.stop.set()

            def start(self):
                Thread(target=self.run).start()

        def worker(done, stop):
            stop.set()
            done.set()  # LAG303

        async def main(loop):
            there = asyncio.Event()

            def inner():
                if there.is_set():
                    return
                there.set()  # LAG303

            await asyncio.to_thread(inner)
            await loop.run_in_executor(None, lambda: there.set())  # LAG303
            done, stop = asyncio.Event(), threading.Event()
            one = asyncio.Event()
            two = threading.Event()
            Thread(target=worker, args=(one, two)).start()
        """
    )


def test_what_is_no_event_of_asyncio_or_in_no_thread():
    agrees(
        """\
        import asyncio, threading

        class Reader:
            def __init__(self):
                self.ready = threading.Event()
                self.mixed = asyncio.Event()

            def reset(self):
                self.mixed = threading.Event()

            def run(self):
                self.ready.set()
                self.mixed.set()

            def start(self):
                threading.Thread(target=self.run).start()

        class Other:
            def __init__(self):
                self.ready = asyncio.Event()

            def run(self):
                self.ready.set()  # on the loop

        def unknown(event):
            event.set()

        def either(flag):
            event = asyncio.Event() if flag else threading.Event()
            threading.Thread(target=unknown, args=(event,)).start()

        async def main(loop):
            there, stop = asyncio.Event(), threading.Event()
            done = asyncio.Event()

            def safe():
                loop.call_soon_threadsafe(done.set)
                loop.call_soon_threadsafe(lambda: done.set())

                def later():
                    done.set()

                loop.call_soon_threadsafe(later)

            def on_the_loop():
                done.set()

            loop.call_soon(on_the_loop)
            done.set()
            await asyncio.to_thread(safe)
            await asyncio.to_thread(there.wait)
        """
    )


def test_a_name_that_is_bound_twice_is_not_guessed_at():
    agrees(
        """\
        import asyncio, threading

        async def main(threads):
            event = asyncio.Event()
            if threads:
                event = threading.Event()

            def work():
                event.set()

            await asyncio.to_thread(work)
        """
    )


@pytest.mark.parametrize(
    ("change", "section"),
    [
        ("self.closed = True", "lag203-thread"),
        ("self.items.append(1)", "lag203-thread"),
        ("closed = True", "lag203"),
        ("self.other = 1", "lag203"),
        ("pass", "lag203"),
    ],
)
def test_a_loop_that_asks_for_what_a_thread_does(change, section):
    source = textwrap.dedent(
        f"""\
        import asyncio, threading

        class Reader:
            def run(self):
                {change}

            async def wait(self):
                threading.Thread(target=self.run).start()
                while not (self.closed or self.items):
                    log()
                    await asyncio.sleep(0.01)
        """
    )
    (one,) = check_source(source, select=EVERY)
    assert (one.code, one.section) == ("LAG203", section)
    assert ("call_soon_threadsafe" in one.message) == (section == "lag203-thread")
    assert len(one.message) <= LONGEST
    polls = source.replace("sleep(0.01)", "sleep(0)")
    (one,) = check_source(polls, select=EVERY)
    assert one.code == "LAG201"
    assert ("call_soon_threadsafe" in one.message) == (section == "lag203-thread")
    assert len(one.message) <= LONGEST


@pytest.mark.parametrize("name", ["done", "self.a." + "very_" * 30 + "long"])
def test_the_message_names_the_event_and_is_short(name):
    target = name.rpartition(".")[2]
    source = (
        "import asyncio\n"
        f"class A:\n    def f(self):\n        self.{target} = asyncio.Event()\n"
        f"    def g(self):\n        self.{target}.set()\n"
        "    async def h(self):\n        await asyncio.to_thread(self.g)\n"
    )
    (one,) = check_source(source)
    assert one.code == "LAG303" and one.severity == "error"
    assert len(one.message) <= LONGEST
    assert "use loop.call_soon_threadsafe(" in one.message
    assert ("done.set" in one.message) == (name == "done")
