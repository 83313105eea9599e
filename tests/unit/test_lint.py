"""The rules of the linter: what is reported, and what is left alone."""

from __future__ import annotations

import ast
import io
import re
import string
import textwrap
import time
import tokenize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.lint import RULES, Finding, check_source, selected, split
from looplab.lint.comments import Silence
from tools.common import ROOT

EVERY = ("LAG101", "LAG201", "LAG202")
PAGE = ROOT / "book" / "lint_rules.md"


def marked(source: str) -> set[tuple[int, str]]:
    """The line and code of each comment that says what is reported there."""
    return {
        (number, code)
        for number, line in enumerate(source.splitlines(), 1)
        for code in re.findall(r"LAG\d+", line.partition("#")[2])
    }


def found(source: str, **options) -> set[tuple[int, str]]:
    options.setdefault("select", EVERY)
    return {(one.line, one.code) for one in check_source(source, **options)}


def agrees(source: str) -> None:
    """The findings are those that the comments of the source say."""
    source = textwrap.dedent(source)
    assert found(source, noqa=False) == marked(source)


def flagged(*lines: str) -> list[str]:
    """The codes found in a few lines below `import asyncio`."""
    source = "\n".join(["import asyncio", *lines])
    return [one.code for one in check_source(source, select=EVERY)]


# -- LAG101: the call ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["Queue", "LifoQueue", "PriorityQueue"])
@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "0",
        "-1",
        "+0",
        "None",
        "False",
        "not 1",
        "~5",
        "- - -3",
        "0.0",
        "maxsize=0",
        "maxsize=-1",
        "maxsize=None",
        "maxsize=False",
        "loop=loop",
        "0, loop=loop",
        "**options, maxsize=0",
    ],
)
def test_no_bound(name, arguments):
    assert flagged(f"q = asyncio.{name}({arguments})") == ["LAG101"]
    assert flagged(f"q = asyncio.{name}[int]({arguments})") == ["LAG101"]
    assert flagged(f"q = asyncio.queues.{name}({arguments})") == ["LAG101"]


