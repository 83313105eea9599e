"""The forms in which a value can be shown."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from livecells.runtime.show import bundle_of


def thing(**methods: Any) -> object:
    made = {name: (lambda value: lambda self: value)(v) for name, v in methods.items()}
    return type("Thing", (), {"__repr__": lambda self: "a thing", **made})()


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        (
            {"_repr_png_": b"\x89PNG"},
            {"image/png": base64.b64encode(b"\x89PNG").decode()},
        ),
        ({"_repr_jpeg_": b"x"}, {"image/jpeg": "eA=="}),
        ({"_repr_markdown_": "**b**"}, {"text/markdown": "**b**"}),
        ({"_repr_html_": "<b>", "_repr_png_": b"x"}, {"text/html": "<b>"}),
        ({"_repr_html_": None, "_repr_png_": b"x"}, {"image/png": "eA=="}),
        ({"_repr_png_": (b"x", {"width": 1})}, {"image/png": "eA=="}),
        ({"_repr_html_": 3}, {}),
    ],
)
def test_the_best_form_is_taken(
    methods: dict[str, Any], expected: dict[str, str]
) -> None:
    assert bundle_of(thing(**methods)) == {**expected, "text/plain": "a thing"}


def test_a_bundle_goes_first() -> None:
    bundle = {"text/html": "<i>", "text/plain": "words", "text/latex": "no"}
    value = thing(_repr_mimebundle_=bundle, _repr_html_="<b>")
    assert bundle_of(value) == {"text/html": "<i>", "text/plain": "words"}


def test_a_class_is_not_asked_for_what_its_objects_have() -> None:
    kind = type(thing(_repr_html_="<b>"))
    assert set(bundle_of(kind)) == {"text/plain"}
