"""What was published, what we found, and whether they agree.

No Sphinx here: the page (``scoreboard.py``) and the tests both read this module, so
that no verdict is shown that the tests did not judge. The comments at the top of
``published.toml`` explain its rows and claims; that these are whole and none has gone
stale is proved by ``tests/fast/notebooks/test_scoreboard.py``. Our figures are never in
that file: they are read from the outputs of the notebooks.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab_values import Glued, Lab, Value, kept, place_of, read_lab

REPRODUCED = "reproduced"
MODEL = "reproduced in the model"  # nothing in real time was judged
BUSY = "machine was busy"  # a figure in real time was, and says little
DIFFERS = "differs"
NOTHING = "nothing published"  # no figure that ours could be compared with
NOT_YET = "not yet"

Number = Decimal | int
QUIET = Decimal("0.9")  # the share of the cores that is free on a quiet machine


class ScoreboardError(ValueError):
    """The data file is wrong; the message names the row."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure: a number with its unit, or a text."""

    value: Number | None = None
    text: str = ""
    unit: str = ""
    what: str = ""
    spread: Number | None = None

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
    key: str = ""
    keys: tuple[str, ...] = ()
    what: str = ""
    clock: str = ""
    published: Any = None
    absolute: Number | None = None
    relative: Decimal | None = None
    factor: Number = 1
    than: str = ""
    times: Number = 1
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

    def holds(self, values: list[Any]) -> bool:
        """Whether it does, with the values of all keys that it reads."""
        ours, theirs = values[0], values[-1] if self.than else self.published
        if self.kind == "exact":
            return bool(ours == theirs)
        if self.kind == "starts":
            return str(ours).startswith(theirs)
        if self.judged and not all(isinstance(value, Decimal) for value in values):
            return False
        match self.kind:
            case "within":
                room = self.absolute
                if room is None:
                    room = (self.relative or 0) * abs(theirs)
                return bool(abs(ours - theirs) <= room)
            case "factor":
                return bool(theirs / self.factor <= ours <= theirs * self.factor)
            case "below":
                return bool(ours < theirs * self.times)
            case "above":
                return bool(ours > theirs * self.times)
            case "rising":
                return all(a < b for a, b in pairwise(values))
            case "falling":
                return all(a > b for a, b in pairwise(values))
        return True

    def rule(self, other: str = "") -> str:
        """The comparison in words, with its tolerance; *other* is the key ``than``."""
        match self.kind:
            case "exact":
                return "must be equal"
            case "within" if self.absolute is not None:
                return f"within {with_unit(str(self.absolute), self.unit)}"
            case "within":
                share = ((self.relative or Decimal()) * 100).normalize()
                return f"within {share:f} %"
            case "factor":
                return f"within a factor of {self.factor}"
            case "below" | "above":
                limit = other or with_unit(str(self.published), self.unit)
                times = f"{self.times} × " if self.times != 1 else ""
                return f"must be {self.kind} {times}{limit}"
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
    published: tuple[Figure, ...]
    stem: str
    claim: tuple[Claim, ...] = ()
    auxiliary: tuple[str, ...] = ()
    because: str = ""
    agrees: str = ""

    def publishes(self, text: str) -> bool:
        """Whether a text ("1.534", "1.534 s") is one of the published figures."""
        parts = re.fullmatch(r"([+-]?[\d,]*\.?\d+)\s*(.*)", text.replace("\u00a0", " "))
        whole = rf"(?<![\d.]){re.escape(text)}(?![\d.])"
        for figure in self.published:
            if figure.value is None:
                if text and re.search(whole, figure.text):
                    return True
            elif parts:
                value, unit = Decimal(parts[1].replace(",", "")), parts[2].strip()
                if value in {figure.value, figure.spread} and unit in {"", figure.unit}:
                    return True
        return False


