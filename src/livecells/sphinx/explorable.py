"""A figure with a slider: one picture for each value, all made when the book is built.

A book says what to draw in a Python function that returns an :class:`Explorable`; the
directive ``{explorable}`` calls it during the build and writes the pictures beside the
page.  The reader's browser runs no Python for it.

>>> bars = [
...     Frame(f'<svg viewBox="0 0 10 1"><path d="M0 0h{n}"/></svg>', f"{n} wide")
...     for n in (1, 5, 9)
... ]
>>> Explorable("Width of a bar", "Width", "cm", (1, 5, 9), bars, default=5).texts
('1 cm', '5 cm', '9 cm')

The standard library is all that this module needs: the book's function runs in a
process of its own, without Sphinx.
"""

from __future__ import annotations

import ast
import gzip
import importlib
import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LIMIT", "Explorable", "ExplorableError", "Frame"]

#: How many compressed bytes the pictures of one figure may take.
LIMIT = 100_000

_FIRST_LINE = re.compile(r"(?P<name>[A-Za-z_]\w*) = (?P<value>[^#\n]+?)\s*(?:#.*)?")
_SVG = re.compile(r"\s*<svg\b(?P<attributes>[^>]*)>")
_UNSAFE = re.compile(r"<script\b|<iframe\b|\son[a-z]+\s*=|javascript:", re.I)


class ExplorableError(ValueError):
    """A figure with a slider that cannot be shown; the message says how to fix it."""


@dataclass(frozen=True)
class Frame:
    """One picture and what it shows.

    Args:
        picture: SVG, or HTML such as a table, without scripts.
        summary: what it shows, in a sentence; it stands below the picture and is read
            aloud when the slider moves.
    """

    picture: str
    summary: str


