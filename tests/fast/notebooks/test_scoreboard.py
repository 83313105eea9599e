"""The scoreboard says what the notebooks say; a row that goes stale fails here."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import lab_values
import pytest
import scoreboard_data as data
from scoreboard_verdicts import REPRODUCED, Scoreboard

from tests.fast.notebooks.guards import BOOK, NOTEBOOKS

LAB = "lab"
SOURCE = """
[[source]]
key = "someone2020"
letter = "A"
title = "An article"
"""
ROW = """
[[row]]
id = "A1"
source = "someone2020"
run = "A run"
published = [{ value = 1.5, unit = "s", spread = 0.2 }, { text = "1, 2, 3" }]
stem = "lab"
agrees = "the same program"
"""
CLAIM = """
[[row.claim]]
key = "A1_x"
kind = "within"
published = 1.5
absolute = 0.1
why = "a reason"
"""


@pytest.fixture(scope="module")
def board() -> Scoreboard:
    return Scoreboard(BOOK / "published.toml", NOTEBOOKS, BOOK / "references.bib")


def test_nothing_on_the_scoreboard_is_stale(board: Scoreboard) -> None:
    problems = board.problems()
    assert not problems, "\n".join(problems)


def test_every_experiment_has_its_row_in_order(board: Scoreboard) -> None:
    assert tuple(row.id for row in board.rows) == data.IDS
    assert len(data.IDS) == 31


def test_every_judged_claim_gives_its_reason(board: Scoreboard) -> None:
    without = [
        f"{row.id}: {claim.what or claim.keys[0]}"
        for row in board.rows
        for claim in row.claims
        if claim.judged and not claim.why
    ]
    assert not without, "give a why: " + ", ".join(without)


def test_nothing_measured_is_reproduced_at_twice_what_was_published(
    board: Scoreboard,
) -> None:
    twice = [
        f"{judgement.row.id}: {key} is {ours}, published {claim.published}"
        for judgement in board.judgements
        if judgement.status == REPRODUCED
        for claim in judgement.row.claims
        if claim.judged and claim.clock == "measured"
        for key in claim.keys
        for ours in [board.value(judgement.row, key)]
        if isinstance(ours, Decimal)
        and isinstance(claim.published, Decimal)
        and ours >= 2 * claim.published
    ]
    assert not twice, "\n".join(twice)


def test_the_summary_counts_every_row(board: Scoreboard) -> None:
    counts = [
        int(word) for word in board.summary.replace(",", "").split() if word.isdigit()
    ]
    assert counts.pop(1) == len(board.rows)
    assert sum(counts) == len(board.rows)


# ------------------------------------------- a small board of our own


def glue_output(key: str, text: str) -> dict[str, Any]:
    prefix = "application/papermill.record/"
    return {
        "output_type": "display_data",
        "data": {prefix + "text/plain": text},
        "metadata": {"scrapbook": {"mime_prefix": prefix, "name": key}},
    }


class Maker:
    """Writes a small data file, notebook and bibliography, and reads them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self,
        toml: str,
        glued: dict[str, str] | None = None,
        *,
        tags: tuple[str, ...] = ("exact",),
        free: float | None = None,
        one_cell: bool = False,
        bib: str = "@misc{someone2020,\n title = {x}}",
    ) -> Scoreboard:
        (self.folder / "published.toml").write_text(toml, encoding="utf-8")
        (self.folder / "references.bib").write_text(bib, encoding="utf-8")
        notebook = self.folder / f"{LAB}.ipynb"
        notebook.unlink(missing_ok=True)
        if glued is not None:
            outputs = [
                glue_output(key.rstrip("!"), text) for key, text in glued.items()
            ]
            cells = [
                {
                    "cell_type": "code",
                    "metadata": {"tags": list(tags)}
                    | ({} if free is None else {"free_cores": free}),
                    "outputs": together,
                    "source": "",
                }
                for together in ([outputs] if one_cell else [[out] for out in outputs])
            ]
            notebook.write_text(json.dumps({"cells": cells}), encoding="utf-8")
        return Scoreboard(
            self.folder / "published.toml", self.folder, self.folder / "references.bib"
        )


@pytest.fixture
def make(tmp_path: Path) -> Maker:
    return Maker(tmp_path)


def problems(board: Scoreboard) -> list[str]:
    return board.problems(expected=("A1",))


def test_reproduced(make: Maker) -> None:
    board = make(SOURCE + ROW + CLAIM, {"A1_x": "1.45"})
    assert board.judgements[0].verdict == "reproduced in the model"
    assert problems(board) == []
    assert board.summary == (
        "0 of 1 reproduced in real time, 1 in the model alone, 0 differ with a reason, "
        "0 have nothing published to compare with."
    )


