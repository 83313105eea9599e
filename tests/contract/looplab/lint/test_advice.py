"""Advice that is followed to the letter where a thread takes part."""

from __future__ import annotations

import asyncio

import pytest

from tests.fast.looplab.lint.marks import advice
from tests.fast.looplab.lint.test_advice import check

PROGRAMS = [each for each in advice() if "threading" in each.before]


@pytest.mark.parametrize("each", PROGRAMS, ids=lambda each: each.title)
def test_a_program_works_as_before_and_holds_less(each):
    check(each, asyncio.run)
