"""The page of the rules: its examples are checked, run, and printed by --explain."""

from __future__ import annotations

import tokenize

import pytest

from looplab.lint import check_source
from tests.fast.looplab.lint.test_page import examples, run
from tools.common import ROOT


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
