"""The scoreboard says what the notebooks say; a row that goes stale fails here."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lab_values import place_of
from scoreboard_verdicts import (
    BUSY,
    DIFFERS,
    MODEL,
    NOT_YET,
    NOTHING,
    REPRODUCED,
    Claim,
    Row,
    Scoreboard,
    ScoreboardError,
)

from tests.fast.book.labs import cell
from tests.fast.notebooks.guards import BOOK, NOTEBOOKS

BOARD = Scoreboard(BOOK / "published.toml", NOTEBOOKS)
COUNTS = {"A": 9, "B": 4, "C": 7, "D": 6, "E": 5}
#: What each kind of comparison needs besides its key.
NEEDS = {
    "exact": {"published"},
    "within": {"published"},
    "factor": {"published"},
    "below": set[str](),
    "above": set[str](),
    "rising": {"keys"},
    "falling": {"keys"},
    "starts": {"published"},
    "shown": set[str](),
}

each_row = pytest.mark.parametrize("row", BOARD.rows, ids=lambda row: row.id)


def keys_of(row: Row) -> list[str]:
    return [*(key for claim in row.claim for key in claim.reads), *row.auxiliary]


def test_every_experiment_has_its_row_in_order() -> None:
    expected = [f"{letter}{n + 1}" for letter, c in COUNTS.items() for n in range(c)]
    assert [row.id for row in BOARD.rows] == expected
    letters = {source.key: source.letter for source in BOARD.sources}
    assert [letters[row.source] for row in BOARD.rows] == [id_[0] for id_ in expected]


@each_row
def test_a_claim_is_whole_and_compares_with_what_was_published(row: Row) -> None:
    assert row.published and row.claim
    for figure in row.published:
        assert (figure.value is None) is bool(figure.text), "either value or text"
    for claim in row.claim:
        assert claim.kind in NEEDS, f"{claim.kind!r} is none of {', '.join(NEEDS)}"
        assert bool(claim.key) is (claim.keys == (claim.key,)), "either key or keys"
        for name in NEEDS[claim.kind]:
            assert getattr(claim, name) not in (None, ()), f"{claim.kind}: no {name}"
        assert (claim.factor != 1) is (claim.kind == "factor"), claim
        assert claim.why or not claim.judged, f"give a why: {claim.what or claim.keys}"
        if claim.kind == "within":
            assert (claim.absolute is None) is not (claim.relative is None), claim
        if claim.kind in {"below", "above"}:
            assert (claim.published is None) is bool(claim.than), claim
        if isinstance(claim.published, str):
            assert any(claim.published in figure.text for figure in row.published)
        elif claim.published is not None:
            assert claim.published in {figure.value for figure in row.published}


@each_row
def test_a_row_is_not_stale(row: Row) -> None:
    for key in keys_of(row):
        assert BOARD.value(row, key) is not None, f"no notebook glues {key!r}"
    for claim in row.claim:
        for key in claim.keys:
            glued = BOARD.glued(row, key)
            assert glued and claim.clock in glued.tags, f"{key} is no {claim.clock}"
    status = BOARD.judge(row).status
    assert status != NOT_YET
    agrees = status in {REPRODUCED, MODEL}
    failed = [
        f"{BOARD.shown(row, claim)} {BOARD.rule(claim)} ({claim.published})"
        for claim in BOARD.judge(row).failed
    ]
    assert row.agrees or not agrees, "say in words why the figures agree"
    assert not (row.because and agrees), "all figures agree now: take the because out"
    assert row.because or agrees or status == BUSY, (
        f"{status} without a because {failed}"
    )
    for claim in row.claim if status == REPRODUCED else ():
        if claim.judged and claim.clock == "measured" and claim.published:
            ours = [BOARD.value(row, key) for key in claim.keys]
            assert all(each < 2 * claim.published for each in ours), claim


@pytest.mark.parametrize("stem", BOARD.labs)
def test_each_figure_of_an_experiment_has_a_row(stem: str) -> None:
    places = {place_of(key, row.stem) for row in BOARD.rows for key in keys_of(row)}
    lab = BOARD.labs[stem]
    for key, glued in lab.glued.items():
        assert glued.times == 1, f"{key} is glued {glued.times} times"
        if re.match(r"[A-E][1-9]_", key):
            assert (stem, key) in places, f"no row mentions {key}, nor its auxiliary"
            assert "measured" not in glued.tags or "machine" in lab.glued


def test_the_summary_counts_every_row() -> None:
    reproduced, rows, *others = map(int, re.findall(r"\d+", BOARD.summary))
    assert rows == len(BOARD.rows) == reproduced + sum(others)


# ------------------------------------------- a small board of our own

TOML = """
[[source]]
key = "someone2020"
letter = "A"
title = "An article"
[[row]]
id = "A1"
source = "someone2020"
run = "A run"
published = [{ value = 1.5, unit = "s", spread = 0.2 }, { text = "1, 2, 3" }]
stem = "lab"
[[row.claim]]
key = "A1_x"
kind = "within"
published = 1.5
absolute = 0.1
why = "a reason"
"""
REAL = TOML.replace("A1_x", "A1_real")
BOTH = TOML + REAL[REAL.index("[[row.claim]]") :]
STOCK = TOML.replace("A1_x", "A1_stock")
NO_SHARE = "no share of free cores kept"
SHOWN = TOML[: TOML.index("kind =")] + 'kind = "shown"'


def small(folder: Path, toml: str, *cells: dict[str, Any]) -> Scoreboard:
    (folder / "published.toml").write_text(toml, "utf-8")
    (folder / "lab.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    return Scoreboard(folder / "published.toml", folder)


@pytest.mark.parametrize(
    ("toml", "glued", "free", "status", "shown"),
    [
        (TOML, {"A1_x": "1.45"}, None, MODEL, "1.450"),
        (TOML, {"A1_x": "1.61"}, None, DIFFERS, "1.610"),
        (TOML, {"other": "1.5"}, None, NOT_YET, ""),
        (SHOWN, {"A1_x": "9"}, None, NOTHING, "9.000"),
        (REAL, {"A1_real": "1.45"}, 0.9, REPRODUCED, "1.450"),
        (REAL, {"A1_real": "3.45"}, 0.95, DIFFERS, "3.450"),
        (REAL, {"A1_real": "1.45"}, 0.62, BUSY, "1.450 with 62% of the cores free"),
        (REAL, {"A1_real": "3.45"}, 0.62, BUSY, "3.450 with 62% of the cores free"),
        (REAL, {"A1_real": "1.45"}, None, BUSY, f"1.450 with {NO_SHARE}"),
        (BOTH, {"A1_x": "9", "A1_real": "1.5"}, 0.62, DIFFERS, "9.000"),
        (BOTH, {"A1_x": "1.5", "A1_real": "1.5"}, 1.0, REPRODUCED, "1.500"),
        (STOCK, {"A1_stock": "1.5"}, None, REPRODUCED, "1.500"),
    ],
)  # fmt: skip
def test_verdicts(
    tmp_path: Path,
    toml: str,
    glued: dict[str, str],
    free: float | None,
    status: str,
    shown: str,
) -> None:
    cells = []
    for key, text in glued.items():
        real = key.endswith("_real")
        cells.append(cell(key, "measured" if real else "exact", text_plain=text))
        if real and free is not None:
            cells[-1]["metadata"]["free_cores"] = free
    board = small(tmp_path, toml, *cells)
    (row,) = board.rows
    assert board.judge(row).status == status
    assert board.shown(row, row.claim[0]) == shown
    counts = [0] * 5
    if status in (order := [REPRODUCED, MODEL, DIFFERS, NOTHING]):
        counts[order.index(status)] = 1
        numbers = list(map(int, re.findall(r"\d+", board.summary)))
        assert numbers == [counts[0], 1, *counts[1:4]]


@pytest.mark.parametrize(("share", "status"), [("0.95", REPRODUCED), ("0.4", BUSY)])
def test_a_figure_of_a_capture_has_its_share_and_its_machine(
    tmp_path: Path, share: str, status: str
) -> None:
    cells = [
        cell(key, "measured", text_plain=text)
        for key, text in (
            ("A1_real", "1.45"),
            ("captured_free", share),
            ("captured_on", "'another'"),
            ("machine", "'two cores'"),
            ("later", "1"),
        )
    ]
    capture, *others, machine, later = cells
    capture["metadata"]["free_cores"] = 0.99
    capture["outputs"] += [out for each in others for out in each["outputs"]]
    board = small(tmp_path, REAL, capture, machine, later)
    (row,) = board.rows
    assert board.judge(row).status == status
    assert board.machine(row, "A1_real") == "another"
    assert board.machine(row, "later") == "two cores"


def test_the_picture_divides_by_what_was_published(tmp_path: Path) -> None:
    for published, ratio in ("1.5", 2), ("2", 1.5):
        board = small(
            tmp_path, TOML.replace("1.5", published), cell("A1_x", text_plain="3.0")
        )
        assert board.ratios(board.rows[0]) == [ratio]


def test_a_figure_of_another_notebook_is_asked_there(tmp_path: Path) -> None:
    toml = TOML.replace('"A1_x"', '"lab/A1_x"').replace('"lab"', '"other"')
    board = small(tmp_path, toml, cell("A1_x", text_plain="1.45"))
    assert board.judgements[0].status == MODEL
    assert board.value(board.rows[0], "lab/A1_y") is None


def numbers(*values: float) -> list[Decimal]:
    return [Decimal(str(value)) for value in values]


@pytest.mark.parametrize(
    ("kind", "more", "right", "wrong"),
    [
        ("exact", {}, [1.5], [1.501]),
        ("within", {"absolute": 0.1}, [1.6], [1.39]),
        ("within", {"relative": 0.1}, [1.35], [1.66]),
        ("factor", {"factor": 2}, [3], [0.7]),
        ("factor", {"factor": 2}, [0.75], [3.1]),
        ("below", {}, [1.4], [1.5]),
        ("above", {"times": 2}, [3.1], [3]),
        ("above", {"than": "A1_y", "times": 0.5}, [1.1, 2], [0.9, 2]),
        ("rising", {}, [1, 2, 3], [1, 2, 2]),
        ("falling", {}, [3, 2, 1], [3, 2, 4]),
    ],
)
def test_kinds_of_comparison(
    kind: str, more: dict[str, Any], right: list[float], wrong: list[float]
) -> None:
    more = {k: Decimal(str(v)) if k != "than" else v for k, v in more.items()}
    claim = Claim(kind, keys=("A1_x",), published=Decimal("1.5"), **more)
    assert claim.holds(numbers(*right))
    assert not claim.holds(numbers(*wrong))
    assert not claim.holds(["a text", *numbers(*right[1:])])
    assert claim.rule("ours") != "shown, not judged"


def test_texts_are_compared() -> None:
    assert Claim("exact", published="1, 2").holds(["1, 2"])
    assert Claim("starts", published="1, 2").holds(["1, 2, 4"])
    assert not Claim("starts", published="1, 2").holds(["1, 3"])


def test_a_row_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for wrong in (TOML.replace("kind", "kinds"), TOML.replace("run =", "ran =")):
        with pytest.raises(ScoreboardError, match=r"row A1: .*(kinds|ran)"):
            small(tmp_path, wrong)


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
def test_a_sentence_knows_the_published_figures(
    tmp_path: Path, text: str, known: bool
) -> None:
    board = small(tmp_path, TOML)
    assert board.rows[0].publishes(text) is known
    if known:
        assert board.published_figure(f"A1:{text}") == text
    for words in (f"A2:{text}", *[f"A1:{text}"] * (not known)):
        with pytest.raises(ScoreboardError):
            board.published_figure(words)
