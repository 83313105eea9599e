"""Findings, the choice of rules, comments, and any source at all."""

from __future__ import annotations

import ast
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import looplab.lint
from looplab.lint import RULES, check_source, selected, split
from looplab.lint.comments import Silence
from looplab.lint.findings import LONGEST
from tests.fast.looplab.lint.marks import EVERY, found

# -- messages and findings -----------------------------------------------------------


def test_each_rule_has_its_severity_and_a_section():
    source = "import asyncio\nq = asyncio.Queue(-1)\nasync def f():\n"
    source += " while x: await asyncio.sleep(0)\n await asyncio.sleep(0)\n"
    source += "async def g():\n async for x in y: await q.put(x)\n"
    channel, polling, straight = check_source(source, select=EVERY)
    severities = [one.severity for one in (channel, polling, straight)]
    assert severities == ["error", "warning", "note"]
    sections = [one.section for one in (channel, polling, straight)]
    assert sections == ["lag101-await", "lag201", "lag202"]
    assert (channel.end_line, channel.end_column) == (2, 22)


LONG = "a_rather_long_name_of_a_module_or_of_an_object_that_somebody_made"


@pytest.mark.parametrize(
    "source",
    [
        f"import asyncio as {LONG}\nq = {LONG}.Queue()",
        f"import asyncio as {LONG}\nx(default_factory={LONG}.Queue)",
        f"import asyncio as {LONG}, functools\nx = functools.partial({LONG}.Queue)",
        f"from asyncio import Queue as {LONG}\nx(default_factory={LONG})",
        f"import asyncio\nclass {LONG}(asyncio.Queue): ...\nq = {LONG}()",
        "import asyncio\nq = asyncio.Queue(-0x" + "f" * 9999 + ")",
        "import asyncio\nq = asyncio.Queue(" + "-" * 99 + "1)",
    ],
)
@pytest.mark.parametrize(
    "put",
    [
        "",
        "await q.put(x)",
        "q.put_nowait(x)",
        "await q.put(x); q.put_nowait(x)",
        "loop.call_soon_threadsafe(q.put_nowait, x)",
        "call(q.put_nowait)",
        "call(q.put_nowait, x)",
    ],
)
def test_a_message_is_short(source, put):
    source = source.replace("x(", "q = x(").replace("x = f", "q = f") + "\n"
    source += "\n" * 9999 + f"async def f():\n async for x in y: {put or 'pass'}\n"
    (finding,) = check_source(source, select=["LAG1", "LAG102"])
    assert len(finding.message) <= LONGEST
    assert "\n" not in finding.message
    assert "{" not in finding.message


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
    default = {"LAG101", "LAG201", "LAG203", "LAG204"}
    default |= {"LAG301", "LAG302", "LAG303"}
    assert selected(None) == default
    assert selected(["LAG"]) == default
    assert selected(["LAG2"]) == {"LAG201", "LAG203", "LAG204"}
    assert selected(["LAG202"]) == {"LAG202"}
    assert selected(None, ["LAG102", "LAG202"]) == set(EVERY) == set(RULES)
    assert selected(None, ["LAG202"], ["LAG2", "LAG3"]) == {"LAG101"}
    assert selected([]) == set()


@pytest.mark.parametrize("word", ["LAG999", "E501", "lag101", "", "LAG1011"])
def test_a_rule_that_does_not_exist(word):
    with pytest.raises(ValueError, match=f"is no rule: there are {', '.join(EVERY)}"):
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


def test_the_package_lists_all_rules():
    rows = re.findall(r"^(LAG\d+)  ", looplab.lint.__doc__, re.MULTILINE)
    assert rows == list(RULES)
