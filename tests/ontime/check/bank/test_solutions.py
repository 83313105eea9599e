"""What stands above each solution of the bank: why it works, and what the stub is told.

A teacher reads it, nobody runs it; so it is a comment.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ontime.check import extra_exercises
from tests.ontime.check.bank.bank import bank, verdict_on

SOLUTIONS = Path(__file__).resolve().parents[4] / "teaching" / "solutions"
ABOVE = re.compile(r'((?:^ *# .*\n)+)^ *"(\d\d-x\w+)": """$', re.M)
PARTS = re.compile(r"Why this works: (.+) Of the stub the check says: (.+)")


def words_above() -> dict[str, str]:
    """The comment above each solution, in one line, by the name of the exercise."""
    return {
        name: " ".join(re.sub(r"^ *# ", "", comment, flags=re.M).split())
        for path in sorted(SOLUTIONS.glob("*.py"))
        for comment, name in ABOVE.findall(path.read_text(encoding="utf-8"))
    }


def test_each_solution_has_words_above_it() -> None:
    assert sorted(words_above()) == sorted(extra_exercises())


@pytest.mark.full
@pytest.mark.usefixtures("quiet_check")
@pytest.mark.parametrize("name", extra_exercises())
def test_they_say_why_and_what_the_stub_is_told(name: str) -> None:
    found = PARTS.fullmatch(words_above()[name])
    assert found, f"{name}: begin with 'Why this works:', then 'Of the stub …'"
    why, stub = found.groups()
    assert 12 <= len(why.split()) <= 70, f"{name}: {len(why.split())} words"
    hint = " ".join(verdict_on(name, bank()[name].stub).hint.split())
    said = stub.partition(" Its hint: ")[2].rstrip(".")
    assert said == hint.rstrip("."), f"{name}: the hint is now {hint!r}"
