"""LAG201 against an oracle: every way through small random loops, one by one."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from looplab.lint import check_source

LEAVES = st.sampled_from(
    [("sleep",), ("await",), ("pass",), ("break",), ("continue",), ("return",)]
)


def blocks(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(inner, min_size=1, max_size=3).map(tuple)


CALM = st.recursive(
    st.sampled_from([("sleep",), ("await",), ("pass",)]),
    lambda inner: st.tuples(st.just("if"), blocks(inner), blocks(inner)),
    max_leaves=3,
)


STATEMENTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("if"), blocks(inner), blocks(inner)),
        st.tuples(st.just("if"), blocks(inner), st.just(())),
        st.tuples(st.just("for"), blocks(inner)),
        st.tuples(st.just("while"), blocks(inner)),
        st.tuples(st.just("endless"), blocks(inner)),
        # Without a jump in `finally`: it swallows exceptions, which the oracle has not.
        st.tuples(st.just("finally"), blocks(inner), blocks(CALM)),
        st.tuples(st.just("lock"), blocks(inner)),
    ),
    max_leaves=8,
)

HEADS = {"for": "for _ in x:", "while": "while x:", "endless": "while True:"}


def written(block: tuple, indent: int) -> Iterator[str]:
    """The source of a block."""
    space = "    " * indent
    for kind, *parts in block:
        if kind == "sleep":
            yield f"{space}await asyncio.sleep(0)"
        elif kind == "await":
            yield f"{space}await x()"
        elif not parts:
            yield space + kind
        elif kind == "finally":
            yield f"{space}try:"
            yield from written(parts[0], indent + 1)
            yield f"{space}finally:"
            yield from written(parts[1], indent + 1)
        elif kind == "if":
            yield f"{space}if x:"
            yield from written(parts[0], indent + 1)
            if parts[1]:
                yield f"{space}else:"
                yield from written(parts[1], indent + 1)
        else:
            head = "async with x:" if kind == "lock" else HEADS[kind]
            yield space + head
            yield from written(parts[0], indent + 1)


def ways(block: list[ast.stmt]) -> Iterator[tuple[tuple[object, ...], str]]:
    """What a block passes, and how it ends, in every way.

    A thing that is passed is the line of a sleep, or "await".
    """
    if not block:
        yield (), "end"
        return
    for passed, how in of_statement(block[0]):
        if how != "end":
            yield passed, how
            continue
        for more, then in ways(block[1:]):
            yield passed + more, then


def of_statement(node: ast.stmt) -> Iterator[tuple[tuple[object, ...], str]]:
    if isinstance(node, ast.Break | ast.Continue | ast.Return):
        yield (), type(node).__name__.lower()
    elif isinstance(node, ast.Pass):
        yield (), "end"
    elif isinstance(node, ast.Expr):
        is_sleep = "sleep" in ast.unparse(node)
        yield (node.lineno if is_sleep else "await",), "end"
    elif isinstance(node, ast.If):
        yield from ways(node.body)
        yield from ways(node.orelse)
    elif isinstance(node, ast.AsyncWith):
        for passed, how in ways(node.body):
            yield ("await", *passed), how
    elif isinstance(node, ast.Try):
        for (passed, how), (more, then) in itertools.product(
            ways(node.body), ways(node.finalbody)
        ):
            yield passed + more, how if then == "end" else then
    else:
        endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
        rounds = {
            (frozenset(passed), how) for passed, how in ways(node.body)
        }  # enough for what is asked, and far fewer
        before: set[frozenset[object]] = {frozenset()}
        for _ in range(2):
            if not endless:
                yield from ((tuple(one), "end") for one in before)
            after = set()
            for one, (passed, how) in itertools.product(before, rounds):
                if how == "return":
                    yield tuple(one | passed), how
                elif how == "break":
                    yield tuple(one | passed), "end"
                else:
                    after.add(one | passed)
            before = after
        if not endless:
            yield from ((tuple(one), "end") for one in before)


def polling(tree: ast.Module) -> set[int]:
    """The lines of sleeps that some loop can pass in a round with no other await."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            for passed, how in set(ways(node.body)):
                if how in ("end", "continue") and "await" not in passed:
                    found.update(one for one in passed if isinstance(one, int))
    return found


@settings(max_examples=300)
@given(blocks(STATEMENTS))
def test_every_way_round(block):
    lines = ["import asyncio", "async def f():", "    while x:", *written(block, 2)]
    source = "\n".join(lines)
    tree = ast.parse(source)
    expected = polling(tree)
    findings = check_source(source, select=["LAG2", "LAG202"])
    assert {one.line for one in findings if one.code == "LAG201"} == expected, source
    sleeps = {n for n, line in enumerate(lines, 1) if "sleep" in line}
    assert {one.line for one in findings} == sleeps


def test_the_oracle():
    def lines(text):
        return polling(ast.parse(text))

    assert lines("while x:\n await sleep()") == {2}
    assert lines("while x:\n await sleep()\n await x()") == set()
    assert lines("while x:\n if x:\n  await sleep()\n  continue\n await x()") == {3}
    assert lines("while x:\n await sleep()\n break") == set()
    assert (
        lines("while x:\n while True:\n  await x()\n  break\n await sleep()") == set()
    )
    assert lines("while x:\n for _ in x:\n  await x()\n await sleep()") == {4}
