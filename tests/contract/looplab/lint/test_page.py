"""The page of the rules: its examples are checked, run, and printed by --explain."""

from __future__ import annotations

import asyncio
import importlib.resources
import inspect
import re
import tokenize

import pytest

from looplab.lint import check_source
from tools.common import ROOT

RULES_TEXT = (
    importlib.resources.files("looplab.lint").joinpath("rules.md").read_text("utf-8")
)
KINDS = ("Before", "After", "Silent")


def examples() -> list[tuple[str, str, str]]:
    """Section, kind and source of each example."""
    out = []
    parts = re.split(r"^\(([a-z0-9-]+)\)=\n", RULES_TEXT, flags=re.MULTILINE)[1:]
    for label, text in zip(parts[::2], parts[1::2], strict=True):
        for kind, source in re.findall(
            r"^(\w+):\n\n```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL
        ):
            assert kind in KINDS
            out.append((label, kind, source))
    return out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(first[2], second[2], id=first[0])
        for first, second in zip(examples(), examples()[1:], strict=False)
        if (first[1], second[1]) == ("Before", "After")
    ],
)
def test_what_is_mended_still_works_and_is_better(before, after):
    """What main() returns is what was too much: items, tasks, questions asked."""
    much, less = run(before), run(after)
    assert isinstance(much, int)
    assert less <= much
    if much > 100:
        assert less <= max(1000, much // 10)
        assert less < much


def run(source: str) -> int:
    space: dict[str, object] = {}
    exec(compile(source, "example.py", "exec"), space)
    main = space["main"]
    assert inspect.iscoroutinefunction(main)
    return asyncio.run(asyncio.wait_for(main(), 600))


@pytest.mark.parametrize(
    "source", [pytest.param(x[2], id=x[0]) for x in examples() if x[1] == "Silent"]
)
def test_what_needs_no_bound_ends(source):
    run(source)


def test_the_linter_is_content_with_this_project():
    files = [
        path
        for folder in ("src", "tools", "book/_ext")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 20
    for path in files:
        with tokenize.open(path) as file:
            assert check_source(file.read()) == [], path
