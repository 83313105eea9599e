"""What was published, and how one of our figures is compared with it.

``scoreboard_verdicts.py`` compares them. ``published.toml`` holds
``[[source]]`` and ``[[row]]`` tables; the comments at its top explain each
field. Our figures are never in that file: they are read from the glue outputs
that the notebooks hold.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab_values import Value

IDS = (
    *(f"A{n}" for n in range(1, 10)),
    *(f"B{n}" for n in range(1, 5)),
    *(f"C{n}" for n in range(1, 8)),
    *(f"D{n}" for n in range(1, 7)),
    *(f"E{n}" for n in range(1, 6)),
)
#: What each kind of comparison needs besides its key.
KINDS: dict[str, tuple[set[str], set[str]]] = {
    # kind: (required, allowed as well)
    "exact": ({"published"}, set()),
    "within": ({"published", "why"}, {"absolute", "relative"}),
    "factor": ({"published", "why", "factor"}, set()),
    "below": ({"why"}, {"published", "than", "times"}),
    "above": ({"why"}, {"published", "than", "times"}),
    "rising": ({"keys", "why"}, set()),
    "falling": ({"keys", "why"}, set()),
    "starts": ({"published"}, set()),
    "shown": (set(), set()),
}
ALWAYS = {"kind", "key", "keys", "what", "unit", "digits", "clock", "why"}


class ScoreboardError(ValueError):
    """The data file is wrong; the message names the row and the fix."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure: a number with its unit, or a text."""

    value: Decimal | None
    text: str
    unit: str = ""
    what: str = ""
    spread: Decimal | None = None

    def __str__(self) -> str:
        if self.value is None:
            return self.text
        shown = with_unit(f"{self.value:,}", self.unit)
        if self.spread is not None:
            shown += f" ± {self.spread}"
        return f"{shown} ({self.what})" if self.what else shown


@dataclass(frozen=True, slots=True)
class Claim:
    """How one of our figures is compared with what was published."""

    kind: str
    keys: tuple[str, ...]
    what: str
    clock: str
    published: Value | None = None
    absolute: Decimal | None = None
    relative: Decimal | None = None
    factor: Decimal | None = None
    than: str | None = None
    times: Decimal = Decimal(1)
    unit: str = ""
    digits: int = 3
    why: str = ""

    @property
    def judged(self) -> bool:
        return self.kind != "shown"

    @property
    def real(self) -> bool:
        """Whether it is about a run on a real loop and not on a model.

        A count on the stock loop, whose key ends in ``_stock``, needs no quiet machine.
        """
        return self.clock == "measured" or any(
            key.endswith("_stock") for key in self.keys
        )

    @property
    def reads(self) -> tuple[str, ...]:
        """All keys this claim needs, the one it is compared with too."""
        return (*self.keys, self.than) if self.than else self.keys

    def rule(self, other: str = "") -> str:
        """The comparison in words, with its tolerance.

        ``other`` names the figure of the key ``than``.
        """
        unit = self.unit
        match self.kind:
            case "exact":
                return "must be equal"
            case "within" if self.absolute is not None:
                return f"within {with_unit(str(self.absolute), unit)}"
            case "within":
                assert self.relative is not None
                return f"within {format((self.relative * 100).normalize(), 'f')} %"
            case "factor":
                return f"within a factor of {self.factor}"
            case "below" | "above":
                limit = (
                    with_unit(str(self.published), unit)
                    if self.than is None
                    else other or self.than
                )
                if self.times != 1:
                    limit = f"{self.times} × {limit}"
                return f"must be {self.kind} {limit}"
            case "rising" | "falling":
                return f"must be {self.kind}"
            case "starts":
                return "must start as published"
        return "shown, not judged"


@dataclass(frozen=True, slots=True)
class Row:
    """One experiment: what was run, what was published, our claims."""

    id: str
    source: str
    run: str
    figures: tuple[Figure, ...]
    stem: str
    claims: tuple[Claim, ...]
    auxiliary: tuple[str, ...] = ()
    because: str = ""
    agrees: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(k for claim in self.claims for k in claim.reads))

    def place(self, key: str) -> tuple[str, str]:
        """The stem of the notebook that glues a key, and the key's name there.

        It is the row's notebook unless the key names another before a slash.
        """
        stem, _, name = key.rpartition("/")
        return stem or self.stem, name


@dataclass(frozen=True, slots=True)
class Source:
    """One article: its bibliography key, letter and title."""

    key: str
    letter: str
    title: str


def with_unit(number: str, unit: str) -> str:
    """Join a number and its unit with a space that does not break."""
    return f"{number}\u00a0{unit}" if unit else number


# ---------------------------------------------------------------- published


