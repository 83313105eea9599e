"""Whether a channel without a bound can grow, and the advice for it."""

from __future__ import annotations

import textwrap

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import EVERY


def sections(source: str) -> list[str]:
    """The section of each finding about a channel."""
    findings = check_source(textwrap.dedent(source), select=EVERY)
    return [one.section for one in findings if one.code in ("LAG101", "LAG102")]


def said(source: str) -> str:
    """The message of the only finding about a channel."""
    findings = check_source(textwrap.dedent(source), select=EVERY)
    (message,) = [x.message for x in findings if x.code in ("LAG101", "LAG102")]
    return message


PRODUCERS = {
    "lag101-await": """\
        async def on_message(self, item):
            await self.queue.put(item)
        """,
    "lag101-nowait": """\
        async def on_message(self, item):
            self.queue.put_nowait(item)
        """,
    "lag101-callback": """\
        def data_received(self, item):
            self.queue.put_nowait(item)
        """,
    "lag101-thread": """\
        def read(self, item):
            self.loop.call_soon_threadsafe(self.queue.put_nowait, item)
        """,
    "lag101-mixed": """\
        async def on_message(self, item):
            await self.queue.put(item)
        def on_close(self):
            self.queue.put_nowait(None)
        """,
    "lag101-finally": """\
        async def feed(self, source):
            try:
                async for item in source: await self.queue.put(item)
            finally:
                await self.queue.put(None)
        """,
    "lag101-fanout": """\
        async def publish(self, item):
            for queue in self.queue.values():
                await queue.put(item)
        """,
    "lag101-elsewhere": """\
        def start(self, source):
            source.subscribe(self.queue.put_nowait)
        """,
    "lag102-answer": """\
        async def ask(self, item):
            answer = asyncio.get_running_loop().create_future()
            await self.queue.put((item, answer))
            return await answer
        """,
    "lag102-frontier": """\
        async def search(self, item):
            while item := await self.queue.get():
                for one in item.links():
                    self.queue.put_nowait(one)
        """,
    "lag102-size": """\
        def data_received(self, item):
            if self.queue.qsize() >= self.most:
                raise OverflowError
            self.queue.put_nowait(item)
        """,
    "lag102-paused": """\
        def data_received(self, item):
            self.queue.put_nowait(item)
            self.transport.pause_reading()
        """,
    "lag102-gate": """\
        async def on_message(self, item):
            await self.semaphore.acquire()
            self.queue.put_nowait(item)
        """,
    "lag102-phase": """\
        def data_received(self, item):
            self.queue.put_nowait(item)
        def ready(self):
            del self.queue
        """,
}


def service(producer: str) -> str:
    text = "import asyncio\nclass Service:\n    def __init__(self):\n"
    text += "        self.queue = asyncio.Queue()\n"
    text += textwrap.indent(textwrap.dedent(producer), "    ")
    return text + "    async def read(self):\n        return await self.queue.get()\n"


@pytest.mark.parametrize("section", PRODUCERS)
def test_the_producer_decides(section):
    assert sections(service(PRODUCERS[section])) == [section]


def test_an_error_is_only_what_grows():
    severity = {}
    for section, producer in PRODUCERS.items():
        (finding,) = check_source(service(producer), select=EVERY)
        severity[section] = finding.severity
        assert finding.code == ("LAG101" if "101" in section else "LAG102")
    warnings = {one for one, how in severity.items() if how == "warning"}
    assert warnings == {"lag101-elsewhere"}
    assert {how for one, how in severity.items() if "102" in one} == {"note"}
    assert severity["lag101-await"] == "error"


def test_the_advice_names_the_line():
    def advice(section):
        return said(service(PRODUCERS[section])).partition("Queue() ")[2]

    assert advice("lag101-await") == (
        "grows: pass maxsize=1, so that 'await put()' in line 6 waits"
    )
    assert advice("lag101-nowait") == (
        "grows: pass maxsize=1 and 'await put()' in line 6 in place of put_nowait()"
    )
    assert advice("lag101-callback") == (
        "grows: pass maxsize=1000; on QueueFull in line 6 drop, refuse or pause "
        "the source"
    )
    assert advice("lag101-thread") == (
        "grows: pass maxsize=1; in line 6, off the loop's thread, "
        "run_coroutine_threadsafe(put(...), loop).result()"
    )
    assert advice("lag101-mixed") == (
        "grows: pass maxsize=1000; put() in line 6 then waits, line 8 must handle "
        "QueueFull"
    )


