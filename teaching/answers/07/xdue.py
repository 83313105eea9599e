"""Answers to exercise 07-xdue, right and wrong."""

# Why this works: A job that cannot be in time any more would only take the time of
# another, so it is passed by. Among the rest the earliest deadline first is in time
# whenever it can be; min takes a default for the empty list.
SOLUTION = """
def next_job(ready, now):
    able = [place for place, (cost, due) in enumerate(ready)
            if now + cost <= due]
    return min(able, key=lambda place: ready[place][1], default=None)
"""

STUB = "a job that cannot be in time any"

RIGHT = {}

WRONG = {
    "returns 7": (
        """
def next_job(ready, now):
    able = [place for place, (cost, due) in enumerate(ready) if now + cost <= due]
    return 7
""",
        "jobs it named number",
    ),
    "the shortest first": (
        SOLUTION.replace("ready[place][1]", "ready[place][0]"),
        "the earliest deadline first",
    ),
    "first come, first served": (
        """
def next_job(ready, now):
    return 0
""",
        "in time",
    ),
    "a job, not a place": (
        """
def next_job(ready, now):
    able = [place for (cost, due), place in zip(ready, ready)
            if now + cost <= due]
    return min(able, key=lambda place: place[1], default=None)
""",
        "a place in ready, or None",
    ),
}
