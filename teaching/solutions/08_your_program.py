"""Solutions of the extra exercises of chapter 8: the text of the cell, by name."""

SOLUTIONS = {
    "08-xwho": """
remedies = {
    "A": "queue",
    "B": "thread",
    "C": "wait",
    "D": "elsewhere",
}
""",
    "08-xalibi": """
def culprit(recording, victim):
    worst = recording.blame(victim)[0]
    return worst.name if worst.waited else None
""",
    "08-xbest": """
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
""",
    "08-xslow": """
def slow_part(requests):
    slowest = sorted(requests, key=lambda one: one.total_ns)
    slowest = slowest[-max(1, len(requests) // 10):]
    parts = {
        "kernel": sum(one.kernel_ns for one in slowest),
        "queue": sum(one.queue_ns for one in slowest),
        "ran": sum(one.ran_ns for one in slowest),
        "elsewhere": sum(one.elsewhere_ns for one in slowest),
    }
    return max(parts, key=parts.get)
""",
    "08-xbefore": """
def p99(measured):
    found = sorted(float("inf") if latency is None else latency
                   for _, latency in measured)
    return found[int(0.99 * len(found))]

def compare(before, after):
    moments = [sorted(due for due, _ in one) for one in (before, after)]
    if moments[0] != moments[1]:
        return "not comparable"
    return "better" if p99(after) < p99(before) else "no better"
""",
}
