"""Wrong answers that are a solution with a mistake or two in it."""

from __future__ import annotations

from tests.ontime.check.bank.bank import bank

__all__ = ["changed"]


def changed(name: str, *changes: tuple[str, str]) -> str:
    """The solution of an exercise, changed: (a text in it, what stands for it)."""
    text = bank()[name].solution
    for before, after in changes:
        assert before in text, f"the solution of {name} has no {before!r}"
        text = text.replace(before, after)
    return text