@pytest.mark.parametrize(
    "arguments",
    [
        "1",
        "10",
        "True",
        "maxsize=1",
        "not 0",
        "~-5",
        "- -1",
        "n",
        "maxsize=n",
        "n or 0",
        "0 if n else 1",
        "len(n)",
        "self.n",
        "*n",
        "**n",
        "*n, **n",
        "int('0')",
        "1 - 1",
        "'0'",
        "0 < n",
    ],
)
def test_a_bound_and_what_is_computed_are_left_alone(arguments):
    assert flagged(f"q = asyncio.Queue({arguments})") == []


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import asyncio as aio", "aio.Queue()"),
        ("import asyncio as aio", "aio.queues.LifoQueue()"),
        ("import os, asyncio", "asyncio.Queue()"),
        ("import asyncio.queues", "asyncio.queues.Queue()"),
        ("import asyncio.queues", "asyncio.Queue()"),
        ("import asyncio.queues as q", "q.Queue()"),
        ("from asyncio import Queue", "Queue()"),
        ("from asyncio import Queue as Q", "Q()"),
        ("from asyncio import queues", "queues.PriorityQueue()"),
        ("from asyncio import queues as q", "q.Queue[int](0)"),
        ("from asyncio.queues import Queue", "Queue()"),
        ("from asyncio import *", "Queue()"),
        ("import asyncio\nQ = asyncio.Queue", "Q()"),
        ("import asyncio\nQ = asyncio.Queue[int]", "Q()"),
        ("import asyncio\nQ: type = asyncio.Queue\nR = Q", "R()"),
        ("import asyncio\na = asyncio", "a.Queue()"),
        (
            "try:\n import asyncio\nexcept ImportError:\n asyncio = None",
            "asyncio.Queue()",
        ),
        ("if x:\n import asyncio\nelse:\n import asyncio", "asyncio.Queue()"),
        ("from asyncio import Queue", "(Queue)()"),
        ("import asyncio", "(asyncio\n.Queue\n)()"),
        ("import ａsyncio", "asyncio.Queue()"),  # Python reads it as asyncio
    ],
)
def test_by_whatever_name(imports, call):
    source = f"{imports}\nmade = {call}\n"
    assert [one.code for one in check_source(source)] == ["LAG101"]
    body = textwrap.indent(source, "    ")
    if "*" not in imports:
        assert len(check_source(f"def f():\n{body}")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import queue\nq = queue.Queue()",
        "from queue import Queue\nq = Queue()",
        "import multiprocessing as mp\nq = mp.Queue()",
        "import asyncio\nfrom queue import Queue\nq = Queue()",
        "import asyncio\nq = Queue()",
        "from .asyncio import Queue\nq = Queue()",
        "from . import asyncio\nq = asyncio.Queue()",
        "from mine.asyncio import Queue\nq = Queue()",
        "import mine.asyncio\nq = mine.asyncio.Queue()",
        "from asyncio import Queue\nfrom queue import Queue\nq = Queue()",
        "from asyncio import *\nfrom queue import *\nq = Queue()",
        "from asyncio import *\ndef Queue(): ...\nq = Queue()",
        "from asyncio import Queue\ndef f(Queue): return Queue()",
        "from asyncio import Queue\nf = lambda Queue: Queue()",
        "from asyncio import Queue\ndef f():\n q = Queue()\n Queue = g()",
        "from asyncio import Queue\ndef f():\n def Queue(): ...\n return Queue()",
        "from asyncio import Queue\ndef f():\n class Queue: ...\n return Queue()",
        "from asyncio import Queue\nqs = [Queue() for Queue in kinds]",
        "from asyncio import Queue\ndef f():\n for Queue in x: Queue()",
        "from asyncio import Queue\ndef f():\n with x as Queue: Queue()",
        "from asyncio import Queue\ndef f():\n import Queue\n Queue()",
        "from asyncio import Queue\ndef f():\n try: ...\n except E as Queue: Queue()",
        "from asyncio import Queue\ndef f(x):\n match x:\n  case Queue: Queue()",
        "from asyncio import Queue\ndef f(x):\n match x:\n  case [*Queue]: Queue()",
        "from asyncio import Queue\ndef f(x):\n match x:\n  case {**Queue}: Queue()",
        "from asyncio import Queue\ndef f():\n if (Queue := g()): Queue()",
        "from asyncio import Queue\ndef f():\n a, Queue = g()\n Queue()",
        "from asyncio import Queue\ndef f(*Queue): Queue()",
        "from asyncio import Queue\ndef f(*, Queue): Queue()",
        "from asyncio import Queue\ndef f(**Queue): Queue()",
        "from asyncio import Queue\ndef f():\n global Queue\n Queue = g()\nQueue()",
        "import asyncio\nclass A:\n Queue = asyncio.Queue\n def f(self): Queue()",
        "import asyncio\nasyncio = fake()\nasyncio.Queue()",
        "import asyncio\nA = B\nB = A\nA()",
        "import asyncio\nisinstance(x, asyncio.Queue)",
        "import asyncio\nx: asyncio.Queue[int]\ndef f(q: asyncio.Queue) -> None: ...",
        "import asyncio\nmake = asyncio.Queue",
        "import asyncio\nx.Queue()",
        "import asyncio\nasyncio.Queue(1).Queue()",
        "import asyncio\nasyncio.Queue.get()",
        "import asyncio\nasyncio.Event()",
        "import asyncio\nqueue_class(asyncio.Queue)",
    ],
)
def test_other_things_of_the_same_name(source):
    assert check_source(source, select=EVERY) == []


def test_a_scope_does_not_reach_beyond_itself():
    agrees(
        """\
        def one():
            import asyncio
            return asyncio.Queue()  # LAG101

        def two(asyncio):
            return asyncio.Queue()

        def three():
            def asyncio(): ...
            def inner():
                return asyncio.Queue()
            return inner

        class Four:
            from asyncio import Queue
            inbox = Queue()  # LAG101
            def method(self):
                return Queue()
        """
    )


def test_names_bound_elsewhere():
    agrees(
        """\
        import asyncio

        def late():
            return Q()  # LAG101

        Q = asyncio.Queue

        def sets():
            global MADE
            MADE = asyncio.LifoQueue

        def uses():
            return MADE()  # LAG101

        def hides():
            Q = other()
            def inner():
                global Q
                return Q()  # LAG101
            return Q()

        def outer():
            kind = asyncio.Queue
            def inner():
                nonlocal kind
                kind = other()
            return kind()

        def outer2():
            kind = asyncio.Queue
            def inner():
                nonlocal kind
                return kind()  # LAG101
            return inner
        """
    )


