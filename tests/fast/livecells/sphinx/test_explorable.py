"""Figures with a slider: checked, small, and true to the code beside them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from livecells import Explorable, ExplorableError, Frame
from livecells.sphinx.explorable import LIMIT


def good(**change: Any) -> dict[str, Any]:
    """What makes a figure, with something changed."""
    frames = [
        Frame(f'<svg height="20"><path d="M0 0h{n}"/></svg>', f"It is {n} wide.")
        for n in (1, 5, 9)
    ]
    return {
        "title": "Width",
        "parameter": "Width",
        "unit": "cm",
        "values": (1, 5, 9),
        "frames": frames,
        "default": 5,
        **change,
    }


# ---- what it checks ---------------------------------------------------------


def test_a_figure_knows_its_words_and_its_place() -> None:
    made = Explorable(**good(values=(1, 500, 90_000), default=500))
    assert made.texts == ("1 cm", "500 cm", "90,000 cm")
    assert made.place == 1
    assert json.loads(made.json())["values"] == ["1", "500", "90000"]
    assert gzip.decompress(made.packed()).decode() == made.json()


TALL = Frame('<svg height="21"></svg>', "Taller.")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": " "}, "title is ' ': give the reader a name"),
        ({"parameter": ""}, "parameter is ''"),
        ({"values": (1,)}, "values has 1 of them: a slider needs two or more"),
        ({"values": (1, 5, 5)}, "5 follows 5 among the values: sort them, each once"),
        ({"values": (5, 1, 9)}, "1 follows 5 among the values"),
        ({"values": (1, 5, float("nan"))}, "nan among the values: give finite numbers"),
        ({"values": (1, 5, "9")}, "'9' among the values"),
        ({"values": (1, 5, True)}, "True among the values"),
        ({"default": 4}, "default is 4, which is not among the values: take one"),
        ({"frames": good()["frames"][:2]}, "2 frames for 3 values"),
        ({"frames": ["<svg></svg>"] * 3}, r"the frame of 1 is a str: make it Frame"),
        ({"frames": [Frame("no", "s")] * 3}, "the picture of 1 is 'no': give SVG"),
        ({"frames": [Frame("<b/>", " ")] * 3}, "the frame of 1 has no summary"),
        (
            {"frames": [*good()["frames"][:2], TALL]},
            "the picture of 1 has height 20 and that of 9 has height 21: make all",
        ),
        ({"frames": [Frame("<script>", "s")] * 3}, "has '<script': pictures may not"),
        ({"frames": [Frame("<a onclick='x'>", "s")] * 3}, "has 'onclick='"),
        ({"texts": ("a",)}, "1 texts for 3 values"),
        ({"live": "print(1)"}, r"the first line of live is 'print\(1\)'.* n = 5"),
        ({"live": "n = 6\nprint(n)"}, "the first line of live is 'n = 6'"),
        ({"live": "n = open()"}, "the first line of live"),
    ],
)
def test_a_figure_that_cannot_be_shown_is_refused(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(ExplorableError, match=words):
        Explorable(**good(**change))


def test_pictures_that_are_too_large_are_refused() -> None:
    noise = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(40_000))
    frames = [Frame(f"<p>{noise[n:]}{noise[:n]}</p>", "Noise.") for n in (0, 777, 5555)]
    with pytest.raises(ExplorableError, match=rf"{LIMIT:,} are allowed"):
        Explorable(**good(frames=frames))