def test_agreement_needs_its_reason_in_words(make: Maker) -> None:
    row = ROW.replace('agrees = "the same program"\n', "")
    assert "agrees" in one(make(SOURCE + row + CLAIM, {"A1_x": "1.45"}))


REAL = CLAIM.replace("A1_x", "A1_x_real")
ON_A_MACHINE = {"A1_x_real": "1.45", "machine": "two cores"}


@pytest.mark.parametrize("free", [0.9, 1.0])
def test_reproduced_in_real_time(make: Maker, free: float) -> None:
    board = make(SOURCE + ROW + REAL, ON_A_MACHINE, tags=("measured",), free=free)
    assert board.judgements[0].verdict == "reproduced"
    assert problems(board) == []
    assert board.summary.startswith("1 of 1 reproduced in real time, 0 in the model")


@pytest.mark.parametrize("ours", ["1.45", "3.44"])
def test_a_busy_machine_reproduces_nothing(make: Maker, ours: str) -> None:
    glued = ON_A_MACHINE | {"A1_x_real": ours}
    board = make(SOURCE + ROW + REAL, glued, tags=("measured",), free=0.62)
    assert board.judgements[0].verdict == "machine was busy"
    assert "1 measured on a busy machine" in board.summary
    (row,) = board.rows
    assert "with 62% of the cores free" in board.shown(row, row.claims[0])
    assert problems(board) == []
    unsaid = make(SOURCE + ROW + REAL, glued, tags=("measured",))
    assert unsaid.judgements[0].verdict == "machine was busy"


@pytest.mark.parametrize(
    ("share", "verdict"), [("0.95", "reproduced"), ("0.4", "machine was busy")]
)
def test_a_figure_of_a_capture_has_the_share_of_the_capture(
    make: Maker, share: str, verdict: str
) -> None:
    glued = ON_A_MACHINE | {"captured_free": share, "captured_on": "'another'"}
    board = make(
        SOURCE + ROW + REAL, glued, tags=("measured",), free=0.99, one_cell=True
    )
    assert board.judgements[0].verdict == verdict
    (row,) = board.rows
    assert board.machine(row, "A1_x_real") == "another"


def test_a_busy_machine_excuses_no_exact_figure(make: Maker) -> None:
    glued = ON_A_MACHINE | {"A1_x": "9"}
    row = ROW + 'because = "we say so"\n' + CLAIM + REAL
    tags = ("exact", "measured")
    board = make(SOURCE + row, glued, tags=tags, free=0.62)
    assert board.judgements[0].verdict == "differs because we say so"


def test_not_yet_without_notebook(make: Maker) -> None:
    board = make(SOURCE + ROW + CLAIM)
    assert board.judgements[0].verdict == "not yet"
    assert problems(board) == []


def test_differs_because(make: Maker) -> None:
    row = ROW + 'because = "the clock is exact"\n' + CLAIM
    board = make(SOURCE + row, {"A1_x": "1.7"})
    assert board.judgements[0].verdict == "differs because the clock is exact"
    assert problems(board) == []


def one(board: Scoreboard) -> str:
    found = problems(board)
    assert len(found) == 1, found
    return found[0]


def test_stale_a_because_that_is_not_needed(make: Maker) -> None:
    row = ROW + 'because = "no longer"\n' + CLAIM
    assert "stale because" in one(make(SOURCE + row, {"A1_x": "1.5"}))
    assert "no figures yet" in one(make(SOURCE + row))


def test_stale_differs_without_a_because(make: Maker) -> None:
    said = one(make(SOURCE + ROW + CLAIM, {"A1_x": "1.61"}))
    assert said == "A1: differs without a because (1.610 within 0.1 (published 1.5))"


def test_stale_the_notebook_lacks_a_key(make: Maker) -> None:
    said = one(make(SOURCE + ROW + CLAIM, {"other": "1"}))
    assert "lab.ipynb does not glue 'A1_x'" in said