def test_constants_of_the_file():
    agrees(
        """\
        import asyncio
        from typing import Final

        NONE: Final = 0
        MINUS = -1
        SAME = NONE
        SOME = 10
        BOTH = 0
        BOTH = 5
        GROWS = 0
        GROWS += 1
        TAKEN = 0

        def set_it(n):
            global TAKEN
            TAKEN = n

        a = asyncio.Queue(NONE)  # LAG101
        b = asyncio.Queue(maxsize=MINUS)  # LAG101
        c = asyncio.Queue(SAME)  # LAG101
        d = asyncio.Queue(SOME)
        e = asyncio.Queue(BOTH)
        f = asyncio.Queue(GROWS)
        g = asyncio.Queue(TAKEN)
        h = asyncio.Queue(UNKNOWN)

        def local(NONE):
            return asyncio.Queue(NONE)

        def default(maxsize=0):
            return asyncio.Queue(maxsize)

        class Service:
            LIMIT = 0
            inbox = asyncio.Queue(LIMIT)  # LAG101
        """
    )


def test_wherever_a_call_can_stand():
    agrees(
        """\
        import asyncio

        def f(q=asyncio.Queue()): ...  # LAG101
        @decorate(asyncio.Queue())  # LAG101
        def g() -> None: ...
        class A(Base, q=asyncio.Queue()):  # LAG101
            inbox = asyncio.Queue()  # LAG101
            def __init__(self):
                self.q = asyncio.Queue()  # LAG101
        serve(queue=asyncio.Queue())  # LAG101
        serve(*[asyncio.Queue()], **{"q": asyncio.Queue()})  # LAG101
        make = lambda: asyncio.Queue()  # LAG101
        qs = {n: asyncio.Queue() for n in names}  # LAG101
        gen = (asyncio.Queue() for n in names)  # LAG101
        text = f"{asyncio.Queue()}"  # LAG101
        a, b = asyncio.Queue(), asyncio.Queue(1)  # LAG101
        x[asyncio.Queue()].y = 1  # LAG101
        queues.setdefault(key, asyncio.Queue()).put(1)  # LAG101
        asyncio.Queue().put_nowait(1)  # LAG101
        match asyncio.Queue():  # LAG101
            case Point(x=0) if asyncio.Queue(): ...  # LAG101
        assert asyncio.Queue(), asyncio.Queue(1)  # LAG101
        if (q := asyncio.Queue()): ...  # LAG101
        """
    )


def test_a_class_that_is_handed_on():
    agrees(
        """\
        import asyncio, attr, attrs, collections, functools
        from asyncio import Queue
        from attrs import Factory
        from collections import defaultdict
        from dataclasses import dataclass, field
        from functools import partial

        class Jobs(Queue): ...

        @dataclass
        class A:
            a: Queue = field(default_factory=asyncio.Queue)  # LAG101
            b: Queue = field(default_factory=Queue[int])  # LAG101
            c: Queue = field(default_factory=Jobs)  # LAG101
            d: Queue = field(default_factory=lambda: Queue())  # LAG101
            e: Queue = field(default_factory=lambda: Queue(1))
            f: Queue = field(default_factory=partial(Queue, 1))
            g: list = field(default_factory=list)
            h: Queue = attr.ib(factory=Queue)  # LAG101
            i: Queue = attrs.field(factory=Queue)  # LAG101
            j: Queue = attr.ib(default=attr.Factory(Queue))  # LAG101
            k: Queue = attr.ib(default=Factory(Queue))  # LAG101
            l: Queue = other(factory=Queue)

        by_name = defaultdict(Queue)  # LAG101
        by_name = collections.defaultdict(asyncio.Queue, {})  # LAG101
        by_name = defaultdict(lambda: Queue(1))
        by_name = defaultdict(partial(Queue, maxsize=2))
        by_name = defaultdict(list)
        by_name = defaultdict()

        make = functools.partial(Queue)  # LAG101
        make = partial(Queue, 0)  # LAG101
        make = partial(Queue, maxsize=None)  # LAG101
        make = partial(Queue, 1)
        make = partial(Queue, *args)
        make = partial(print, Queue)
        make = partial(*args)
        """
    )


# -- LAG101: subclasses --------------------------------------------------------------


