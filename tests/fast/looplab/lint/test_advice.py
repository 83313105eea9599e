"""Advice that is followed to the letter: nothing hangs, and nothing is lost.

Each program is cut out of a real project.  On the virtual clock one that hangs is a
:class:`looplab.DeadlockError`.
"""

from __future__ import annotations

import pytest

import looplab
from looplab.lint import check_source
from tests.fast.looplab.lint.marks import Advice, advice

PROGRAMS = [each for each in advice() if "threading" not in each.before]


def check(each: Advice, run: object) -> None:
    sections = [finding.section for finding in check_source(each.before)]
    assert each.section in sections
    assert each.section not in [x.section for x in check_source(each.after)]
    results = []
    for source in (each.before, each.after):
        space: dict[str, object] = {}
        exec(compile(source, each.title, "exec"), space)
        results.append(run(space["program"]()))
    (items, most), (same, fewer) = results
    assert items == same
    assert fewer <= 10 < most


@pytest.mark.parametrize("each", PROGRAMS, ids=lambda each: each.title)
def test_a_program_works_as_before_and_holds_less(each):
    check(each, looplab.run)