@dataclass(frozen=True)
class Explorable:
    """A figure with a slider.

    Args:
        title: what the figure shows.
        parameter: the name of what the slider sets.
        unit: the unit of the values; ``""`` for none.
        values: what the slider can be set to, in rising order.
        frames: a :class:`Frame` for each value.
        default: the value that is shown first, and where scripts are off.
        live: code for a live cell below the figure.  Its first line must be
            ``name = value`` with the default value; it follows the slider.
        texts: the values in words, where value and unit would read badly.
        style: CSS for the pictures, put on the page once.

    Raises:
        ExplorableError: something of this is missing or does not fit; the message names
            the value and the fix.
    """

    title: str
    parameter: str
    unit: str
    values: Sequence[float]
    frames: Sequence[Frame]
    default: float
    live: str = ""
    texts: Sequence[str] = field(default=())
    style: str = ""

    def __post_init__(self) -> None:
        values, frames = tuple(self.values), tuple(self.frames)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "frames", frames)
        for what in ("title", "parameter"):
            text = getattr(self, what)
            if not isinstance(text, str) or not text.strip():
                raise ExplorableError(f"{what} is {text!r}: give the reader a name")
        self._check_values()
        self._check_frames()
        texts = tuple(self.texts) or tuple(
            f"{value:,} {self.unit}".strip() for value in values
        )
        if len(texts) != len(values):
            raise ExplorableError(
                f"{len(texts)} texts for {len(values)} values: give one for each"
            )
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "live", self.live.strip("\n"))
        if self.live:
            self._check_live()
        if (size := len(self.packed())) > LIMIT:
            raise ExplorableError(
                f"the pictures take {size:,} bytes compressed, and {LIMIT:,} are "
                "allowed: take fewer values or simpler pictures"
            )

    def _check_values(self) -> None:
        if len(self.values) < 2:
            raise ExplorableError(
                f"values has {len(self.values)} of them: a slider needs two or more"
            )
        for value in self.values:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not math.isfinite(value):
                raise ExplorableError(
                    f"{value!r} among the values: give finite numbers"
                )
        for low, high in zip(self.values, self.values[1:], strict=False):
            if low >= high:
                raise ExplorableError(
                    f"{high!r} follows {low!r} among the values: sort them, each once"
                )
        if self.default not in self.values:
            raise ExplorableError(
                f"default is {self.default!r}, which is not among the values: "
                f"take one of them, such as {self.values[0]!r}"
            )

    def _check_frames(self) -> None:
        if len(self.frames) != len(self.values):
            raise ExplorableError(
                f"{len(self.frames)} frames for {len(self.values)} values: "
                "give one for each value"
            )
        sizes: dict[tuple[str, ...], float] = {}
        for value, frame in zip(self.values, self.frames, strict=True):
            if not isinstance(frame, Frame):
                raise ExplorableError(
                    f"the frame of {value!r} is a {type(frame).__name__}: "
                    "make it Frame(picture, summary)"
                )
            if "<" not in frame.picture:
                raise ExplorableError(
                    f"the picture of {value!r} is {frame.picture[:40]!r}: "
                    "give SVG or HTML as text"
                )
            if unsafe := _UNSAFE.search(frame.picture):
                raise ExplorableError(
                    f"the picture of {value!r} has {unsafe[0].strip()!r}: pictures may "
                    "not hold scripts"
                )
            if not frame.summary.strip():
                raise ExplorableError(
                    f"the frame of {value!r} has no summary: say in a sentence what "
                    "it shows"
                )
            if svg := _SVG.match(frame.picture):
                attributes = re.findall(
                    r'\b(viewBox|width|height)="([^"]*)"', svg["attributes"]
                )
                size = tuple(f"{name} {text}" for name, text in sorted(attributes))
                sizes.setdefault(size, value)
        if len(sizes) > 1:
            (size, first), (other, second), *_ = sizes.items()
            raise ExplorableError(
                f"the picture of {first!r} has {', '.join(size) or 'no size'} and that "
                f"of {second!r} has {', '.join(other) or 'no size'}: make all of one "
                "size, or the page jumps when the slider moves"
            )

    def _check_live(self) -> None:
        first = self.live.partition("\n")[0]
        match = _FIRST_LINE.fullmatch(first)
        try:
            value = ast.literal_eval(match["value"]) if match else None
        except (ValueError, SyntaxError):
            value = None
        if value is None or value != self.default:
            raise ExplorableError(
                f"the first line of live is {first!r}: the slider sets it, so write "
                f"the parameter with its default there, such as n = {self.default!r}"
            )

    @property
    def place(self) -> int:
        """The place of the default among the values."""
        return list(self.values).index(self.default)

    def data(self) -> dict[str, Any]:
        """What the slider's script fetches."""
        return {
            "values": [repr(value) for value in self.values],
            "texts": list(self.texts),
            "summaries": [frame.summary for frame in self.frames],
            "pictures": [frame.picture for frame in self.frames],
        }

    def packed(self) -> bytes:
        """The same, compressed as a host would send it."""
        return gzip.compress(self.json().encode(), 9, mtime=0)

    def json(self) -> str:
        """The same as text."""
        return json.dumps(self.data(), ensure_ascii=False, separators=(",", ":"))

    def built(self) -> dict[str, Any]:
        """What the build puts on the page itself, with the fetched part under json."""
        return {
            "title": self.title,
            "parameter": self.parameter,
            "texts": list(self.texts),
            "summaries": [frame.summary for frame in self.frames],
            "place": self.place,
            "picture": self.frames[self.place].picture,
            "live": self.live,
            "style": self.style,
            "json": self.json(),
        }


def load(name: str) -> Explorable:
    """Call ``module:function`` and return its figure.

    Raises:
        ExplorableError: there is no such function, or it returns something else.
    """
    module, _, function = name.partition(":")
    if not module or not function.isidentifier():
        raise ExplorableError(f"{name!r} names no function: write module:function")
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.split(".")[0] == error.name.split(".")[0]:
            raise ExplorableError(
                f"{name!r}: there is no module {error.name!r} in the folder that "
                "livecells_explorables names"
            ) from error
        raise
    make = getattr(imported, function, None)
    if not callable(make):
        raise ExplorableError(f"{name!r}: {module} has no function {function}")
    made = make()
    if not isinstance(made, Explorable):
        raise ExplorableError(
            f"{name!r} returned a {type(made).__name__}: it must return an Explorable"
        )
    return made


def main(words: list[str]) -> int:
    """Print what ``module:function`` makes; the build runs this in its own process."""
    try:
        built = load(words[0]).built()
    except ExplorableError as error:
        print(error, file=sys.stderr)
        return 2
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    json.dump(built, sys.stdout)
    return 0
