"""Answers to exercise 08-xbefore, right and wrong."""

# Why this works: Without the same schedule the two were asked different things. What
# had no answer counts as infinite: left out, a service that refuses its slow requests
# would look better.
SOLUTION = """
def p99(measured):
    found = sorted(float("inf") if latency is None else latency
                   for _, latency in measured)
    return found[int(0.99 * len(found))]

def compare(before, after):
    moments = [sorted(due for due, _ in one) for one in (before, after)]
    if moments[0] != moments[1]:
        return "not comparable"
    return "better" if p99(after) < p99(before) else "no better"
"""

STUB = "no answer is no fast one"

RIGHT = {}

WRONG = {
    "without: return 'better' if p99(after) < p99(befo": (
        """
def p99(measured):
    found = sorted((float('inf') if latency is None else latency for _, latency in measured))
    return found[int(0.99 * len(found))]

def compare(before, after):
    moments = [sorted((due for due, _ in one)) for one in (before, after)]
    if moments[0] != moments[1]:
        return 'not comparable'
    pass
""",
        "one of 'better'",
    ),
    "no answer is left out": (
        SOLUTION.replace(
            'float("inf") if latency is None else latency\n', "latency\n"
        ).replace(
            "in measured)", "in measured\n                   if latency is not None)"
        ),
        "it took for ever",
    ),
    "the mean": (
        SOLUTION.replace("found[int(0.99 * len(found))]", "sum(found)"),
        "hides the slow ones",
    ),
    "the median": (SOLUTION.replace("0.99", "0.5"), "and it is better"),
    "any load": (
        SOLUTION.replace("if moments[0] != moments[1]", "if False"),
        "a client that asks less",
    ),
    "the same number": (
        SOLUTION.replace("if moments[0] != moments[1]", "if len(before) != len(after)"),
        "the client waited for each answer",
    ),
    "the same order": (
        SOLUTION.replace("sorted(due for due, _ in one)", "[due for due, _ in one]"),
        "in whichever order",
    ),
}