def test_subclasses():
    agrees(
        """\
        import asyncio
        from typing import Generic, TypeVar
        T = TypeVar("T")

        class Jobs(asyncio.Queue): ...
        class Typed(asyncio.Queue[int]):
            def peek(self): ...
        class Further(Jobs): ...
        class Last(Generic[T], Further): ...
        class Plain: ...
        class Mixed(Plain, Jobs): ...
        class Foreign(Imported, Jobs): ...
        class Behind(Jobs, Imported): ...
        class Not(Plain): ...

        a = Jobs()  # LAG101
        a = Jobs(maxsize=0)  # LAG101
        a = Jobs(3)
        a = Typed()  # LAG101
        a = Further(-1)  # LAG101
        a = Further(2)
        a = Last[int]()  # LAG101
        a = Mixed()  # LAG101
        a = Foreign()
        a = Behind()  # LAG101
        a = Not()

        def f():
            class Local(Jobs): ...
            return Local()  # LAG101
        """
    )


def test_subclasses_with_an_init_of_their_own():
    agrees(
        """\
        import asyncio
        from asyncio import Queue

        class Bounded(Queue):
            def __init__(self): super().__init__(5)

        class Named(Queue):
            def __init__(self): Queue.__init__(self, maxsize=5)

        class Computed(Queue):
            def __init__(self, n): super().__init__(limit(n))

        class Silent(Queue):
            def __init__(self): ...

        class Forgets(Queue):
            def __init__(self, name):
                super().__init__()  # LAG101
                self.name = name

        class Forgets2(Queue):
            def __init__(self): super(Forgets2, self).__init__(maxsize=0)  # LAG101

        class Forgets3(asyncio.LifoQueue):
            def __init__(self): asyncio.LifoQueue.__init__(self)  # LAG101

        class Default(Queue):
            def __init__(self, name, maxsize=0):
                super().__init__(maxsize)

        class Required(Queue):
            def __init__(self, maxsize): super().__init__(maxsize=maxsize)

        class Better(Queue):
            def __init__(self, maxsize=1): super().__init__(maxsize)

        class Keyword(Queue):
            def __init__(self, *names, bound=0): super().__init__(bound)

        class PassesOn(Queue):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)

        class PassesName(Queue):
            def __init__(self, name, *args):
                super().__init__(*args)

        class PassesOther(Queue):
            def __init__(self, *args):
                super().__init__(*other, *args)

        class Corrected(Queue):
            def __init__(self, maxsize=0):
                if maxsize < 1: maxsize = 1
                super().__init__(maxsize)

        class Branches(Queue):
            def __init__(self, n):
                if n: super().__init__(n)
                else: super().__init__()  # LAG101

        class Child(Default): ...

        Bounded(); Named(); Computed(0); Silent(); Forgets("x"); Forgets2(); Forgets3()
        Default("x")  # LAG101
        Default("x", 0)  # LAG101
        Default("x", 2)
        Default("x", maxsize=2)
        Required()
        Required(0)  # LAG101
        Required(1)
        Better()
        Better(0)  # LAG101
        Keyword("a", "b")  # LAG101
        Keyword(*names)  # LAG101
        Keyword(**options)
        Keyword("a", bound=3)
        PassesOn()  # LAG101
        PassesOn(3)
        PassesOn(maxsize=3)
        PassesName("x"); PassesName(0); PassesOther()
        Corrected()
        Branches(0)
        Child("x")  # LAG101
        """
    )


def test_a_decorator_that_writes_the_init():
    agrees(
        """\
        import asyncio
        from dataclasses import dataclass
        from typing import final

        @dataclass
        class Made(asyncio.Queue): ...
        @dataclass(frozen=True)
        class Made2(asyncio.Queue): ...
        @final
        class Final(asyncio.Queue): ...

        Made(); Made2()
        Final()  # LAG101
        """
    )


def test_classes_that_derive_from_one_another_in_a_circle():
    assert flagged("class A(B): ...", "class B(A): ...", "A(); B()") == []


# -- LAG201 and LAG202 ---------------------------------------------------------------


@pytest.mark.parametrize(
    "delay", ["0", "0.0", "-1", "delay=0", "False", "0, 5", "0, result=5", "ZERO"]
)
def test_every_way_to_sleep_for_no_time(delay):
    lines = [
        "ZERO = 0",
        "async def f():",
        " while x:",
        f"  await asyncio.sleep({delay})",
    ]
    assert flagged(*lines) == ["LAG201"]


