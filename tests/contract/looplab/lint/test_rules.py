"""Findings, the choice of rules, comments, and any source at all."""

from __future__ import annotations

import time

from tests.fast.looplab.lint.marks import flagged

# -- any source ----------------------------------------------------------------------


def test_nested_finally_is_followed_once():
    indent, lines = 1, ["import asyncio", "async def f():", " while x:"]
    for _ in range(45):
        indent += 1
        lines += [" " * indent + "try: a", " " * indent + "finally:"]
    lines.append(" " * (indent + 1) + "await asyncio.sleep(0)")
    start = time.process_time()
    assert flagged(*lines[1:]) == ["LAG201"]
    assert time.process_time() - start < 20  # twice as long for each would be for ever
