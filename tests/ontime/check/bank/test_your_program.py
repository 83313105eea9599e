"""The extra exercises of chapter 8."""

from __future__ import annotations

from ontime.check.bank.your_program import REMEDIES, who_tables
from tests.ontime.check.bank.bank import Answers, Right, Wrong
from tests.ontime.check.bank.mistakes import changed

WRONG: Wrong = {
    "08-xwho": {
        "a thread for all": (
            "remedies = dict.fromkeys('ABCD', 'thread')",
            "how many callbacks did the first line run",
        ),
        "a queue for a long callback": (
            changed("08-xwho", ('"B": "thread"', '"B": "queue"')),
            "hold the loop at a time",
        ),
        "a thread for what spins": (
            changed("08-xwho", ('"C": "wait"', '"C": "thread"')),
            "did with its time",
        ),
        "a culprit where there is none": (
            changed("08-xwho", ('"D": "elsewhere"', '"D": "queue"')),
            "did anybody wait for the loop?",
        ),
        "one is missing": ("remedies = {'A': 'queue'}", "judge all four"),
        "a word of one's own": (
            changed("08-xwho", ('"A": "queue"', '"A": "faster"')),
            "'faster' is no remedy",
        ),
    },
    "08-xalibi": {
        "the worst of all": (
            changed("08-xalibi", ("blame(victim)", "blame()")),
            "and not this victim",
        ),
        "the longest": (
            """
def culprit(recording, victim):
    return max(recording.blame(victim), key=lambda one: one.longest).name
""",
            "at times when nobody is due",
        ),
        "always somebody": (
            changed("08-xalibi", (" if worst.waited else None", "")),
            "the victim waited for nobody",
        ),
        "never anybody": (
            "\ndef culprit(recording, victim):\n    return None\n",
            "you accuse nobody",
        ),
        "the culprit itself": (
            changed("08-xalibi", ("worst.name if", "worst if")),
            "return a name, or None",
        ),
    },
    "08-xbest": {
        "the low end": (
            changed("08-xbest", ("= figure.high", "= figure.low")),
            "choose by the high end of the p99",
        ),
        "whatever comes out smallest": (
            changed(
                "08-xbest",
                (
                    "        if figure.high < figure.recorded:\n            highs",
                    "        highs",
                ),
            ),
            "return None where that is no less",
        ),
        "the median": (
            changed("08-xbest", ('"p99"', '"p50"')),
            "compare the high end with what was recorded",
        ),
        "an error for what matches nothing": (
            changed("08-xbest", ("except NothingMatchesError", "except KeyError")),
            "pass the change by",
        ),
        "words": (
            changed("08-xbest", ("highs[change]", "highs[str(change)]")),
            "return one of the changes, or None",
        ),
    },
    "08-xslow": {
        "all requests": (
            changed("08-xslow", ("// 10", "// 1")),
            "take the slowest tenth",
        ),
        "no part elsewhere": (
            changed(
                "08-xslow",
                (
                    '        "elsewhere": sum(one.elsewhere_ns for one in slowest),\n',
                    "",
                ),
            ),
            "elsewhere_ns",
        ),
        "the fastest tenth": (
            changed("08-xslow", ("one.total_ns)", "-one.total_ns)")),
            "you say",
        ),
        "a sum": (
            changed("08-xslow", ("max(parts, key=parts.get)", "max(parts.values())")),
            "one of kernel, queue",
        ),
    },
    "08-xbefore": {
        "no answer is left out": (
            changed(
                "08-xbefore",
                (
                    'float("inf") if latency is None else latency\n',
                    "latency\n",
                ),
                (
                    "in measured)",
                    "in measured\n                   if latency is not None)",
                ),
            ),
            "it took for ever",
        ),
        "the mean": (
            changed("08-xbefore", ("found[int(0.99 * len(found))]", "sum(found)")),
            "hides the slow ones",
        ),
        "the median": (
            changed("08-xbefore", ("0.99", "0.5")),
            "and it is better",
        ),
        "any load": (
            changed("08-xbefore", ("if moments[0] != moments[1]", "if False")),
            "a client that asks less",
        ),
        "the same number": (
            changed(
                "08-xbefore",
                ("if moments[0] != moments[1]", "if len(before) != len(after)"),
            ),
            "the client waited for each answer",
        ),
        "the same order": (
            changed(
                "08-xbefore",
                ("sorted(due for due, _ in one)", "[due for due, _ in one]"),
            ),
            "in whichever order",
        ),
    },
}


def test_the_tables_show_what_the_remedies_need() -> None:
    tables = who_tables()
    first = {name: table.splitlines()[3:5] for name, table in tables.items()}
    assert "invoices" in first["A"][0]
    assert "at most 5.0 ms" in first["A"][1]
    assert "pictures" in first["B"][0]
    assert "at most 120 ms" in first["B"][1]
    assert "inbox" in first["C"][0]
    assert "it woke itself and did nothing" in tables["C"]
    assert sum("ms" in line for line in tables["D"].splitlines()) <= 4
    assert set(REMEDIES) == {"thread", "queue", "wait", "elsewhere"}


RIGHT: Right = {
    "a loop over the culprits": (
        "08-xalibi",
        """
def culprit(recording, victim):
    waited = {one.name: one.waited for one in recording.blame(victim)}
    worst = max(waited, key=waited.get)
    return worst if waited[worst] > 0 else None
""",
    ),
}


class TestAnswers(Answers):
    wrong = WRONG
    right = RIGHT