@pytest.mark.parametrize(
    "delay",
    ["1", "0.001", "delay", "*a", "**k", "delay=1", "", "'0'", "0 or 1", "1e-9"],
)
def test_a_sleep_that_lasts(delay):
    assert (
        flagged("async def f():", " while x:", f"  await asyncio.sleep({delay})") == []
    )


def test_other_sleeps():
    for module in ("time", "anyio", "trio", "gevent"):
        source = f"import asyncio, {module}\nwhile 1: {module}.sleep(0)"
        assert check_source(source, select=EVERY) == []


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("from asyncio import sleep", "sleep"),
        ("from asyncio import sleep as nap", "nap"),
        ("import asyncio as aio", "aio.sleep"),
        ("from asyncio.tasks import sleep", "sleep"),
        ("import asyncio\nrest = asyncio.sleep", "rest"),
        ("from asyncio import *", "sleep"),
    ],
)
def test_sleep_by_whatever_name(imports, name):
    source = f"{imports}\nasync def f():\n while x: await {name}(0)"
    assert [one.code for one in check_source(source)] == ["LAG201"]


def test_polling():
    agrees(
        """\
        import asyncio
        from asyncio import sleep
        from contextlib import suppress

        async def only(done):
            while not done():
                await sleep(0)  # LAG201
            while True:
                await sleep(0)  # LAG201
                if done(): break
            while await sleep(0) or not done(): ...  # LAG201
            while True:
                for _ in range(3):
                    await sleep(0)  # LAG201
            while True:
                [await sleep(0) for _ in x]  # LAG201
            while True:
                try:
                    work()
                finally:
                    await sleep(0)  # LAG201

        async def sometimes(queue):
            while True:
                if queue.empty():
                    await sleep(0)  # LAG201
                    continue
                await handle(queue.get_nowait())
            while True:
                if queue:
                    await handle()
                await sleep(0)  # LAG201
            while True:
                if queue:
                    await handle()
                elif other:
                    pass
                else:
                    await one()
                await sleep(0)  # LAG201
            while True:
                try:
                    item = queue.get_nowait()
                except asyncio.QueueEmpty:
                    await sleep(0)  # LAG201
                else:
                    await handle(item)
            while True:
                with suppress(asyncio.QueueEmpty):
                    await handle(queue.get_nowait())
                await sleep(0)  # LAG202
            while True:
                with suppress(asyncio.QueueEmpty):
                    item = queue.get_nowait()
                    await handle(item)
                await sleep(0)  # LAG201
            while True:
                for item in queue:
                    await handle(item)
                await sleep(0)  # LAG201
            while True:
                while queue:
                    await handle(queue.pop())
                await sleep(0)  # LAG201
            while True:
                match queue:
                    case []:
                        await sleep(0)  # LAG201
                    case [item]:
                        await handle(item)

        def pump(loop, future):
            while not future.done():
                loop.run_until_complete(asyncio.sleep(0))  # LAG201
        """
    )


def test_not_polling():
    agrees(
        """\
        import asyncio
        from asyncio import sleep

        await_nothing = sleep(0)  # LAG202

        async def straight():
            await sleep(0)  # LAG202
            for _ in range(3):
                await sleep(0)  # LAG202
            async for _ in stream():
                await sleep(0)  # LAG202

        async def waits(queue, lock):
            while True:
                item = await queue.get()
                await sleep(0)  # LAG202
            while True:
                await sleep(0)  # LAG202
                await queue.get()
            while await queue.get():
                await sleep(0)  # LAG202
            while True:
                async with lock:
                    await sleep(0)  # LAG202
            while True:
                async for item in stream():
                    await sleep(0)  # LAG202
            while True:
                if x:
                    await one()
                else:
                    await other()
                await sleep(0)  # LAG202
            while True:
                try:
                    await queue.get()
                except asyncio.TimeoutError:
                    await sleep(0)  # LAG202
            while True:
                try:
                    await sleep(0)  # LAG202
                finally:
                    await queue.get()
            while True:
                await asyncio.gather(sleep(0), sleep(0))  # LAG202
            while True:
                while True:
                    item = await queue.get()
                    if item is None: break
                await sleep(0)  # LAG202
            while True:
                match x:
                    case 1: await one()
                    case _: await other()
                await sleep(0)  # LAG202

        async def leaves(done):
            while True:
                if done():
                    await sleep(0)  # LAG202
                    break
                work()
            while True:
                if done():
                    return await sleep(0)  # LAG202
            while x:
                work()
            else:
                await sleep(0)  # LAG202

        async def makes(done):
            while not done():
                async def inner():
                    await sleep(0)  # LAG202
                later(lambda: sleep(0))  # LAG202
                class Inner:
                    async def method(self):
                        await sleep(0)  # LAG202
                every = (sleep(0) for _ in x)  # LAG202
                await inner()

        async def yields():
            while True:
                yield 1
                await sleep(0)  # LAG202
        """
    )