@pytest.mark.parametrize(
    ("producer", "section"),
    [
        # What is not the end of things, however it is called.
        ("def f(self, stopwatch): self.queue.put_nowait(stopwatch)", "lag101-callback"),
        ("def f(self, x): self.queue.put_nowait({'type': 'data', 'x': x})",
         "lag101-callback"),
        # Sentinels.
        ("def f(self): self.queue.put_nowait(None)", "lag101-elsewhere"),
        ("def f(self): self.queue.put_nowait(_STOP)", "lag101-elsewhere"),
        ("def f(self): self.queue.put_nowait(StopSignal())", "lag101-elsewhere"),
        ("def f(self): self.queue.put_nowait(Event(Kind.clean_close))",
         "lag101-elsewhere"),
        ("def f(self, c): self.queue.put_nowait({'type': 'ws.disconnect', 'c': c})",
         "lag101-elsewhere"),
        ("def f(self): self.queue.put_nowait({'type': 'ws.connect'})",
         "lag101-elsewhere"),
        # A size that is looked at for another reason, or by another.
        ("def f(self, x):\n if self.queue.qsize() > 0: pass\n self.queue.put_nowait(x)",
         "lag101-callback"),
        ("def f(self, x): self.queue.put_nowait(x)\ndef g(self): "
         "return self.queue.qsize() > self.most", "lag101-callback"),
        # A wait for something that is no answer.
        ("async def f(self, x):\n self.queue.put_nowait(x)\n await self.flush()",
         "lag101-nowait"),
        ("async def f(self, x):\n e = Event()\n await self.queue.put(e)",
         "lag101-await"),
        ("async def f(self, x):\n e = asyncio.Event()\n await self.queue.put(e)\n"
         " await asyncio.wait_for(e.wait(), 1)", "lag102-answer"),
        ("async def f(self, x):\n self.queue.put_nowait(x)\n await self.queue.join()",
         "lag102-answer"),
        # Another class's attribute of the same name.
        ("def f(self): pass\nasync def g(self):\n while True: "
         "await other.queue.put(1)", "lag101-await"),
        # Handed over with an item, for later.
        ("def f(self, x): call_later(1, self.queue.put_nowait, x)", "lag101-callback"),
        # A full queue that is already handled.
        ("def f(self, x):\n try: self.queue.put_nowait(x)\n"
         " except asyncio.QueueFull: pass", "lag101-callback"),
        # From a thread, and waiting.
        ("def f(self, x): asyncio.run_coroutine_threadsafe(self.queue.put(x), loop)",
         "lag101-thread"),
    ],
)  # fmt: skip
def test_what_is_put_and_when(producer, section):
    assert sections(service(producer + "\n")) == [section]


def test_a_full_queue_that_is_handled_lacks_only_the_bound():
    producer = "def f(self, x):\n try: self.queue.put_nowait(x)\n except QueueFull: 1\n"
    assert "handles QueueFull, which is never raised" in said(service(producer))


def test_only_producers_of_the_class_and_its_relatives_count():
    source = """\
        import asyncio
        class One:
            def __init__(self): self.queue = asyncio.Queue()
            async def get(self): return await self.queue.get()
        class Two:
            def __init__(self): self.queue = asyncio.Queue(1)
            async def put(self, x): await self.queue.put(x)
        """
    assert sections(source) == ["lag101-elsewhere"]
    assert sections(source.replace("Two:", "Two(One):")) == ["lag101-await"]


@pytest.mark.parametrize(
    "way",
    [
        "start(produce(queue))",
        "start(produce(queue=queue))",
        "task_group.start_soon(produce, queue)",
        "asyncio.to_thread(run, produce, queue)",
        "service.other = queue; start(produce(service.other))",
        "both = [queue, 1]; start(produce(both[0]))",
        "queues = {}; queues[1] = queue; start(produce(queues.get(1)))",
        "queues = []; queues.append(queue)\n    for one in queues: start(produce(one))",
        "start(hand_on(queue))",
        "start(Maker(queue).work())",
    ],
)
def test_a_channel_is_followed(way):
    source = f"""\
import asyncio
async def main(service):
    queue = asyncio.Queue()
    {way}
    while True:
        await queue.get()
async def hand_on(first): await produce(first)
class Maker:
    def __init__(self, out): self.out = out
    async def work(self):
        async for item in source(): await self.out.put(item)
async def produce(queue):
    async for item in source():
        await queue.put(item)
"""
    assert sections(source) == ["lag101-await"]


