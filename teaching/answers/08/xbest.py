"""Answers to exercise 08-xbest, right and wrong."""

# Why this works: The low end of a range may not come true, so the high one is
# compared, with what was recorded too: a change that may bring nothing is left out. A
# change that matches nothing raises, and is passed by.
SOLUTION = """
def best(recording, victim, changes):
    highs = {}
    for change in changes:
        try:
            figure = recording.replay(change).figure(victim, "p99")
        except NothingMatchesError:
            continue
        if figure.high < figure.recorded:
            highs[change] = figure.high
    return min(highs, key=highs.get, default=None)
"""

STUB = "choose by the high end of the p"

RIGHT = {}

WRONG = {
    "the low end": (
        SOLUTION.replace("= figure.high", "= figure.low"),
        "choose by the high end of the p99",
    ),
    "whatever comes out smallest": (
        SOLUTION.replace(
            "        if figure.high < figure.recorded:\n            highs",
            "        highs",
        ),
        "return None where that is no less",
    ),
    "the median": (
        SOLUTION.replace('"p99"', '"p50"'),
        "compare the high end with what was recorded",
    ),
    "an error for what matches nothing": (
        SOLUTION.replace("except NothingMatchesError", "except KeyError"),
        "pass the change by",
    ),
    "words": (
        SOLUTION.replace("highs[change]", "highs[str(change)]"),
        "return one of the changes, or None",
    ),
}