def test_only_the_loop_that_polls_is_blamed():
    agrees(
        """\
        import asyncio

        async def main(queue):
            while True:
                await queue.get()
                while not queue.empty():
                    await asyncio.sleep(0)  # LAG201
                await asyncio.sleep(0)  # LAG202
        """
    )


# -- messages and findings -----------------------------------------------------------


def test_the_message_says_what_to_do():
    source = "import asyncio as aio\nq = aio.Queue(-1)\nasync def f():\n"
    source += " while x: await aio.sleep(0)\n await aio.sleep(0)\n"
    channel, polling, straight = check_source(source, select=EVERY)
    assert channel.message.startswith(
        "aio.Queue() with maxsize=-1 has no bound, so put()"
    )
    assert "pass maxsize=1, and put() waits until the consumer" in channel.message
    assert "await what you are waiting for" in polling.message
    assert "await what must have happened" in straight.message
    every = " ".join(one.message for one in (channel, polling, straight))
    assert "semaphore" not in every.lower()
    assert "\n" not in every
    severities = [one.severity for one in (channel, polling, straight)]
    assert severities == ["error", "warning", "note"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("asyncio.Queue()", "asyncio.Queue() has no bound"),
        (
            "asyncio.Queue(maxsize=None)",
            "asyncio.Queue() with maxsize=None has no bound",
        ),
        (
            "asyncio.Queue[int](not 1)",
            "asyncio.Queue() with maxsize=not 1 has no bound",
        ),
        ("asyncio.Queue(-0x" + "f" * 9999 + ")", "with maxsize=... has no bound"),
        ("asyncio.Queue(" + "-" * 99 + "1)", "with maxsize=... has no bound"),
        ("f(default_factory=asyncio.Queue)", "default_factory=lambda: asyncio.Queue("),
        ("defaultdict(asyncio.Queue)", "write lambda: asyncio.Queue(maxsize=1)"),
        ("partial(asyncio.Queue)", "add maxsize=1"),
    ],
)
def test_the_message_names_what_was_written(call, said):
    source = "import asyncio\nfrom functools import partial\n"
    source += f"from collections import defaultdict\nx = {call}\n"
    (finding,) = check_source(source)
    assert said in finding.message


def test_columns_count_characters():
    source = "import asyncio\nx = 'ééé€😀', asyncio.Queue()\n"
    (finding,) = check_source(source)
    assert (finding.line, finding.column) == (2, source.split("\n")[1].index("asy") + 1)
    assert str(finding).startswith("2:14: LAG101 asyncio.Queue() has")


def test_findings_are_in_the_order_of_the_source():
    source = "import asyncio\nq = asyncio.Queue(), asyncio.Queue()\n" * 20
    findings = check_source(source)
    assert len(findings) == 40
    assert findings == sorted(findings)


def test_windows_line_ends_and_a_mark_at_the_beginning():
    source = "\ufeffimport asyncio\r\n\r\nq = asyncio.Queue()\r\n"
    assert found(source) == {(3, "LAG101")}


# -- choosing rules ------------------------------------------------------------------


def test_which_rules_are_on():
    assert selected(None) == {"LAG101", "LAG201"}
    assert selected(["LAG"]) == selected(None)
    assert selected(["LAG2"]) == {"LAG201"}
    assert selected(["LAG202"]) == {"LAG202"}
    assert selected(None, ["LAG202"]) == set(EVERY) == set(RULES)
    assert selected(None, ["LAG202"], ["LAG2"]) == {"LAG101"}
    assert selected([]) == set()