@pytest.mark.parametrize(
    ("body", "section"),
    [
        ("await queue.put(1)", "lag102-fixed"),
        ("for x in [1, 2]: await queue.put(x)", "lag102-fixed"),
        ("for x in items: queue.put_nowait(x)", "lag102-fixed"),
        ("for x in enumerate(items): queue.put_nowait(x)", "lag102-fixed"),
        ("for x in open(name): await queue.put(x)", "lag101-fill"),
        ("while True: await queue.put(await read())", "lag101-fill"),
        ("async for x in source: await queue.put(x)", "lag101-fill"),
        ("for x in items:\n  while True: await queue.put(x)", "lag101-fill"),
        ("start(queue)\n async for x in source: await queue.put(x)", "lag101-await"),
        ("start(one(queue))", "lag102-fixed"),
        ("for x in items: start(one(queue))", "lag101-await"),
        ("await fill(queue)\n await queue.get()", "lag102-fixed"),
        ("start(fill(queue))\n await queue.get()", "lag101-await"),
    ],
)
def test_a_fixed_number_of_items(body, section):
    source = f"""\
import asyncio
async def main(items, source):
 queue = asyncio.Queue()
 {body}
async def one(queue):
 await work()
 await queue.put(2)
async def fill(queue):
 while more():
  await queue.put(2)
"""
    assert sections(source) == [section]


def test_channels_of_one_variable_in_two_branches():
    source = """\
        import asyncio
        async def f(self, text):
            if text:
                queue = asyncio.Queue()
                start(produce(queue))
            else:
                queue = asyncio.Queue()
                await queue.put(1)
        async def produce(queue):
            async for item in source():
                await queue.put(item)
        """
    assert sections(source) == ["lag101-await", "lag102-fixed"]


def test_a_buffer_that_is_emptied_at_once():
    source = """\
        import asyncio
        class Writer:
            def __init__(self): self.pending = asyncio.Queue()
            def write(self, data): self.pending.put_nowait(data)
            def flush(self):
                while not self.pending.empty(): send(self.pending.get_nowait())
        """
    assert sections(source) == ["lag101-batch"]


def test_fields_of_classes():
    source = """\
        import asyncio
        from dataclasses import dataclass, field
        @dataclass
        class Job:
            updates: asyncio.Queue = field(default_factory=asyncio.Queue)
        async def work(job):
            async for item in source():
                await job.updates.put(item)
        """
    assert said(source) == (
        "asyncio.Queue grows: write lambda: asyncio.Queue(maxsize=1), so that "
        "'await put()' in line 8 waits"
    )


def test_a_class_of_channels():
    source = """\
        import asyncio
        class Jobs(asyncio.Queue):
            def __init__(self, name): super().__init__()
        """
    assert sections(source) == ["lag101-class"]
    source = textwrap.dedent(source) + "    def _put(self, x): ...\n"
    assert sections(source) == ["lag102-storage"]


@pytest.mark.parametrize(
    ("imports", "made", "is_found"),
    [
        ("import anyio, math", "anyio.create_memory_object_stream(math.inf)", True),
        (
            "import anyio, math",
            "anyio.create_memory_object_stream[int](math.inf)",
            True,
        ),
        ("import anyio", "anyio.create_memory_object_stream(float('inf'))", True),
        ("import anyio", "anyio.create_memory_object_stream()", False),
        ("import anyio", "anyio.create_memory_object_stream(0)", False),
        ("import anyio", "anyio.create_memory_object_stream(10)", False),
        (
            "import anyio; from math import inf",
            "anyio.create_memory_object_stream(max_buffer_size=inf)",
            True,
        ),
        ("import trio, math", "trio.open_memory_channel(math.inf)", True),
        ("import trio, math", "trio.open_memory_channel[int](math.inf)", True),
        ("import trio", "trio.open_memory_channel(0)", False),
        ("import asyncio, math", "asyncio.Queue(math.inf)", True),
        ("import asyncio, math", "asyncio.Queue(maxsize=math.inf)", True),
        ("import asyncio, math", "asyncio.Queue(maxsize=math.pi)", False),
        ("import janus", "janus.Queue()", True),
        ("import janus", "janus.Queue(maxsize=5)", False),
        ("from tornado.queues import Queue", "Queue()", True),
        ("from tornado import queues", "queues.PriorityQueue(maxsize=0)", True),
        ("from tornado import queues", "queues.Queue(9)", False),
    ],
)
def test_channels_of_other_libraries(imports, made, is_found):
    findings = check_source(f"{imports}\nx = {made}\n", select=EVERY)
    assert [one.code for one in findings] == ["LAG101"] * is_found