@dataclass(frozen=True, slots=True)
class Source:
    """One article: its bibliography key, letter and title."""

    key: str
    letter: str
    title: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a row, with the claims that failed."""

    row: Row
    status: str
    failed: tuple[Claim, ...] = ()


def with_unit(number: str, unit: str) -> str:
    """Join a number and its unit with a space that does not break."""
    return f"{number}\u00a0{unit}" if unit else number


def _claim(raw: dict[str, Any]) -> Claim:
    keys = tuple(raw.get("keys", ())) or (raw["key"],)
    measured = any(key.endswith("_real") for key in keys)
    clock = raw.get("clock", "measured" if measured else "exact")
    return Claim(**raw | {"keys": keys, "clock": clock})


def _row(raw: dict[str, Any]) -> Row:
    try:
        made = {
            "published": tuple(Figure(**figure) for figure in raw["published"]),
            "claim": tuple(map(_claim, raw.get("claim", ()))),
        }
        texts = {name: raw.get(name, "").strip() for name in ("because", "agrees")}
        return Row(**raw | made | texts)
    except (KeyError, TypeError) as error:
        raise ScoreboardError(f"row {raw.get('id', '?')}: {error}") from error


@kept
def read_rows(published: Path) -> tuple[tuple[Source, ...], tuple[Row, ...]]:
    """Sources and rows of the data file."""
    try:
        text = published.read_text(encoding="utf-8")
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ScoreboardError(f"{published.name}: {error}") from error
    sources = tuple(Source(**raw) for raw in data.get("source", ()))
    return sources, tuple(_row(raw) for raw in data.get("row", ()))


class Scoreboard:
    """All rows with the notebooks' figures and the verdicts.

    Args:
        published: path of ``published.toml``.
        notebooks: folder of the notebooks.

    Raises:
        ScoreboardError: the data file cannot be used as it stands.
    """

    def __init__(self, published: Path, notebooks: Path) -> None:
        self.published, self.notebooks = published, notebooks
        self.sources, self.rows = read_rows(published)

    @cached_property
    def labs(self) -> dict[str, Lab]:
        """Each notebook that exists, by stem."""
        return {
            path.stem: read_lab(path) for path in sorted(self.notebooks.glob("*.ipynb"))
        }

    def published_figure(self, words: str) -> str:
        """The figure of words such as ``A2:1.534 s``.

        Raises:
            ScoreboardError: no row has it.
        """
        id_, _, text = (part.strip() for part in words.partition(":"))
        row = next((row for row in self.rows if row.id == id_), None)
        if row is None:
            raise ScoreboardError(
                f"{words!r} names no row; write {{published}}`A2:1.534 s`"
            )
        if not row.publishes(text):
            listed = "; ".join(map(str, row.published))
            raise ScoreboardError(
                f"{text!r} is not a published figure of {id_}, which are: {listed}"
            )
        return text

    def glued(self, row: Row, key: str) -> Glued | None:
        """What a notebook has glued: that of the row, or one named before a slash."""
        stem, name = place_of(key, row.stem)
        return self.labs[stem].glued.get(name) if stem in self.labs else None

    def value(self, row: Row, key: str) -> Value | None:
        glued = self.glued(row, key)
        return glued.value if glued else None

    def machine(self, row: Row, key: str) -> str:
        """What a figure was captured on, or its notebook run on, as it was glued."""
        glued = self.glued(row, key)
        if glued and glued.machine:
            return glued.machine
        stem, _ = place_of(key, row.stem)
        return str(self.value(row, f"{stem}/machine") or "")

    def free(self, row: Row, key: str) -> Decimal:
        """The share of the cores that was free around a figure; 0 where none is said.

        An exact figure needs no free core.
        """
        glued = self.glued(row, key)
        if glued and glued.free is not None:
            return glued.free
        return Decimal(0 if glued and "measured" in glued.tags else 1)

    def holds(self, row: Row, claim: Claim) -> bool | None:
        """Whether a claim holds; None when a figure it needs is not there."""
        values = [self.value(row, key) for key in claim.reads]
        return None if None in values else claim.holds(values)

    def judge(self, row: Row) -> Judgement:
        """Compute the verdict on a row from what the notebooks hold."""
        results = [(claim, self.holds(row, claim)) for claim in row.claim]
        if not results or any(held is None for _, held in results):
            return Judgement(row, NOT_YET)
        failed = tuple(claim for claim, held in results if not held)
        judged = [claim for claim in row.claim if claim.judged]
        if not judged:
            return Judgement(row, NOTHING)
        if any(claim.clock == "exact" for claim in failed):
            return Judgement(row, DIFFERS, failed)
        measured = [claim for claim in judged if claim.clock == "measured"]
        keys = [key for claim in measured for key in claim.reads]
        if any(self.free(row, key) < QUIET for key in keys):
            return Judgement(row, BUSY, failed)
        if failed:
            return Judgement(row, DIFFERS, failed)
        real = any(claim.real for claim in judged)
        return Judgement(row, REPRODUCED if real else MODEL)

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        return tuple(self.judge(row) for row in self.rows)

    @property
    def summary(self) -> str:
        """One computed line: how many of the rows stand where."""
        count = Counter(judgement.status for judgement in self.judgements)
        differ = "differs" if count[DIFFERS] == 1 else "differ"
        busy = f"{count[BUSY]} measured on a busy machine, " if count[BUSY] else ""
        missing = f", {count[NOT_YET]} not yet" if count[NOT_YET] else ""
        return (
            f"{count[REPRODUCED]} of {len(self.rows)} reproduced in real time, "
            f"{count[MODEL]} in the model alone, {busy}"
            f"{count[DIFFERS]} {differ} with a reason, "
            f"{count[NOTHING]} have nothing published to compare with{missing}."
        )

    def ratios(self, row: Row) -> list[float]:
        """Our figures divided by the published ones, where both are above 0.

        A row without a figure that should be equal has those that bound the published.
        """
        pairs = [(claim, claim.published) for claim in row.claim]
        equal = [
            pair for pair in pairs if pair[0].kind in {"exact", "within", "factor"}
        ]
        if len(row.published) == 1 and row.claim:  # the only one of the row
            equal = equal or [(row.claim[0], row.published[0].value)]
        ours = [(self.value(row, c.keys[0]), theirs) for c, theirs in equal or pairs]
        return [
            float(our / their)
            for our, their in ours
            if isinstance(our, Decimal) and isinstance(their, Decimal | int)
            if our > 0 < their
        ]

    def rule(self, claim: Claim) -> str:
        """The comparison of a claim in words, without the names of keys."""
        for row in self.rows:
            for other in row.claim:
                if claim.than and claim.than in other.keys:
                    return claim.rule(f"our {row.id} ({other.what or claim.than})")
        return claim.rule(claim.than)

    def machines(self, source: Source) -> list[str]:
        """What the figures of an article's rows were measured on."""
        rows = [row for row in self.rows if row.source == source.key]
        reads = [(row, key) for row in rows for c in row.claim for key in c.reads]
        return sorted({self.machine(row, key) for row, key in reads} - {""})

    def first(self, row: Row, real: bool) -> str:
        """The first figure, of a real loop or of a model; "" if there is none."""
        texts = (self.figured(row, c) for c in row.claim if c.real is real)
        return next(filter(None, texts), "")

    def figured(self, row: Row, claim: Claim) -> str:
        """A claim's figures with what they are; "" where its lab has none."""
        shown = self.shown(row, claim)
        return f"{shown} ({claim.what})" if shown and claim.what else shown

    def shown(self, row: Row, claim: Claim) -> str:
        """Our figures of one claim as text, or "" when there are none."""
        values = [self.value(row, key) for key in claim.keys]
        if None in values:
            return ""
        parts = [
            f"{value:,.{claim.digits}f}" if isinstance(value, Decimal) else str(value)
            for value in values
        ]
        text = with_unit(", ".join(parts), claim.unit)
        free = min(self.free(row, key) for key in claim.keys)
        if free < QUIET:
            share = f"{free:.0%} of the cores free"
            text += f" with {share if free else 'no share of free cores kept'}"
        return text
