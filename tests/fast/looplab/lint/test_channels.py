"""Which calls make a channel without a bound, whatever limits it (LAG1)."""

from __future__ import annotations

import textwrap

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.marks import agrees, flagged

LETTER = ("LAG100",)


def letter(source: str) -> None:
    agrees(source, LETTER)


# -- LAG100: the call ----------------------------------------------------------------


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
    assert flagged(f"q = asyncio.{name}({arguments})", select=LETTER) == ["LAG100"]
    assert flagged(f"q = asyncio.{name}[int]({arguments})", select=LETTER) == ["LAG100"]
    assert flagged(f"q = asyncio.queues.{name}({arguments})", select=LETTER) == [
        "LAG100"
    ]


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
    assert flagged(f"q = asyncio.Queue({arguments})", select=LETTER) == []


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
    assert [finding.code for finding in check_source(source, select=LETTER)] == [
        "LAG100"
    ]
    body = textwrap.indent(source, "    ")
    if "*" not in imports:
        assert len(check_source(f"def f():\n{body}", select=LETTER)) == 1


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
    assert check_source(source, select=LETTER) == []


def test_a_scope_does_not_reach_beyond_itself():
    letter(
        """\
        def one():
            import asyncio
            return asyncio.Queue()  # LAG100

        def two(asyncio):
            return asyncio.Queue()

        def three():
            def asyncio(): ...
            def inner():
                return asyncio.Queue()
            return inner

        class Four:
            from asyncio import Queue
            inbox = Queue()  # LAG100
            def method(self):
                return Queue()
        """
    )


def test_names_bound_elsewhere():
    letter(
        """\
        import asyncio

        def late():
            return Q()  # LAG100

        Q = asyncio.Queue

        def sets():
            global MADE
            MADE = asyncio.LifoQueue

        def uses():
            return MADE()  # LAG100

        def hides():
            Q = other()
            def inner():
                global Q
                return Q()  # LAG100
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
                return kind()  # LAG100
            return inner
        """
    )


def test_constants_of_the_file():
    letter(
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

        a = asyncio.Queue(NONE)  # LAG100
        b = asyncio.Queue(maxsize=MINUS)  # LAG100
        c = asyncio.Queue(SAME)  # LAG100
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
            inbox = asyncio.Queue(LIMIT)  # LAG100
        """
    )


def test_wherever_a_call_can_stand():
    letter(
        """\
        import asyncio

        def f(q=asyncio.Queue()): ...  # LAG100
        @decorate(asyncio.Queue())  # LAG100
        def g() -> None: ...
        class A(Base, q=asyncio.Queue()):  # LAG100
            inbox = asyncio.Queue()  # LAG100
            def __init__(self):
                self.q = asyncio.Queue()  # LAG100
        serve(queue=asyncio.Queue())  # LAG100
        serve(*[asyncio.Queue()], **{"q": asyncio.Queue()})  # LAG100
        make = lambda: asyncio.Queue()  # LAG100
        qs = {n: asyncio.Queue() for n in names}  # LAG100
        gen = (asyncio.Queue() for n in names)  # LAG100
        text = f"{asyncio.Queue()}"  # LAG100
        a, b = asyncio.Queue(), asyncio.Queue(1)  # LAG100
        x[asyncio.Queue()].y = 1  # LAG100
        queues.setdefault(key, asyncio.Queue()).put(1)  # LAG100
        asyncio.Queue().put_nowait(1)  # LAG100
        match asyncio.Queue():  # LAG100
            case Point(x=0) if asyncio.Queue(): ...  # LAG100
        assert asyncio.Queue(), asyncio.Queue(1)  # LAG100
        if (q := asyncio.Queue()): ...  # LAG100
        """
    )


def test_a_class_that_is_handed_on():
    letter(
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
            a: Queue = field(default_factory=asyncio.Queue)  # LAG100
            b: Queue = field(default_factory=Queue[int])  # LAG100
            c: Queue = field(default_factory=Jobs)  # LAG100
            d: Queue = field(default_factory=lambda: Queue())  # LAG100
            e: Queue = field(default_factory=lambda: Queue(1))
            f: Queue = field(default_factory=partial(Queue, 1))
            g: list = field(default_factory=list)
            h: Queue = attr.ib(factory=Queue)  # LAG100
            i: Queue = attrs.field(factory=Queue)  # LAG100
            j: Queue = attr.ib(default=attr.Factory(Queue))  # LAG100
            k: Queue = attr.ib(default=Factory(Queue))  # LAG100
            l: Queue = other(factory=Queue)

        by_name = defaultdict(Queue)  # LAG100
        by_name = collections.defaultdict(asyncio.Queue, {})  # LAG100
        by_name = defaultdict(lambda: Queue(1))
        by_name = defaultdict(partial(Queue, maxsize=2))
        by_name = defaultdict(list)
        by_name = defaultdict()

        make = functools.partial(Queue)  # LAG100
        make = partial(Queue, 0)  # LAG100
        make = partial(Queue, maxsize=None)  # LAG100
        make = partial(Queue, 1)
        make = partial(Queue, *args)
        make = partial(print, Queue)
        make = partial(*args)
        """
    )


# -- LAG100: subclasses --------------------------------------------------------------


def test_subclasses():
    letter(
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

        a = Jobs()  # LAG100
        a = Jobs(maxsize=0)  # LAG100
        a = Jobs(3)
        a = Typed()  # LAG100
        a = Further(-1)  # LAG100
        a = Further(2)
        a = Last[int]()  # LAG100
        a = Mixed()  # LAG100
        a = Foreign()
        a = Behind()  # LAG100
        a = Not()

        def f():
            class Local(Jobs): ...
            return Local()  # LAG100
        """
    )


def test_subclasses_with_an_init_of_their_own():
    letter(
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
                super().__init__()  # LAG100
                self.name = name

        class Forgets2(Queue):
            def __init__(self): super(Forgets2, self).__init__(maxsize=0)  # LAG100

        class Forgets3(asyncio.LifoQueue):
            def __init__(self): asyncio.LifoQueue.__init__(self)  # LAG100

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
                else: super().__init__()  # LAG100

        class Child(Default): ...

        Bounded(); Named(); Computed(0); Silent(); Forgets("x"); Forgets2(); Forgets3()
        Default("x")  # LAG100
        Default("x", 0)  # LAG100
        Default("x", 2)
        Default("x", maxsize=2)
        Required()
        Required(0)  # LAG100
        Required(1)
        Better()
        Better(0)  # LAG100
        Keyword("a", "b")  # LAG100
        Keyword(*names)  # LAG100
        Keyword(**options)
        Keyword("a", bound=3)
        PassesOn()  # LAG100
        PassesOn(3)
        PassesOn(maxsize=3)
        PassesName("x"); PassesName(0); PassesOther()
        Corrected()
        Branches(0)
        Child("x")  # LAG100
        """
    )


def test_a_decorator_that_writes_the_init():
    letter(
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
        Final()  # LAG100
        """
    )


def test_classes_that_derive_from_one_another_in_a_circle():
    assert (
        flagged("class A(B): ...", "class B(A): ...", "A(); B()", select=LETTER) == []
    )