def test_the_ends_of_a_channel():
    source = """\
        import anyio, math
        class Bus:
            def __init__(self):
                self.send, self.receive = anyio.create_memory_object_stream(math.inf)
            def emit(self, item):
                self.send.send_nowait(item)
        """
    assert said(source) == (
        "anyio.create_memory_object_stream() grows: pass 1000; on WouldBlock in line 6 "
        "drop, refuse or pause the source"
    )
    waits = source.replace("def emit", "async def emit")
    waits = waits.replace("self.send.send_nowait", "await self.send.send")
    assert said(waits) == (
        "anyio.create_memory_object_stream() grows: pass 1, so that 'await send()' in "
        "line 6 waits"
    )


def test_the_ends_of_a_janus_queue():
    source = """\
        import janus
        class Bridge:
            def __init__(self): self.queue = janus.Queue()
            def work(self, item): self.queue.sync_q.put(item)
            async def read(self): return await self.queue.async_q.get()
        """
    assert sections(source) == ["lag101-await"]


def test_class_attributes_and_defaults():
    source = """\
        import asyncio
        class Client:
            kind = asyncio.Queue
            other = dict
            def __init__(self, cls=asyncio.Queue, *, k=asyncio.Queue):
                self.a = self.kind()
                self.b = cls()
                self.c = cls(1)
                self.d = k()
                self.e = self.other()
            @classmethod
            def make(cls): return cls.kind()
        """
    findings = check_source(textwrap.dedent(source), select=EVERY)
    assert [one.line for one in findings] == [6, 7, 9, 12]


@pytest.mark.parametrize(
    ("producer", "section"),
    [
        # Only the last word of a name says the end, and only of what is made here.
        ("async def f(self):\n while True: await self.queue.put(self.close_price)",
         "lag101-await"),
        ("async def f(self, s):\n async for error in s: await self.queue.put(error)",
         "lag101-await"),
        ("def f(self, signal): self.queue.put_nowait(signal)", "lag101-callback"),
        ("def f(self): self.queue.put_nowait(ErrorEvent(1))", "lag101-callback"),
        ("def f(self): self.queue.put_nowait(self.poison)", "lag101-elsewhere"),
        ("def f(self):\n try: 1\n except OSError as error: "
         "self.queue.put_nowait(error)", "lag101-elsewhere"),
        # What is awaited afterwards is no answer unless the item carries it, or it was
        # there before, or it is the task that takes.
        ("async def f(self, x):\n await self.queue.put(x)\n t = start(x)\n await t",
         "lag101-await"),
        ("async def f(self, x, lock):\n await self.queue.put(x)\n await lock.wait()",
         "lag101-await"),
        ("async def f(self, x):\n await self.queue.put(x)\n await x", "lag102-answer"),
        ("async def f(self, x):\n await self.queue.put(x)\n await x.done.wait()",
         "lag102-answer"),
        ("async def f(self, x):\n t = start(x)\n await self.queue.put(x)\n await t",
         "lag102-answer"),
        ("async def f(self, x):\n await self.queue.put((x, self.done))\n"
         " await self.done.wait()", "lag102-answer"),
        ("async def f(self, x):\n await self.queue.put(Job(x, self.done))\n"
         " waits = asyncio.shield(self.done)\n await waits", "lag102-answer"),
        ("async def f(self, x):\n await self.queue.put(x)\n await self.task\n"
         "def start(self): self.task = asyncio.create_task(self.read())",
         "lag102-answer"),
        ("async def f(self, x):\n await self.queue.put(x)\n await self.done.wait()",
         "lag101-await"),
        ("async def f(self, x):\n await self.queue.put(x)\n await self.done.wait()\n"
         " self.done.set()", "lag101-await"),
        ("async def f(self, x):\n await self.queue.put(x)\n await self.done.wait()\n"
         "def g(self): self.done.set()", "lag102-answer"),
    ],
)  # fmt: skip
def test_what_is_no_end_and_what_is_an_answer(producer, section):
    assert sections(service(producer + "\n")) == [section]
