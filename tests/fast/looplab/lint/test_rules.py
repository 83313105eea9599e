"""Findings, the choice of rules, any source at all, and what it costs."""

from __future__ import annotations

import ast
import string
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.lint import RULES, check_source
from looplab.lint.findings import LONGEST
from looplab.lint.plugin import is_test

# -- messages and findings -----------------------------------------------------------

LONG = "a_rather_long_name_of_a_module_or_of_an_object_that_somebody_made"


@pytest.mark.parametrize(
    "source",
    [
        f"import asyncio as {LONG}\nq = {LONG}.Queue()",
        f"from asyncio import Queue as {LONG}\nq = x(default_factory={LONG})",
        f"import asyncio\nclass {LONG}(asyncio.Queue): ...\nq = {LONG}()",
        "import asyncio\nq = asyncio.Queue(-0x" + "f" * 9999 + ")",
    ],
)
@pytest.mark.parametrize(
    "put",
    [
        "await q.put(x)",
        "q.put_nowait(x)",
        "await q.put(x); q.put_nowait(x)",
        f"async with {LONG}: await q.put(x); await q.get()",
        "loop.call_soon_threadsafe(q.put_nowait, x)",
        "call(q.put_nowait)",
        f"async with {LONG}: await q.put(x)\nasync def {LONG}2():"
        f"\n async with {LONG}: await q.get()",
    ],
)
def test_a_message_is_short(source, put):
    source += "\n" * 9999 + f"async def f():\n async for x in y:\n  {put}\n"
    for finding in check_source(source, select=RULES):
        assert len(finding.message) <= LONGEST
        assert "\n" not in finding.message
        assert "{" not in finding.message


def test_columns_count_characters():
    source = "\ufeffimport asyncio\r\nx = 'ééé€😀', asyncio.Queue()\r\n"
    (finding,) = check_source(source, select=["LAG100"])
    assert (finding.line, finding.column) == (2, 14)
    assert str(finding).startswith("2:14: LAG100 asyncio.Queue() has")
    assert str(finding).endswith(" [lint_rules.html#lag100]")


def test_findings_are_in_the_order_of_the_source():
    source = "import asyncio\nq = asyncio.Queue(), asyncio.Queue()\n" * 20
    findings = check_source(source, select=["LAG100"])
    assert len(findings) == 40
    assert findings == sorted(findings)


# -- choosing rules ------------------------------------------------------------------

BOTH = "import asyncio\nq = asyncio.Queue()\nasync def f():\n"
BOTH += " while x: await asyncio.sleep(0)\n await asyncio.sleep(0)\n"


@pytest.mark.parametrize(
    ("select", "codes"),
    [
        (None, ["LAG201"]),
        (["LAG"], ["LAG201"]),
        (["LAG1"], []),
        (["LAG100"], ["LAG100"]),
        (["LAG2", "LAG202"], ["LAG201", "LAG202"]),
        (RULES, ["LAG100", "LAG201", "LAG202"]),
        ([], []),
    ],
)
def test_which_rules_are_on(select, codes):
    assert [finding.code for finding in check_source(BOTH, select=select)] == codes


@pytest.mark.parametrize("word", ["LAG999", "E501", "lag101", "", "LAG1011"])
def test_a_rule_that_does_not_exist(word):
    with pytest.raises(ValueError, match=f"is no rule: there are {', '.join(RULES)}"):
        check_source("", select=[word])


@pytest.mark.parametrize(
    ("name", "is_exempt"),
    [
        ("tests/a.py", True),
        ("a/testing/b.py", True),
        ("a/testclient.py", True),
        ("a/test_kit/b.py", True),
        ("conftest.py", True),
        ("test_a.py", True),
        ("a_test.py", True),
        ("a/latest.py", False),
        ("a/contest/b.py", False),
        ("a.py", False),
    ],
)
def test_which_files_are_tests(name, is_exempt):
    assert is_test(name) is is_exempt


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
        every = check_source(source, select=RULES)
    except SyntaxError:
        with pytest.raises(SyntaxError):
            ast.parse(source)
        return
    lines = source.split("\n")
    for finding in every:
        start = lines[finding.line - 1][finding.column - 1 :]
        assert start.startswith(("asyncio.", "Queue(", "Jobs(", "sleep(", "super("))
    # Blank lines above move findings and change nothing else.
    moved = check_source("\n\n" + source, select=RULES)
    assert [(finding.line - 2, finding.code) for finding in moved] == [
        (finding.line, finding.code) for finding in every
    ]


@given(st.text(st.sampled_from(string.printable + "é€\0\ufeff\x85")))
def test_any_text(text):
    try:
        check_source("import asyncio\n" + text, select=RULES)
    except (SyntaxError, ValueError):
        with pytest.raises((SyntaxError, ValueError)):
            ast.parse("import asyncio\n" + text)


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
        assert len(check_source(f"{start}{source}\n", select=["LAG100"])) == 1


def test_a_long_chain_of_branches_in_a_loop():
    body = "  if x: pass\n" + "  elif x: pass\n" * 900 + "  await asyncio.sleep(0)\n"
    source = f"import asyncio\nasync def f():\n while x:\n{body}"
    assert [finding.line for finding in check_source(source)] == [905]


# -- what it costs -------------------------------------------------------------------

#: The head of a source, and what is there n times.
GROWING = {
    "puts": ("q = asyncio.Queue()\nasync def f(x):\n", "    await q.put(x)\n"),
    "puts in a loop": (
        "async def f(x):\n    q = asyncio.Queue()\n    start(q)\n    while True:\n",
        "        await q.put(x)\n",
    ),
    "queues": (
        "",
        "q{n} = asyncio.Queue()\nasync def f{n}(xs):\n"
        "    for x in xs: await q{n}.put(x)\n",
    ),
    "queues with one producer": (
        "async def f(q, xs):\n    for x in xs: await q.put(x)\nasync def main(xs):\n",
        "    q{n} = asyncio.Queue()\n    await f(q{n}, xs)\n",
    ),
    "classes": (
        "",
        "class C{n}:\n    def __init__(self): self.q = asyncio.Queue()\n"
        "    def put(self, x): self.q.put_nowait(x)\n",
    ),
    "sleeps": (
        "async def f(x, q):\n    while True:\n",
        "        await q.put(x)\n        await asyncio.sleep(0)\n",
    ),
    "threads": (
        "import threading\ne = asyncio.Event()\n",
        "def f{n}(): e.set()\nthreading.Thread(target=f{n}).start()\n",
    ),
}


def calls(source: str) -> int:
    """The calls of functions that it takes to check a source, whatever the clock."""
    count = 0

    def hook(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        check_source(source, select=RULES)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", GROWING)
def test_the_cost_is_linear(name):
    head, part = GROWING[name]

    def source(size: int) -> str:
        parts = (part.replace("{n}", str(n)) for n in range(size))
        return f"import asyncio\n{head}{''.join(parts)}"

    assert calls(source(300)) < 3.5 * calls(source(100))