def _known(where: str, raw: dict[str, Any], needed: set[str], also: set[str]) -> None:
    if missing := needed - raw.keys():
        raise ScoreboardError(f"{where} needs {sorted(missing)}")
    if unknown := raw.keys() - needed - also:
        raise ScoreboardError(f"{where} has no {sorted(unknown)}")


def _either(where: str, raw: dict[str, Any], one: str, other: str) -> None:
    if (one in raw) == (other in raw):
        raise ScoreboardError(f"{where}: give either {one} or {other}")


def _figure(where: str, raw: dict[str, Any]) -> Figure:
    where = f"{where}: a figure"
    _known(where, raw, set(), {"value", "text", "unit", "what", "spread"})
    _either(where, raw, "value", "text")
    numbers = {name: _decimal(raw.get(name)) for name in ("value", "spread")}
    return Figure(**{"text": "", **raw, **numbers})


def _claim(where: str, raw: dict[str, Any], figures: tuple[Figure, ...]) -> Claim:
    kind = raw.get("kind", "")
    if kind not in KINDS:
        raise ScoreboardError(
            f"{where}: kind {kind!r} is none of {', '.join(sorted(KINDS))}"
        )
    required, allowed = KINDS[kind]
    _known(f"{where}: kind {kind!r}", raw, required, allowed | ALWAYS)
    _either(where, raw, "key", "keys")
    if kind == "within":
        _either(where, raw, "absolute", "relative")
    if kind in {"below", "above"}:
        _either(where, raw, "published", "than")
    published = raw.get("published")
    if isinstance(published, int | Decimal):
        published = Decimal(published)
    _check_published(where, kind, published, figures)
    keys = tuple(raw.get("keys", ())) or (raw["key"],)
    measured = any(key.endswith("_real") for key in keys)
    numbers = {
        name: _decimal(raw[name])
        for name in ("absolute", "relative", "factor", "times")
        if name in raw
    }
    given = {name: raw[name] for name in raw.keys() - {"key"}}
    given |= {"keys": keys, "published": published, **numbers}
    clock = "measured" if measured else "exact"
    return Claim(**{"what": "", "clock": clock, **given})


def _check_published(
    where: str, kind: str, published: Value | None, figures: tuple[Figure, ...]
) -> None:
    """A claim may only be compared with a figure that the row lists."""
    if published is None:
        return
    if isinstance(published, Decimal):
        if kind == "starts":
            raise ScoreboardError(f"{where}: kind 'starts' compares texts")
        if published not in {figure.value for figure in figures}:
            raise ScoreboardError(
                f"{where}: {published} is not among the row's published figures"
            )
    elif not any(published in figure.text for figure in figures):
        raise ScoreboardError(
            f"{where}: {published!r} is not among the row's published texts"
        )


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(value)


def _row(raw: dict[str, Any]) -> Row:
    where = f"row {raw.get('id', '?')}"
    needed = {"id", "source", "run", "published", "stem"}
    _known(where, raw, needed, {"claim", "auxiliary", "because", "agrees"})
    figures = tuple(_figure(where, figure) for figure in raw["published"])
    if not figures:
        raise ScoreboardError(f"{where}: no published figure; use text for none given")
    claims = tuple(_claim(where, claim, figures) for claim in raw.get("claim", ()))
    return Row(
        id=raw["id"],
        source=raw["source"],
        run=raw["run"],
        figures=figures,
        stem=raw["stem"],
        claims=claims,
        auxiliary=tuple(raw.get("auxiliary", ())),
        because=raw.get("because", "").strip(),
        agrees=raw.get("agrees", "").strip(),
    )


@lru_cache(maxsize=1)
def read_rows(
    published: Path, mtime_ns: int, size: int
) -> tuple[tuple[Source, ...], tuple[Row, ...]]:
    """Sources and rows of the file; a page asks for them at each figure."""
    try:
        text = published.read_text(encoding="utf-8")
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ScoreboardError(f"{published.name}: {error}") from error
    sources = tuple(Source(**raw) for raw in data.get("source", ()))
    return sources, tuple(_row(raw) for raw in data.get("row", ()))


def published_number(row: Row, text: str) -> bool:
    """Whether ``text`` ("1.534", "1.534 s") is a published figure of the row."""
    parts = re.fullmatch(r"([+-]?[\d,]*\.?\d+)\s*(.*)", text.replace("\u00a0", " "))
    whole = rf"(?<![\d.]){re.escape(text)}(?![\d.])"
    for figure in row.figures:
        if figure.value is None:
            if text and re.search(whole, figure.text):
                return True
        elif parts:
            value, unit = Decimal(parts[1].replace(",", "")), parts[2].strip()
            if value in {figure.value, figure.spread} and unit in {"", figure.unit}:
                return True
    return False
