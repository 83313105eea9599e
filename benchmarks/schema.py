"""What a file of results must hold, and how its figures are printed.

Schema (a key not named here is an error, so that a misspelling is seen)::

    {
      "machine": {                  # free text, at least one entry; shown in order
        "processor": "Example CPU, 2 cores",
        "memory": "8 GiB",
        "system": "Linux x86_64"
      },
      "python": "CPython 3.11.7",   # the interpreter of every row
      "command": "make bench",      # optional: what the reader runs to get their own
      "packages": {                 # optional: name -> version of each peer
        "looptime": "0.4"
      },
      "groups": [
        {
          "title": "100,000 sleeps over 1,000 tasks",
          "unit": "s",              # of value and spread: "s", "instructions", ...
          "method": "Best of 5 runs in fresh interpreters, in turn.",
          "baseline": "aiotools",   # optional: name of the row whose ratio is 1
          "aim": {                  # optional: a promise, judged by `verdict`
            "name": "looplab",      # the row that is judged
            "at_most": 0.9,         # its ratio must not be more than this
                                    # (or "value_at_most": its value must not)
            "text": "at most 0.9 of the fastest peer on asyncio"
          },
          "rows": [
            {
              "name": "looplab",    # unique in the group
              "value": 1.02,        # number, or null when it could not run
              "ratio": 0.95,        # optional, to the baseline; null for none
              "spread": [1.01, 1.20],   # optional: lowest and highest of the runs
              "ratio_spread": [0.9, 1.0],   # optional: of the ratios, when paired
              "note": ""            # optional; required when value is null
            }
          ]
        }
      ]
    }

A ratio is checked against the values: when both are given, ``ratio`` must be
``value / baseline value`` within 1 %, unless the row says ``"paired": true`` (a ratio
taken pair by pair, as a median). Nothing hides a missed aim: :func:`verdict` says
"Met" or "Missed".
"""

from __future__ import annotations

import math
from typing import Any

__all__ = ["BenchmarkError", "check", "number", "verdict"]

TOP = {"machine", "python", "groups"}
TOP_OPTIONAL = {"command", "packages"}
GROUP = {"title", "unit", "method", "rows"}
GROUP_OPTIONAL = {"baseline", "aim"}
AIM = {"name", "text"}
LIMITS = {"at_most", "value_at_most"}  # an aim has one of them
ROW = {"name", "value"}
ROW_OPTIONAL = {"ratio", "ratio_spread", "spread", "note", "paired"}


class BenchmarkError(ValueError):
    """The results file does not follow the schema; the message says where."""


def _keys(where: str, data: Any, required: set[str], optional: set[str]) -> None:
    if not isinstance(data, dict):
        raise BenchmarkError(f"{where} must be an object, not {type(data).__name__}")
    if missing := required - data.keys():
        raise BenchmarkError(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := data.keys() - required - optional:
        raise BenchmarkError(f"{where} has unknown {', '.join(sorted(unknown))}")


def _number(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BenchmarkError(f"{where} must be a number, not {value!r}")
    if not math.isfinite(value) or value < 0:
        raise BenchmarkError(f"{where} must be finite and not negative: {value!r}")
    return float(value)


def check(data: Any) -> dict[str, Any]:
    """Return ``data`` if it follows the schema, else raise BenchmarkError."""
    _keys("results", data, TOP, TOP_OPTIONAL)
    if not isinstance(data["machine"], dict) or not data["machine"]:
        raise BenchmarkError("machine must be an object with at least one entry")
    if not isinstance(data["groups"], list) or not data["groups"]:
        raise BenchmarkError("groups must be a list of at least one group")
    for group in data["groups"]:
        _keys("a group", group, GROUP, GROUP_OPTIONAL)
        _check_group(group)
    return dict(data)


def _check_group(group: dict[str, Any]) -> None:
    title = group["title"]
    rows: dict[str, dict[str, Any]] = {}
    for row in group["rows"]:
        _keys(f"a row of {title!r}", row, ROW, ROW_OPTIONAL)
        where = f"{row['name']!r} in {title!r}"
        if row["name"] in rows:
            raise BenchmarkError(f"{where} is there twice")
        rows[row["name"]] = row
        if row["value"] is None:
            if not row.get("note"):
                raise BenchmarkError(f"{where} has no value and no note to say why")
            continue
        _number(f"value of {where}", row["value"])
        if row.get("ratio") is not None:
            _number(f"ratio of {where}", row["ratio"])
        for key in ("spread", "ratio_spread"):
            _check_spread(f"{key} of {where}", row.get(key))
    if not rows:
        raise BenchmarkError(f"group {title!r} has no rows")
    for name in filter(None, (group.get("baseline"), group.get("aim", {}).get("name"))):
        if name not in rows:
            raise BenchmarkError(f"{name!r} is not a row of {title!r}")
    if "aim" in group:
        where = f"the aim of {title!r}"
        _keys(where, group["aim"], AIM, LIMITS)
        limits = LIMITS & group["aim"].keys()
        if len(limits) != 1:
            raise BenchmarkError(f"{where} needs one of {', '.join(sorted(LIMITS))}")
        _number(where, group["aim"][limits.pop()])
    _check_ratios(group, rows)


def _check_spread(where: str, spread: Any) -> None:
    if spread is None:
        return
    if not isinstance(spread, list) or len(spread) != 2:
        raise BenchmarkError(f"{where} must be [lowest, highest]")
    low, high = (_number(where, value) for value in spread)
    if low > high:
        raise BenchmarkError(f"{where} has its ends swapped")


def _check_ratios(group: dict[str, Any], rows: dict[str, dict[str, Any]]) -> None:
    baseline = rows.get(group.get("baseline", ""), {}).get("value")
    if not baseline:
        return
    for name, row in rows.items():
        if row["value"] is None or row.get("ratio") is None or row.get("paired"):
            continue
        expected = row["value"] / baseline
        if abs(row["ratio"] - expected) > 0.01 * expected + 0.005:
            raise BenchmarkError(
                f"ratio of {name!r} in {group['title']!r} is {row['ratio']}, but its "
                f"value over the baseline's is {expected:.3g}; mend the ratio, or "
                'say "paired": true if it was taken pair by pair'
            )


def number(value: float) -> str:
    """Three significant digits, thousands marked: 1.02, 12,300, 0.00045."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{round(value, 2 - math.floor(math.log10(abs(value)))):,.{digits}f}"


def verdict(group: dict[str, Any]) -> str:
    """Say whether the group's aim was met, or "" when it has none."""
    aim = group.get("aim")
    if not aim:
        return ""
    row = next(r for r in group["rows"] if r["name"] == aim["name"])
    if "at_most" in aim:
        actual, limit, unit = row.get("ratio"), aim["at_most"], ""
    else:
        actual, limit, unit = row["value"], aim["value_at_most"], f" {group['unit']}"
    if actual is None:
        return f"Aim: {aim['text']}. Not measured in this run."
    state = "Met" if actual <= limit else "Missed"
    return f"Aim: {aim['text']}. {state}: {actual:.2f}{unit}."
