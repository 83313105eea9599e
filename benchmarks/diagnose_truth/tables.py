"""The tables of the page, in Markdown."""

from __future__ import annotations

from typing import Any

from benchmarks.diagnose_truth.repeats import SHORT, needed
from benchmarks.readme import line
from looplab.diagnose.prediction import UNLIKE, UNLIKE_S

__all__ = ["table"]

#: The least that we aim at, as a share of the rows.
AIMS = {"client": 0.9, "culprits": 1.0, "what-if": 0.8}
#: What counts, by the key of the rows.
COUNTED = {"client": "p90 near", "culprits": "right", "what-if": "holds"}


def table(results: dict[str, Any]) -> str:
    """All that was measured.

    Args:
        results: what the command has written.
    """
    made = {"client": _client, "culprits": _culprits, "what-if": _what_if}
    parts = [
        f"{results['cores']} cores, load {results['load']:.1f} at the beginning. "
        f"{results['python']}."
    ]
    for name, rows in made.items():
        parts += [rows(results[name]), _verdict(name, results[name])]
    parts += [_repeats(results["repeats"])]
    return "\n\n".join(parts) + "\n"


def _verdict(name: str, rows: list[dict[str, Any]]) -> str:
    found, aim = sum(row[COUNTED[name]] for row in rows), AIMS[name]
    met = "Met" if found >= aim * len(rows) else "Not met"
    return f"Aim: {aim:.0%} of the rows. {met}: {found} of {len(rows)}."


def _ms(*seconds: float | None, to: str = " / ") -> str:
    digits = [None if one is None else 1 if one >= 0.01 else 2 for one in seconds]
    return to.join(
        "–" if one is None else f"{1000 * one:.{places}f}"
        for one, places in zip(seconds, digits, strict=True)
    )


def _lines(title: str, heads: str, rows: list[list[str]]) -> str:
    cells = [one.strip() for one in heads.split("|")]
    lines = [cells, ["---"] * len(cells), *rows]
    return "\n".join([f"**{title}**", "", *map(line, lines)])


def _client(rows: list[dict[str, Any]]) -> str:
    return _lines(
        "Recorded latency beside the client's, ms; near is within 15 % or 10 ms",
        "Service | Endpoint | Requests | p90 | p90, client | p99 | p99, client | near",
        [
            [
                row["service"],
                f"`{row['endpoint']}`",
                str(row["n"]),
                *(_ms(one) for one in row["p90"] or (None, None)),
                *(_ms(one) for one in row["p99"] or (None, None)),
                " and ".join(x for x in ("p90", "p99") if row[f"{x} near"]) or "no",
            ]
            for row in rows
        ],
    )


def _culprits(rows: list[dict[str, Any]]) -> str:
    return _lines(
        "Who is named first where a person planted a fault",
        "Framework | Fault | Named first | Right",
        [
            [
                row["framework"],
                row["fault"],
                f"`{row['function']}`",
                "yes" if row["right"] else "no",
            ]
            for row in rows
        ],
    )


def _repeats(rows: list[dict[str, Any]]) -> str:
    share, seconds = needed(rows)
    count = len(next(iter(rows[0]["times"].values()))["p90"])
    shown = []
    for row in rows:
        for endpoint, times in row["times"].items():
            found = [value for _, _, value in times["p90"]]
            fault = row["fault"] or "none"
            values = ", ".join(_ms(one) for one in found)
            shown.append([row["framework"], fault, f"`{endpoint}`", values])
    table = _lines(
        f"p90 of {count} recordings of one program, ms",
        "Framework | Fault | Endpoint | p90",
        shown,
    )
    return (
        f"{table}\n\nOf p50, p90 and p99 of all pairs of them, 19 of 20 lie in the "
        f"range that chance gives, widened by {share:.1%} of the time, or, of times "
        f"below {1000 * SHORT:.0f} ms, by {1000 * seconds:.2f} ms. A prediction widens "
        f"it by {UNLIKE:.1%} or {1000 * UNLIKE_S:.2f} ms, whichever is more."
    )


def _what_if(rows: list[dict[str, Any]]) -> str:
    return _lines(
        "What a change would bring, and what it brought: p90 of `/ping`, ms",
        "Framework | Fault | Change | Before | Predicted | After | Client | Holds",
        [
            [
                row["framework"],
                row["fault"],
                row["change"],
                *(
                    ["refused", "–", "–", "–"]
                    if "refused" in row
                    else [
                        _ms(row["before"]),
                        _ms(*row["range"], to=" to "),
                        _ms(row["measured"]),
                        _ms(*row["client"], to=" to "),
                    ]
                ),
                "yes" if row["holds"] else "no",
            ]
            for row in rows
        ],
    )
