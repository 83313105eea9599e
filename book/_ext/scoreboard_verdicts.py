"""Whether what was published and what we found agree.

No Sphinx here: the page (``scoreboard.py``) and the tests both read this
module, so that the page cannot show a verdict that the tests did not judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from lab_values import Lab, Value, read_lab
from scoreboard_data import IDS, Claim, Row, read_rows, with_unit

KEY_WITH_ID = re.compile(r"([A-E][1-9])_")
MACHINE_KEY = "machine"

REPRODUCED = "reproduced"
MODEL = "reproduced in the model"  # nothing in real time was judged
BUSY = "machine was busy"  # a figure in real time was, and says little
DIFFERS = "differs"
NOTHING = "nothing published"  # no figure that ours could be compared with
NOT_YET = "not yet"

QUIET = Decimal("0.9")  # the share of the cores that is free on a quiet machine


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a row, with the claims that failed."""

    row: Row
    status: str
    failed: tuple[Claim, ...] = ()

    @property
    def verdict(self) -> str:
        if self.status == DIFFERS:
            return f"differs because {self.row.because or '(no reason given)'}"
        return self.status


def bib_keys(path: Path) -> set[str]:
    """The entry keys of a BibTeX file; empty when there is no such file."""
    if not path.is_file():
        return set()
    text = path.read_text(encoding="utf-8")
    return set(re.findall(r"^\s*@\w+\s*\{\s*([^,\s]+)\s*,", text, re.M))