@pytest.mark.parametrize("word", ["LAG999", "E501", "lag101", "", "LAG1011"])
def test_a_rule_that_does_not_exist(word):
    with pytest.raises(
        ValueError, match="is no rule: there are LAG101, LAG201, LAG202"
    ):
        check_source("", select=[word])


# -- comments ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "silent"),
    [
        ("# noqa", True),
        ("# NOQA", True),
        ("# noqa: LAG101", True),
        ("# noqa:LAG101", True),
        ("# noqa" + ": LAG", True),  # no code, so it is for all rules
        ("# noqa: LAG1", True),
        ("# noqa: E501,LAG101", True),
        ("# noqa: E501 LAG101", True),
        ("# noqa: E501", False),
        ("# noqa : E501", True),
        ("# noqa - a reason", True),
        ("# noqa: LAG101 - a reason", True),
        ("# something # noqa: LAG101", True),
        ("#noqa", False),
        ("# type: ignore", False),
    ],
)
def test_noqa(comment, silent):
    source = f"import asyncio\nq = asyncio.Queue()  {comment}\n"
    assert (check_source(source) == []) is silent
    assert len(check_source(source, noqa=False)) == 1


def test_noqa_over_several_lines():
    quotes = '"' * 3
    agreed = f"""\
import asyncio
a = (asyncio.Queue(),
     1)  # noqa
b = (1,
     asyncio.Queue())  # noqa
c = asyncio.Queue(), {quotes}
{quotes}  # noqa
d = asyncio.Queue(), \\
    1  # noqa
e = asyncio.Queue(
)  # noqa
"""
    assert found(agreed) == {(2, "LAG101"), (10, "LAG101")}


def test_noqa_for_a_whole_file():
    source = "import asyncio\nq = asyncio.Queue()\n"
    assert check_source(f"# flake8: noqa\n{source}") == []
    assert check_source(f"{source}  # FLAKE8=NOQA\n") == []
    assert len(check_source(f"x = 1  # flake8: noqa: E1\n{source}")) == 1


# -- any source ----------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "import asyncio",
        "from asyncio import Queue, sleep",
        "from queue import Queue",
        "Queue = asyncio.Queue",
        "A = B",
        "B = A",
        "A = B = asyncio",
        "q = asyncio.Queue()",
        "q = asyncio.Queue()  # noqa",
        "q = asyncio.Queue(A)  # noqa: LAG101",
        "q = (Queue(),",
        "  1)  # noqa: LAG101",
        "'''",
        "x = '''é",
        "\\",
        "class Jobs(Queue):",
        "    def __init__(self, n=0): super().__init__(n)",
        "Jobs()",
        "async def f():",
        "    while x:",
        "        await sleep(0)",
        "        await asyncio.sleep(0)  # noqa: LAG201",
        "        try: await g()",
        "        finally: await sleep(0)",
        "        if x: continue",
        "        break",
        "    global A",
        "    A = 0",
        "# flake8: noqa",
        "",
    ]
)
SOURCES = st.lists(LINES, max_size=25).map("\n".join)


@settings(max_examples=300)
@given(SOURCES)
def test_any_arrangement_of_lines(source):
    try:
        every = check_source(source, select=EVERY, noqa=False)
    except SyntaxError:
        with pytest.raises(SyntaxError):
            ast.parse(source)
        return
    lines = source.split("\n")
    for one in every:
        start = lines[one.line - 1][one.column - 1 :]
        assert start.startswith(("asyncio.", "Queue(", "Jobs(", "sleep(", "super("))
    assert set(check_source(source, select=EVERY)) <= set(every)
    # Blank lines above move findings and change nothing else.
    moved = check_source("\n\n" + source, select=EVERY, noqa=False)
    assert [(one.line - 2, one.code) for one in moved] == [
        (one.line, one.code) for one in every
    ]


@given(st.text(st.sampled_from(string.printable + "é€\0\ufeff\x85")))
def test_any_text(text):
    try:
        check_source("import asyncio\n" + text, select=EVERY)
    except (SyntaxError, ValueError):
        with pytest.raises((SyntaxError, ValueError)):
            ast.parse("import asyncio\n" + text)


