"""What is offered while a reader types."""

from __future__ import annotations

import collections
import json
from pathlib import Path
from typing import Any

import pytest

from livecells.runtime.complete import complete

NAMES: dict[str, Any] = {"json": json, "number": 3, "collections": collections}


def labels(before: str, **names: Any) -> list[str]:
    return [o["label"] for o in complete({**NAMES, **names}, before)["options"]]


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


class Thing:
    """A thing.

    More of it.
    """

    word = 1
    _hidden = 2

    def __init__(self, size: int = 1, *, wide: bool = True) -> None:
        self.value = size

    def method(self) -> None: ...

    @staticmethod
    def still() -> None: ...

    @classmethod
    def made(cls) -> None:
        "Makes one."

    @property
    def prop(self) -> None:
        raise AssertionError

    class Inner: ...


SCOPE = {"thing": Thing(), "Thing": Thing, "json": json, "number": 3}
_, OFFERED, _, CALLS = (
    [json.loads(line) for line in part.splitlines() if line[0] == "["]
    for part in Path(__file__)
    .with_name("complete.txt")
    .read_text("utf-8")
    .split("\n\n")
)


@pytest.mark.parametrize(("before", "length", "options"), OFFERED)
def test_each_option_has_its_kind(
    before: str, length: int, options: dict[str, str]
) -> None:
    answer = complete(SCOPE, before)
    assert answer["length"] == length
    kinds = {option["label"]: option["type"] for option in answer["options"]}
    assert list(kinds.items()) == sorted(options.items())


def test_what_is_offered_has_a_bound() -> None:
    names = {f"name{n:03}": n for n in range(400)}
    assert labels("nam", **names) == sorted(names)[:300]


@pytest.mark.parametrize("case", CALLS)
def test_the_call_that_the_cursor_is_in(case: list[str]) -> None:
    before, *call = case
    wanted = dict(zip(("text", "doc"), call, strict=True)) if call else None
    assert complete(SCOPE, before)["signature"] == wanted


def test_a_call_is_looked_for_within_a_bound() -> None:
    doc = "Return the number of items in a container."
    for letters, wanted in [
        (3_990, {"text": "len(obj, /)", "doc": doc}),
        (4_000, None),
    ]:
        before = "len('" + "x" * letters
        assert complete(SCOPE, before)["signature"] == wanted


def test_a_long_signature_is_cut() -> None:
    def f(a: int = 10**400) -> None: ...

    f.__doc__ = "x" * 500
    signature = complete({"f": f}, "f(")["signature"]
    assert [len(signature[part]) for part in ("text", "doc")] == [300, 200]


def test_no_default_shows_an_address() -> None:
    """A reader has no use for it, and each build of a book would differ by it."""
    found = complete(NAMES, "collections.UserDict.pop(")["signature"]
    assert found["text"] == "pop(self, key, default=<object object>)"
