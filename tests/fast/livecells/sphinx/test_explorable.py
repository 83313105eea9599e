"""Figures with a slider: checked, small, and true to the code beside them."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from livecells import Explorable, ExplorableError, Frame
from livecells.sphinx.explorable import LIMIT, main


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


# ---- what it makes ----------------------------------------------------------


def test_a_figure_knows_its_words_and_its_place() -> None:
    made = Explorable(
        **good(
            values=[1, 500, 90_000.5], default=500, style="p{}", live="\nn = 500 # x\n"
        )
    )
    pictures = [frame.picture for frame in made.frames]
    data = {
        "values": ["1", "500", "90000.5"],
        "texts": ["1 cm", "500 cm", "90,000.5 cm"],
        "summaries": [f"It is {n} wide." for n in (1, 5, 9)],
        "pictures": pictures,
    }
    built = made.built()
    assert json.loads(built.pop("json")) == data
    assert gzip.decompress(made.packed()).decode() == made.json()
    assert made.packed()[4:8] == bytes(4), "the same at any time"
    assert built == {
        **{key: data[key] for key in ("texts", "summaries")},
        "title": "Width",
        "parameter": "Width",
        "place": 1,
        "picture": pictures[1],
        "live": "n = 500 # x",
        "style": "p{}",
    }


def test_what_need_not_be_given() -> None:
    made = Explorable(**good(unit="", values=(0, 1, 2), default=0))
    assert (made.texts, made.live, made.style) == (("0", "1", "2"), "", "")
    own = Explorable(**good(texts=["a", "b", "c"])).texts
    assert own == ("a", "b", "c")
    two = Explorable(**good(values=(1, 5), frames=[Frame("<b/>", "s")] * 2))
    assert two.data()["pictures"] == ["<b/>"] * 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nocolon", "names no function: write module:function"),
        (":name", "names no function"),
        ("json:loads:x", "names no function"),
        ("no_such_module:f", "there is no module 'no_such_module'"),
        ("json.no_such:f", "there is no module 'json.no_such'"),
        ("json:no_such", "json has no function no_such"),
        ("json:__name__", "json has no function __name__"),
        ("os:getcwd", "returned a str: it must return an Explorable"),
    ],
)
def test_a_function_that_is_none_is_named(
    name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name]) == 2
    shown = capsys.readouterr()
    assert words in shown.err and repr(name) in shown.err and not shown.out


def test_an_error_of_the_function_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="missing 1 required"):
        main(["json:dumps"])
    monkeypatch.setattr(importlib, "import_module", lambda _: __import__("no_such"))
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        main(["mine:figure"])


def test_the_build_gets_what_the_function_makes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = Explorable(**good())
    module = SimpleNamespace(figure=lambda: made)
    monkeypatch.setitem(sys.modules, "mine", module)  # type: ignore[arg-type]
    assert main(["mine:figure"]) == 0
    assert json.loads(capfd.readouterr().out) == made.built()


# ---- what it checks ---------------------------------------------------------


TALL = Frame('<svg height="21"></svg>', "Taller.")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": " "}, "title is ' ': give the reader a name"),
        ({"parameter": ""}, "parameter is ''"),
        ({"title": 3}, "title is 3"),
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
        (
            {"frames": [*good()["frames"][:2], Frame("<svg/>", "s")]},
            "that of 9 has no size",
        ),
        ({"frames": [Frame("<script>", "s")] * 3}, "has '<script': pictures may not"),
        ({"frames": [Frame("<a onclick='x'>", "s")] * 3}, "has 'onclick='"),
        ({"frames": [Frame("<a href='JavaScript:x'>", "s")] * 3}, "has 'JavaScript:'"),
        ({"values": (1, 5, float("inf"))}, "inf among the values"),
        ({"values": (None, 5, 9)}, "None among the values"),
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