@settings(max_examples=300)
@given(SOURCES)
def test_comments_are_mapped_to_lines_as_flake8_does(source):
    processor = pytest.importorskip("flake8.processor")
    violation = pytest.importorskip("flake8.violation")
    lines = split(source)
    theirs = processor.FileProcessor.__new__(processor.FileProcessor)
    theirs.lines = lines
    ours = Silence(lines)
    for number in range(1, len(lines) + 1):
        text = theirs.noqa_line_for(number)
        if text is None:  # it then looks at the line itself
            text = lines[number - 1]
        one = violation.Violation("LAG101", "x.py", number, 1, "", text)
        assert ours.covers(number, "LAG101") == one.is_inline_ignored(False), number


def test_sources_that_are_deep_or_long():
    start = "import asyncio\nfrom asyncio import sleep\n"
    sources = [
        "x" + ".y" * 900 + " = asyncio.Queue()",
        "x = " + "1 + " * 900 + "len(asyncio.Queue())",
        "if x: pass\n" + "elif x: pass\n" * 900 + "else: asyncio.Queue()",
        "\n".join(f"A{n} = A{n + 1}" for n in range(3000)) + "\nA0()\nasyncio.Queue()",
        "\n".join(f"class A{n + 1}(A{n}): ..." for n in range(3000, 0, -1))
        + "\nA3000()\nasyncio.Queue()",
        # Each name stands for the others, again and again: the answer must be kept.
        "a = b; b = c; c = d; d = a\n" * 200 + "a(); asyncio.Queue(a)\nasyncio.Queue()",
    ]
    for source in sources:
        assert len(check_source(start + source + "\n")) == 1, source[:40]


def test_a_long_chain_of_branches_in_a_loop():
    body = "  if x: pass\n" + "  elif x: pass\n" * 900 + "  await asyncio.sleep(0)\n"
    source = f"import asyncio\nasync def f():\n while x:\n{body}"
    assert found(source) == {(905, "LAG201")}


def test_nested_finally_is_followed_once():
    indent, lines = 1, ["import asyncio", "async def f():", " while x:"]
    for _ in range(45):
        indent += 1
        lines += [" " * indent + "try: a", " " * indent + "finally:"]
    lines.append(" " * (indent + 1) + "await asyncio.sleep(0)")
    start = time.process_time()
    assert flagged(*lines[1:]) == ["LAG201"]
    assert time.process_time() - start < 20  # twice as long for each would be for ever


# -- the page and this project -------------------------------------------------------


def examples() -> list[tuple[str, str, str]]:
    """Rule, "Bad" or "Good", and the source of each example of the page."""
    text = PAGE.read_text(encoding="utf-8")
    out = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        code = section.partition(":")[0]
        for kind, source in re.findall(
            r"^(Bad|Good):\n\n```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL
        ):
            out.append((code, kind, source))
    return out


@pytest.mark.parametrize(("code", "kind", "source"), examples())
def test_the_examples_of_the_page(code, kind, source):
    compile(source, "example.py", "exec")
    assert len(max(source.split("\n"), key=len)) <= 79
    expected = marked(re.sub(r"# noqa.*", "", source))
    assert found(source) == expected
    if kind == "Bad":
        assert {one for _, one in expected} == {code}
    else:
        assert expected == set()


def test_the_page_has_a_bad_and_a_good_example_of_each_rule():
    kinds = sorted((code, kind) for code, kind, _ in examples())
    assert kinds == sorted((code, kind) for code in RULES for kind in ("Bad", "Good"))
    text = PAGE.read_text(encoding="utf-8")
    for rule in RULES.values():
        row = next(
            line
            for line in text.split("\n")
            if line.startswith(f"| {{ref}}`{rule.code}")
        )
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[2:] == [rule.severity, "yes" if rule.default else "no"]
        assert f"({rule.code.lower()})=\n## {rule.code}: " in text


def test_the_other_code_of_the_page_runs():
    text = PAGE.read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(from looplab.*?)```", text, re.DOTALL)
    exec(source, {})


def test_the_linter_is_content_with_this_project():
    files = [
        path
        for folder in ("src", "tools", "benchmarks", "book/_ext")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 20
    for path in files:
        with tokenize.open(path) as file:
            assert check_source(file.read()) == [], path


def test_what_a_finding_is():
    one = Finding(2, 1, "LAG101", "text")
    assert str(one) == "2:1: LAG101 text"
    assert one < Finding(2, 2, "LAG101", "text") < Finding(3, 1, "LAG101", "text")
    assert (
        io.StringIO(str(one)).read().startswith(f"{one.line}:{one.column}: {one.code}")
    )
