"""What is offered while a reader types."""

from __future__ import annotations

import collections
import json
from typing import Any

import pytest

from livecells.runtime.complete import complete

NAMES: dict[str, Any] = {"json": json, "number": 3, "collections": collections}


def labels(before: str, **names: Any) -> list[str]:
    return [o["label"] for o in complete({**NAMES, **names}, before)["options"]]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("json.lo", ["load", "loads"]),
        ("x = json . lo", ["load", "loads"]),
        ("num", ["number"]),
        ("def mine(): pass\nmin", ["mine"]),
        ("import colle", ["collections"]),
        ("import collections.ab", ["abc"]),
        ("from json import loa", ["load", "loads"]),
        ("from json import load, du", ["dump", "dumps"]),
        ("wit", ["with"]),
        ("1 + ", []),
        ("nothing.here", []),
        ("json.loads", []),
    ],
)
def test_names_are_offered(before: str, expected: list[str]) -> None:
    assert labels(before) == expected


def test_names_with_an_underscore_are_offered_to_who_types_one() -> None:
    assert not any(label.startswith("_") for label in labels("json."))
    assert "__name__" in labels("json.__n")


def test_nothing_of_the_reader_is_called() -> None:
    class Trap:
        calls = 0

        @property
        def trap(self) -> None:
            Trap.calls += 1

        def __getattr__(self, name: str) -> None:
            Trap.calls += 1

        def __call__(self) -> None:
            Trap.calls += 1

    assert labels("t.tr", t=Trap()) == ["trap"]
    assert labels("t.trap.x", t=Trap()) == []
    assert complete({"t": Trap()}, "t.trap(")["signature"] is None
    assert Trap.calls == 0


def test_an_object_that_refuses_is_no_error() -> None:
    class Odd:
        def __dir__(self) -> Any:
            raise RuntimeError

    assert labels("o.x", o=Odd()) == []


@pytest.mark.parametrize(
    ("before", "start"),
    [
        ("json.loads(", "loads(s, *,"),
        ("json.loads(number, ", "loads(s, *,"),
        ("print(json.loads(number), ", "print("),
        ("json.loads([1, ", None),
        ("json.loads(1)", None),
        ("(1 + ", None),
        ("number(", None),
    ],
)
def test_the_call_that_the_cursor_is_in(before: str, start: str | None) -> None:
    found = complete(NAMES, before)["signature"]
    if start is None:
        assert found is None
    else:
        assert found["text"].startswith(start) and found["doc"]


def test_no_default_shows_an_address() -> None:
    """A reader has no use for it, and each build of a book would differ by it."""
    found = complete(NAMES, "collections.UserDict.pop(")["signature"]
    assert found["text"] == "pop(self, key, default=<object object>)"
