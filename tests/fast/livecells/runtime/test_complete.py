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
V, F, N = "variable", "function", "namespace"


@pytest.mark.parametrize(
    ("before", "length", "options"),
    [
        (
            "thing.",
            0,
            {"Inner": "class", "made": F, "method": F, "prop": "property"}
            | {"still": F, "value": V, "word": V},
        ),
        ("x = 1\nThing.wo", 2, {"word": V}),
        (
            "def thin(): pass\nclass th1: pass\nth",
            2,
            dict.fromkeys(["th1", "thin", "thing"], V),
        ),
        (
            "xa = 1\nxb: int = 3\nasync def xc(): pass\nx",
            1,
            dict.fromkeys(["xa", "xb", "xc"], V),
        ),
        ("json.de", 2, {"decoder": N, "detect_encoding": F}),
        ("x = json . lo", 2, {"load": F, "loads": F}),
        ("def mine(): pass\nmin", 3, {"mine": V}),
        ("import collections.ab", 2, {"abc": N}),
        ("wit", 3, {"with": "keyword"}),
        *((before, 0, {}) for before in ("1 + ", "2 * (")),
        *((f"nothing.{part}", 4, {}) for part in ("here", "load")),
        ("json.loads", 5, {}),
        ("Th", 2, {"Thing": "class"}),
        ("js", 2, {"json": N}),
        ("isin", 4, {"isinstance": F}),
        ("lamb", 4, {"lambda": "keyword"}),
        ("import xmlr", 4, {"xmlrpc": N}),
        ("import json.too", 3, {"tool": N}),
        ("from json import (load, dum", 3, {"dump": F, "dumps": F}),
        ("from no_such import du", 2, {}),
    ],
)
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


@pytest.mark.parametrize(
    ("before", "text", "doc"),
    [
        (
            "Thing(",
            "Thing(size: 'int' = 1, *, wide: 'bool' = True) -> 'None'",
            "A thing.",
        ),
        (
            "1\nThing({1: 2}, (3), ",
            "Thing(size: 'int' = 1, *, wide: 'bool' = True) -> 'None'",
            "A thing.",
        ),
        ("print(thing.made(", "made() -> 'None'", "Makes one."),
        ("thing.still(", "still() -> 'None'", ""),
        ("len(thing.Inner(", "Inner()", ""),
        ("range(", "range(…)", "range(stop) -> range object"),
        (
            "len('" + "x" * 3_990,
            "len(obj, /)",
            "Return the number of items in a container.",
        ),
        ("len('" + "x" * 4_000, None, None),
        ("Thing([1, ", None, None),
        ("Thing({", None, None),
        ("Thing(1)", None, None),
        ("(1 + ", None, None),
        ("number(", None, None),
        ("nothing(", None, None),
        ("thing.prop.x(", None, None),
        ("", None, None),
    ],
)
def test_the_call_that_the_cursor_is_in(
    before: str, text: str | None, doc: str | None
) -> None:
    wanted = None if text is None else {"text": text, "doc": doc}
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