def test_a_key_of_another_notebook(make: Maker) -> None:
    """It stands behind the notebook's stem and a slash, and all is asked there."""
    make("", {"A1_x": "1.45"}, tags=("exact",))
    (make.folder / f"{LAB}.ipynb").rename(make.folder / "deeper.ipynb")
    elsewhere = CLAIM.replace('"A1_x"', '"deeper/A1_x"')
    board = make(SOURCE + ROW + elsewhere, {"other": "1"})
    assert board.judgements[0].verdict == "reproduced in the model"
    assert board.shown(board.rows[0], board.rows[0].claims[0]) == "1.450"
    assert problems(board) == []

    board = make(SOURCE + ROW + elsewhere.replace("A1_x", "A1_y"), {"other": "1"})
    assert "deeper.ipynb does not glue 'A1_y'" in problems(board)[0]
    assert "deeper.ipynb glues 'A1_x', which no row mentions" in problems(board)[1]
    measured = elsewhere + 'clock = "measured"\n'
    board = make(SOURCE + ROW + measured, {"other": "1"})
    assert "its cell in deeper.ipynb has no tag 'measured'" in problems(board)[0]


def test_stale_a_glued_key_that_no_row_mentions(make: Maker) -> None:
    glued = {"A1_x": "1.5", "A1_extra": "3", "no_id": "3"}
    assert "'A1_extra', which no row mentions" in one(make(SOURCE + ROW + CLAIM, glued))
    listed = ROW + 'auxiliary = ["A1_extra"]\n' + CLAIM
    assert problems(make(SOURCE + listed, glued)) == []


def test_stale_an_auxiliary_key_that_is_gone(make: Maker) -> None:
    listed = ROW + 'auxiliary = ["A1_extra"]\n' + CLAIM
    assert "does not glue 'A1_extra'" in one(make(SOURCE + listed, {"A1_x": "1.5"}))


def test_stale_a_key_glued_twice(make: Maker) -> None:
    glued = {"A1_x": "1.5", "A1_x!": "1.5"}
    assert "more than once" in one(make(SOURCE + ROW + CLAIM, glued))


def test_stale_a_row_is_missing_or_there_twice(make: Maker) -> None:
    board = make(SOURCE + ROW + CLAIM)
    assert "A2: no row" in board.problems(expected=("A1", "A2"))[0]
    assert "2 rows have this id" in one(make(SOURCE + ROW + CLAIM + ROW))
    renamed = ROW.replace('"A1"', '"A8"')
    found = problems(make(SOURCE + ROW + renamed))
    assert found == ["A8: not the id of an experiment of this book"]


def test_stale_a_source_that_the_bibliography_lacks(make: Maker) -> None:
    board = make(SOURCE + ROW + CLAIM, bib="@misc{someoneelse,\n}")
    assert "no such entry" in one(board)
    other = ROW.replace("someone2020", "nobody")
    assert "no [[source]]" in one(make(SOURCE + other))


def test_stale_the_clock_of_a_key(make: Maker) -> None:
    glued = {"A1_x": "1.5", "machine": "'2 cores'"}
    board = make(SOURCE + ROW + CLAIM, glued, tags=("measured",))
    assert "declared exact" in one(board)


def test_stale_measured_without_machine(make: Maker) -> None:
    claim = CLAIM.replace("A1_x", "A1_real")
    board = make(SOURCE + ROW + claim, {"A1_real": "1.5"}, tags=("measured",))
    assert "does not glue 'machine'" in one(board)
    glued = {"A1_real": "1.5", "machine": "'2 cores'"}
    board = make(SOURCE + ROW + claim, glued, tags=("measured",))
    assert problems(board) == []
    (row,) = board.rows
    assert board.machine(row, "A1_real") == "2 cores"


def test_nothing_published_needs_a_because(make: Maker) -> None:
    claim = '[[row.claim]]\nkey = "A1_x"\nkind = "shown"\n'
    board = make(SOURCE + ROW + claim, {"A1_x": "1"})
    assert board.judgements[0].verdict == "nothing published"
    assert "because" in one(board)
    row = ROW + 'because = "a promise"\n'
    assert problems(make(SOURCE + row + claim, {"A1_x": "1"})) == []


