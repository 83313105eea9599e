"""Which calls make a channel without a bound (LAG100), and which sleep for no time."""

from __future__ import annotations

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import EVERY, flagged

LETTER = ("LAG100",)
FREE = """
, 0, -1, +0, None, False, not 1, ~5, - - -3, 0.0, maxsize=0, maxsize=None, loop=loop
"""
BOUND = """
1, True, maxsize=1, not 0, ~-5, - -1, n, n or 0, 0 if n else 1, len(n), self.n, *n, **n,
int('0'), 1 - 1, '0', 0 < n
"""


def arguments(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


@pytest.mark.parametrize("name", ["Queue", "LifoQueue[int]", "queues.PriorityQueue"])
def test_what_bounds_a_channel(name):
    for words in arguments(FREE):
        assert flagged(f"asyncio.{name}({words})", select=LETTER) == ["LAG100"], words
    for words in arguments(BOUND):
        assert flagged(f"asyncio.{name}({words})", select=LETTER) == [], words


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import asyncio as aio", "aio.queues.LifoQueue()"),
        ("import os, asyncio", "asyncio.Queue()"),
        ("import asyncio.queues", "asyncio.Queue()"),
        ("import asyncio.queues as q", "q.Queue()"),
        ("from asyncio import Queue as Q", "Q()"),
        ("from asyncio import queues as q", "q.Queue[int](0)"),
        ("from asyncio.queues import Queue", "(Queue)()"),
        ("from asyncio import *", "Queue()"),
        ("import asyncio\nQ: type = asyncio.Queue[int]\nR = Q", "R()"),
        ("import asyncio\na = asyncio", "a.Queue()"),
        ("try:\n import asyncio\nexcept E:\n asyncio = None", "asyncio.Queue()"),
        ("if x:\n import asyncio\nelse:\n import asyncio", "asyncio.Queue()"),
        ("import ａsyncio", "asyncio.Queue()"),  # Python reads it as asyncio
    ],
)
def test_by_whatever_name(imports, call):
    source = f"{imports}\nmade = {call}\n"
    assert len(check_source(source, select=LETTER)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import queue\nq = queue.Queue()",
        "import asyncio\nfrom queue import Queue\nq = Queue()",
        "import asyncio\nq = Queue()",
        "from .asyncio import Queue\nq = Queue()",
        "from . import asyncio\nq = asyncio.Queue()",
        "import mine.asyncio\nq = mine.asyncio.Queue()",
        "from asyncio import Queue\nfrom queue import Queue\nq = Queue()",
        "from asyncio import *\nfrom queue import *\nq = Queue()",
        "from asyncio import *\ndef Queue(): ...\nq = Queue()",
        "from asyncio import Queue\nf = lambda Queue: Queue()",
        "from asyncio import Queue\ndef f():\n q = Queue()\n Queue = g()",
        "from asyncio import Queue\ndef f():\n class Queue: ...\n return Queue()",
        "from asyncio import Queue\nqs = [Queue() for Queue in kinds]",
        "from asyncio import Queue\ndef f():\n for Queue in x: Queue()",
        "from asyncio import Queue\ndef f():\n with x as Queue: Queue()",
        "from asyncio import Queue\ndef f():\n try: ...\n except E as Queue: Queue()",
        "from asyncio import Queue\ndef f(x):\n match x:\n  case [*Queue]: Queue()",
        "from asyncio import Queue\ndef f(x):\n match x:\n  case {**Queue}: Queue()",
        "from asyncio import Queue\ndef f():\n if (Queue := g()): Queue()",
        "from asyncio import Queue\ndef f(*Queue): Queue()",
        "from asyncio import Queue\ndef f():\n global Queue\n Queue = g()\nQueue()",
        "import asyncio\nasyncio = fake()\nasyncio.Queue()",
        "import asyncio\nA = B\nB = A\nA()",
        "import asyncio\nx: asyncio.Queue[int]\ndef f(q: asyncio.Queue) -> None: ...",
        "import asyncio\nx.Queue(); asyncio.Queue(1).Queue(); asyncio.Queue.get()",
        "import asyncio\nclass A(B): ...\nclass B(A): ...\nA(); B()",
    ],
)
def test_other_things_of_the_same_name(source):
    assert check_source(source, select=LETTER) == []


ZERO = """
asyncio.sleep(0); asyncio.sleep(0.0); asyncio.sleep(-1); asyncio.sleep(delay=0);
asyncio.sleep(ZERO); asyncio.sleep(0, result=5);
anyio.sleep(0); anyio.lowlevel.checkpoint(); trio.sleep(seconds=0); nap(0); rest(0);
trio.lowlevel.checkpoint(); gen.sleep(0)
"""
LASTING = """
asyncio.sleep(1); asyncio.sleep(0.2); asyncio.sleep(delay); asyncio.sleep(*a);
asyncio.sleep(**k); asyncio.sleep(); asyncio.sleep('0'); asyncio.sleep(1 / 60);
time.sleep(0); gevent.sleep(0)
"""
IMPORTS = """
import anyio, anyio.lowlevel, asyncio, gevent, time, trio, trio.lowlevel
from asyncio.tasks import sleep as nap
from tornado import gen
rest = asyncio.sleep
ZERO = 0
async def f():
 while x: await """


def test_which_sleeps_last():
    for call in ZERO.split(";"):
        findings = check_source(IMPORTS + call.strip(), select=EVERY)
        assert [finding.code for finding in findings] == ["LAG201"], call
    for call in LASTING.split(";"):
        assert check_source(IMPORTS + call.strip(), select=EVERY) == [], call


@pytest.mark.parametrize(
    ("bound", "operation", "advice"),
    [
        ("3", "await orders.put(x)", "leave it out"),
        ("n()", "orders.put_nowait(x)",
         "await put() in place of put_nowait() and sleep(0)"),
        ("3", "await orders.get()", "leave it out"),
        ("", "await orders.put(x)", "leave it out and bound the queue"),
        ("", "orders.put_nowait(x)",
         "bound the queue, and await put() in place of both"),
        (None, "await orders.put(x)", "leave it out, and see that the queue has a"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["orders", "self.orders"])
def test_what_to_do_in_place_of_sleep(bound, operation, advice, name):
    """A channel is known by what makes it, whatever it is called."""
    made = "queue_of()" if bound is None else f"asyncio.Queue({bound})"
    queue = name if bound is not None else "queue"
    lines = [
        "async def main(self, source):",
        f" {queue} = {made}",
        " start(orders)",
        " async for x in source:",
        f"  {operation.replace('orders', queue)}",
        "  await asyncio.sleep(0)",
    ]
    source = "\n".join(["import asyncio", *lines])
    (finding,) = check_source(source, select=["LAG204"])
    words = finding.message.partition("keep up: ")[2]
    assert words.startswith(advice)
    assert ("bound" in words) == (not bound)
