"""The programs of the page of the rules, run before and after."""

from __future__ import annotations

import asyncio

import pytest

from tests.fast.looplab.lint.test_page import examples


def run(source: str) -> int:
    space: dict[str, object] = {}
    exec(compile(source, "example.py", "exec"), space)
    return asyncio.run(asyncio.wait_for(space["main"](), 600))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(first[2], second[2], id=first[0])
        for first, second in zip(examples(), examples()[1:], strict=False)
        if (first[1], second[1]) == ("Before", "After")
    ],
)
def test_what_is_fixed_still_works_and_is_better(before, after):
    """What main() returns is what was too much: items, tasks, questions asked."""
    much, less = run(before), run(after)
    assert isinstance(much, int)
    assert less <= much
    if much > 100:
        assert less <= max(1000, much // 10)
        assert less < much
