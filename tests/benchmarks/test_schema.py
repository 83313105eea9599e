"""What a file of results must hold, and how its figures are printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import readme, schema


def results(**changes: Any) -> dict[str, Any]:
    group: dict[str, Any] = {
        "title": "Sleeps",
        "unit": "s",
        "method": "Best of 5.",
        "baseline": "peer",
        "aim": {"name": "looplab", "at_most": 0.9, "text": "at most 0.9"},
        "rows": [
            {"name": "looplab", "value": 0.8, "ratio": 0.8, "spread": [0.8, 1.2]},
            {"name": "peer", "value": 1.0, "ratio": 1.0},
            {"name": "other", "value": None, "note": "does not start"},
        ],
    }
    group.update(changes)
    return {
        "machine": {"processor": "example, 2 cores"},
        "python": "CPython 3.11",
        "command": "make bench",
        "packages": {"peer": "1.0"},
        "groups": [group],
    }


def test_a_missed_aim_is_said() -> None:
    aim = {"name": "looplab", "at_most": 0.7, "text": "at most 0.7"}
    (group,) = schema.check(results(aim=aim))["groups"]
    assert schema.verdict(group) == "Aim: at most 0.7. Missed: 0.80."


def test_an_aim_may_be_about_the_value() -> None:
    aim = {"name": "looplab", "value_at_most": 0.5, "text": "at most 0.5 s"}
    (group,) = schema.check(results(aim=aim))["groups"]
    assert schema.verdict(group) == "Aim: at most 0.5 s. Missed: 0.80 s."


def row(**changes: Any) -> list[dict[str, Any]]:
    return [{"name": "looplab", "value": 1.0} | changes, {"name": "peer", "value": 2.0}]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"titel": "x"}, "unknown titel"),
        ({"rows": []}, "has no rows"),
        ({"baseline": "nobody"}, "'nobody' is not a row"),
        ({"rows": row(value="1")}, "must be a number"),
        ({"rows": row(value=-1)}, "must be finite"),
        ({"rows": row(value=float("nan"))}, "must be finite"),
        ({"rows": row(value=None)}, "no note to say why"),
        ({"rows": row(spread=[2, 1])}, "ends swapped"),
        ({"rows": row(spread=[1])}, "must be [lowest, highest]"),
        ({"rows": row(ratio_spread=[2, 1])}, "ratio_spread of 'looplab'"),
        ({"rows": row(ratio=0.7)}, "its value over the baseline's is 0.5"),
        ({"rows": row() + row()}, "is there twice"),
        ({"aim": {"name": "looplab", "at_most": 1}}, "lacks text"),
        ({"aim": {"name": "looplab", "text": "x"}}, "needs one of at_most, value"),
    ],
)
def test_wrong_results_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(schema.BenchmarkError) as caught:
        schema.check(results(**changes))
    assert says in str(caught.value)


def test_a_paired_ratio_need_not_be_the_quotient() -> None:
    schema.check(results(rows=row(ratio=0.7, paired=True)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1.0234, "1.02"),
        (12345.6, "12,300"),
        (999.9, "1,000"),
        (0.000456, "0.000456"),
        (38, "38.0"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert schema.number(value) == text


def test_the_published_results_follow_the_schema() -> None:
    names = readme.sources(readme.PAGE.read_text(encoding="utf-8"))
    files = [readme.HERE / name for name in names if name.endswith(".json")]
    assert len(files) == 4
    for file in files:
        schema.check(json.loads(file.read_text(encoding="utf-8")))
