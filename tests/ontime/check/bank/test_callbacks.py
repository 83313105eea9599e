"""The extra exercises of chapter 1."""

from __future__ import annotations

import pytest

from tests.ontime.check.bank.bank import (
    Wrong,
    assert_refused,
    assert_solved,
    assert_stub_refused,
    each_wrong,
)

WRONG: Wrong = {
    "01-xorder": {
        "notes are run at once": ('order_of_letters = "BACEFDG"', "only make notes"),
        "awaiting a future that is done gives way": (
            'order_of_letters = "EBCAFDG"',
            "gives way to none",
        ),
        "sleep(0) does not give way": (
            'order_of_letters = "EFBCDAG"',
            "behind all that is in the ready queue",
        ),
        "the callback of the future was added first": (
            'order_of_letters = "EFABCDG"',
            "in which order?",
        ),
        "a letter twice": ('order_of_letters = "EEFBCADG"', "each of them once"),
    },
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.usefixtures("quiet_check")
def test_solution(name: str) -> None:
    assert_solved(name)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.usefixtures("quiet_check")
def test_stub(name: str) -> None:
    assert_stub_refused(name)


@pytest.mark.parametrize(("name", "what"), each_wrong(WRONG))
@pytest.mark.usefixtures("quiet_check")
def test_wrong_answer(name: str, what: str) -> None:
    assert_refused(name, *WRONG[name][what])