@pytest.mark.parametrize(
    ("kind", "ours", "holds"),
    [
        ('kind = "exact"\npublished = 1.5', ["1.5"], True),
        ('kind = "exact"\npublished = 1.5', ["1.501"], False),
        ('kind = "exact"\npublished = "1, 2, 3"', ["'1, 2, 3'"], True),
        ('kind = "within"\npublished = 1.5\nabsolute = 0.1\nwhy = "w"', ["1.6"], True),
        (
            'kind = "within"\npublished = 1.5\nabsolute = 0.1\nwhy = "w"',
            ["1.39"],
            False,
        ),
        ('kind = "within"\npublished = 1.5\nrelative = 0.1\nwhy = "w"', ["1.35"], True),
        (
            'kind = "within"\npublished = 1.5\nrelative = 0.1\nwhy = "w"',
            ["1.66"],
            False,
        ),
        ('kind = "within"\npublished = 1.5\nrelative = 0.1\nwhy = "w"', ["'x'"], False),
        ('kind = "factor"\npublished = 1.5\nfactor = 2\nwhy = "w"', ["3"], True),
        ('kind = "factor"\npublished = 1.5\nfactor = 2\nwhy = "w"', ["0.7"], False),
        ('kind = "below"\npublished = 1.5\nwhy = "w"', ["1.4"], True),
        ('kind = "below"\npublished = 1.5\nwhy = "w"', ["1.5"], False),
        ('kind = "above"\npublished = 1.5\ntimes = 2\nwhy = "w"', ["3.1"], True),
        ('kind = "above"\nthan = "A1_1"\ntimes = 0.5\nwhy = "w"', ["1.1", "2"], True),
        ('kind = "above"\nthan = "A1_1"\ntimes = 0.5\nwhy = "w"', ["0.9", "2"], False),
        ('kind = "above"\nthan = "A1_9"\nwhy = "w"', ["0.9"], None),
        ('kind = "rising"\nwhy = "w"', ["1", "2", "3"], True),
        ('kind = "rising"\nwhy = "w"', ["1", "2", "2"], False),
        ('kind = "falling"\nwhy = "w"', ["3", "2", "1"], True),
        ('kind = "falling"\nwhy = "w"', ["3", "2", "4"], False),
        ('kind = "starts"\npublished = "1, 2, 3"', ["[1, 2, 3, 4]"], True),
        ('kind = "starts"\npublished = "1, 2, 3"', ["'1, 3'"], False),
    ],
)
def test_kinds_of_comparison(
    make: Maker, kind: str, ours: list[str], holds: bool | None
) -> None:
    glued = {f"A1_{number}": text for number, text in enumerate(ours)}
    several = "rising" in kind or "falling" in kind
    keys = f"keys = {list(glued)}" if several else 'key = "A1_0"'
    board = make(SOURCE + ROW + f"[[row.claim]]\n{keys}\n{kind}\n", glued)
    row = board.rows[0]
    assert board.holds(row, row.claims[0]) is holds
    assert board.rule(row.claims[0])


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ('kind = "about"\nkey = "A1_x"', "'about' is none of"),
        ('kind = "exact"\nkey = "A1_x"', "needs ['published']"),
        ('kind = "exact"\nkey = "A1_x"\npublished = 1.4', "not among the row's"),
        ('kind = "exact"\nkey = "A1_x"\npublished = "9"', "not among the row's"),
        ('kind = "within"\nkey = "A1_x"\npublished = 1.5\nabsolute = 1', "['why']"),
        ('kind = "within"\nkey = "k"\npublished = 1.5\nwhy = "w"', "either absolute"),
        ('kind = "shown"', "either key or keys"),
        ('kind = "shown"\nkey = "k"\nfactor = 2', "has no ['factor']"),
        ('kind = "below"\nkey = "k"\nwhy = "w"', "either published or than"),
    ],
)
def test_a_wrong_claim_is_refused(make: Maker, claim: str, says: str) -> None:
    with pytest.raises(data.ScoreboardError) as caught:
        make(SOURCE + ROW + f"[[row.claim]]\n{claim}\n")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", Decimal("1.5")),
        ("np.float64(1.5)", Decimal("1.5")),
        ("'text'", "text"),
        ("[0, 1]", "0, 1"),
        ("True", "True"),
        ("nan", "nan"),
    ],
)
def test_values_of_glue(text: str, value: lab_values.Value) -> None:
    assert (
        lab_values.glued_value({lab_values.GLUE_PREFIX + "text/plain": text}) == value
    )
    assert lab_values.glued_value({"text/plain": [text]}) == value


def test_an_image_is_no_value() -> None:
    image = {lab_values.GLUE_PREFIX + "image/png": "AAAA"}
    assert lab_values.glued_value(image) is None


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1.5", True),
        ("1.5 s", True),
        ("1.50 s", True),
        ("0.2", True),
        ("1.5 ms", False),
        ("1.4", False),
        ("1, 2, 3", True),
        ("2", True),
        ("4", False),
        ("", False),
    ],
)
def test_the_published_role_knows_the_figures(
    make: Maker, text: str, known: bool
) -> None:
    row = make(SOURCE + ROW + CLAIM).rows[0]
    assert data.published_number(row, text) is known


def test_the_page_depends_on_every_file(make: Maker) -> None:
    board = make(SOURCE + ROW + CLAIM)
    names = {path.name for path in board.dependencies}
    assert names == {"published.toml", "references.bib", "lab.ipynb"}
