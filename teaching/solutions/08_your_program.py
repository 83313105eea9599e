"""Solutions of the extra exercises of chapter 8: the text of the cell, by name.

Above each stand why it works, and what the check says of the stub.
"""

SOLUTIONS = {
    # Why this works: A has sixty short callbacks in one iteration: a queue holds them
    # back. B has few long ones that compute: a thread. C runs again and again and does
    # nothing: it should wait for something. For D nobody held the loop: look elsewhere.
    # Of the stub the check says: Ellipsis is no remedy (A). Its hint: there are thread,
    # queue, wait, elsewhere.
    "08-xwho": """
remedies = {
    "A": "queue",
    "B": "thread",
    "C": "wait",
    "D": "elsewhere",
}
""",
    # Why this works: blame(victim) ranks by what this victim waited, and not by what
    # was held. Who holds the loop while nobody is due has made nobody wait; and who
    # waited for nobody has no culprit.
    # Of the stub the check says: mail: you accuse backup, for whom it waited 0.00 s,
    # and it waited 5.64 s for report. Its hint: it holds the loop for longest, at times
    # when nobody is due.
    "08-xalibi": """
def culprit(recording, victim):
    worst = recording.blame(victim)[0]
    return worst.name if worst.waited else None
""",
    # Why this works: The low end of a range may not come true, so the high one is
    # compared, with what was recorded too: a change that may bring nothing is left out.
    # A change that matches nothing raises, and is passed by.
    # Of the stub the check says: recording 2: after 'pictures in a thread' the p99 is
    # 37 ms at most, after 'pictures in pieces of 10 ms' 29 ms. Its hint: choose by the
    # high end of the p99, figure.high: the low one may not come true.
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
    # Why this works: An average is made by the many that are fast. So the slowest are
    # chosen first, and only then the parts are added up, all four of them: elsewhere is
    # one of the parts.
    # Of the stub the check says: 105 requests (a few wait for a database): you say ran;
    # the slowest 10, added up: kernel 5 ms, queue 5 ms, ran 4 ms, elsewhere 819 ms. Its
    # hint: that is what most requests do: take the slowest tenth, by total_ns.
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
    # Why this works: Without the same schedule the two were asked different things.
    # What had no answer counts as infinite: left out, a service that refuses its slow
    # requests would look better.
    # Of the stub the check says: what was slow is now not answered at all: you say
    # better, and it is no better. Its hint: no answer is no fast one: it took for ever,
    # float('inf').
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