class Scoreboard:
    """All rows with the notebooks' figures and the verdicts.

    Args:
        published: path of ``published.toml``.
        notebooks: folder of the notebooks.
        references: path of the BibTeX file.

    Raises:
        ScoreboardError: the data file cannot be used as it stands.
    """

    def __init__(self, published: Path, notebooks: Path, references: Path) -> None:
        self.published = published
        self.notebooks = notebooks
        self.references = references
        status = published.stat()
        self.sources, self.rows = read_rows(
            published, status.st_mtime_ns, status.st_size
        )

    @cached_property
    def labs(self) -> dict[str, Lab]:
        """Each notebook that exists, by stem."""
        return {
            path.stem: read_lab(path) for path in sorted(self.notebooks.glob("*.ipynb"))
        }

    @property
    def dependencies(self) -> list[Path]:
        """Files whose change must redraw the page.

        Notebooks that do not exist yet are among them, so that the page is
        drawn anew when one appears.
        """
        stems = {row.stem for row in self.rows} | set(self.labs)
        files = [self.notebooks / f"{stem}.ipynb" for stem in sorted(stems)]
        return [self.published, self.references, *files]

    def row(self, id_: str) -> Row | None:
        return next((row for row in self.rows if row.id == id_), None)

    def value(self, row: Row, key: str) -> Value | None:
        stem, name = row.place(key)
        lab = self.labs.get(stem)
        return None if lab is None else lab.values.get(name)

    def machine(self, row: Row, key: str) -> str:
        """What a figure was captured on, or its notebook run on, as it was glued."""
        stem, name = row.place(key)
        if stem not in self.labs:
            return ""
        lab = self.labs[stem]
        return lab.machines.get(name) or str(lab.values.get(MACHINE_KEY, ""))

    # -- one claim

    def holds(self, row: Row, claim: Claim) -> bool | None:
        """Whether a claim holds; None when a figure it needs is not there."""
        values = [self.value(row, key) for key in claim.reads]
        if None in values:
            return None
        if claim.kind == "shown":
            return True
        if claim.kind == "exact":
            return values[0] == claim.published
        if claim.kind == "starts":
            return str(values[0]).startswith(str(claim.published))
        numbers = [value for value in values if isinstance(value, Decimal)]
        if len(numbers) < len(values):
            return False
        ours = numbers[0]
        match claim.kind:
            case "within":
                assert isinstance(claim.published, Decimal)
                room = claim.absolute
                if room is None:
                    assert claim.relative is not None
                    room = claim.relative * abs(claim.published)
                return abs(ours - claim.published) <= room
            case "factor":
                assert isinstance(claim.published, Decimal)
                assert claim.factor is not None
                high = claim.published * claim.factor
                return claim.published / claim.factor <= ours <= high
            case "rising":
                return all(a < b for a, b in pairwise(numbers))
            case "falling":
                return all(a > b for a, b in pairwise(numbers))
        limit = numbers[1] if claim.than else claim.published
        assert isinstance(limit, Decimal)
        limit *= claim.times
        return ours < limit if claim.kind == "below" else ours > limit

    # -- one row

    def judge(self, row: Row) -> Judgement:
        """Compute the verdict on a row from what the notebooks hold."""
        results = [(claim, self.holds(row, claim)) for claim in row.claims]
        if not results or any(held is None for _, held in results):
            return Judgement(row, NOT_YET)
        failed = tuple(claim for claim, held in results if not held)
        judged = [claim for claim in row.claims if claim.judged]
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

    def free(self, row: Row, key: str) -> Decimal:
        """The share of the cores that was free around a figure; 0 where none is said.

        An exact figure needs no free core.
        """
        stem, name = row.place(key)
        lab = self.labs[stem]
        needs = "measured" in lab.tags.get(name, ())
        return lab.shares.get(name, Decimal(0 if needs else 1))

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

    # -- everything that may have gone stale

    def problems(self, expected: tuple[str, ...] = IDS) -> list[str]:
        """Every reason why the scoreboard may not be published as it stands."""
        return [
            *self._problems_of_rows(expected),
            *self._problems_of_keys(),
            *self._problems_of_verdicts(),
        ]

    def _problems_of_rows(self, expected: tuple[str, ...]) -> Iterator[str]:
        count = Counter(row.id for row in self.rows)
        for id_ in expected:
            if id_ not in count:
                yield f"{id_}: no row; add one to {self.published.name}"
        for id_, times in count.items():
            if times > 1:
                yield f"{id_}: {times} rows have this id; keep one"
            if id_ not in expected:
                yield f"{id_}: not the id of an experiment of this book"
        known = bib_keys(self.references)
        letters = {source.key: source.letter for source in self.sources}
        for source in self.sources:
            if source.key not in known:
                yield (f"source {source.key}: no such entry in {self.references.name}")
        for row in self.rows:
            if row.source not in letters:
                yield f"{row.id}: {row.source!r} is no [[source]] of the file"
            elif not row.id.startswith(letters[row.source]):
                yield f"{row.id}: {row.source!r} is the source of other experiments"

    def _problems_of_keys(self) -> Iterator[str]:
        for row in self.rows:
            if row.stem not in self.labs:
                continue
            if not row.claims:
                yield (
                    f"{row.id}: {row.stem}.ipynb exists but the row claims nothing "
                    "of it"
                )
            for key in (*row.keys, *row.auxiliary):
                if self.value(row, key) is None:
                    stem, name = row.place(key)
                    yield (
                        f"{row.id}: {stem}.ipynb does not glue {name!r}; run the "
                        "notebook, or fix the key in the row"
                    )
            for claim in row.claims:
                for key in claim.keys:
                    stem, name = row.place(key)
                    lab = self.labs.get(stem)
                    if lab and claim.clock not in lab.tags.get(name, {claim.clock}):
                        yield (
                            f"{row.id}: {name!r} is declared {claim.clock}, but its "
                            f"cell in {stem}.ipynb has no tag {claim.clock!r}"
                        )
        for stem, lab in self.labs.items():
            yield from self._problems_of_notebook(stem, lab)

    def _problems_of_notebook(self, stem: str, lab: Lab) -> Iterator[str]:
        for key in lab.twice:
            yield f"{stem}.ipynb glues {key!r} more than once"
        wanted = {
            name
            for row in self.rows
            for place, name in map(row.place, (*row.keys, *row.auxiliary))
            if place == stem
        }
        for key in lab.values:
            if KEY_WITH_ID.match(key) and key not in wanted:
                yield (
                    f"{stem}.ipynb glues {key!r}, which no row mentions: add a "
                    "claim, or list the key under auxiliary"
                )
        if not lab.values.get(MACHINE_KEY) and any(
            KEY_WITH_ID.match(key) and "measured" in tags
            for key, tags in lab.tags.items()
        ):
            yield (
                f"{stem}.ipynb has measured figures but does not glue "
                f"{MACHINE_KEY!r}: say on what they were measured"
            )

    def _problems_of_verdicts(self) -> Iterator[str]:
        for judgement in self.judgements:
            row = judgement.row
            if judgement.status == DIFFERS and not row.because:
                what = "; ".join(
                    f"{self.shown(row, claim)} {self.rule(claim)}"
                    f" (published {claim.published})"
                    for claim in judgement.failed
                )
                yield (
                    f"{row.id}: differs without a because "
                    f"({what or 'nothing to compare with'})"
                )
            if judgement.status == NOTHING and not row.because:
                yield f"{row.id}: judges nothing; say in a because what was published"
            if judgement.status in {REPRODUCED, MODEL} and not row.agrees:
                yield f"{row.id}: say in words, under agrees, why the figures agree"
            if judgement.status in {REPRODUCED, MODEL} and row.because:
                yield (
                    f"{row.id}: stale because: all figures agree now, so take the "
                    "reason out"
                )
            if judgement.status == NOT_YET and row.because:
                yield f"{row.id}: gives a because, but has no figures yet"

    # -- for the page

    def ratios(self, row: Row) -> list[float]:
        """Our figures divided by the published ones, where both are above 0.

        A row without a figure that should be equal has those that bound the published.
        """
        pairs = [(claim, claim.published) for claim in row.claims]
        equal = [
            pair for pair in pairs if pair[0].kind in {"exact", "within", "factor"}
        ]
        if len(row.figures) == 1 and row.claims:  # the only one of the row
            equal = equal or [(row.claims[0], row.figures[0].value)]
        ours = [(self.value(row, c.keys[0]), theirs) for c, theirs in equal or pairs]
        return [
            float(our / their)
            for our, their in ours
            if isinstance(our, Decimal) and isinstance(their, Decimal)
            if our > 0 < their
        ]

    def rule(self, claim: Claim) -> str:
        """The comparison of a claim in words, without the names of keys."""
        for row in self.rows:
            for other in row.claims:
                if claim.than and claim.than in other.keys:
                    return claim.rule(f"our {row.id} ({other.what or claim.than})")
        return claim.rule()

    def shown(self, row: Row, claim: Claim) -> str:
        """Our figures of one claim as text, or "" when there are none."""
        values = [self.value(row, key) for key in claim.keys]
        if any(value is None for value in values):
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
