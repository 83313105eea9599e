"""Answers to exercise 07-xage, right and wrong."""

# Why this works: The level grows with the time that was waited, a tenth of a level in
# a second. max returns the first of equal ones, and the list is in the order in which
# the jobs came.
SOLUTION = """
def next_job(waiting, now):
    def aged(place):
        level, since = waiting[place]
        return level + (now - since) / 10

    return max(range(len(waiting)), key=aged)
"""

STUB = "a job that waits rises"

RIGHT = {
    "a loop over the jobs that wait": """
def next_job(waiting, now):
    best = 0
    for place, (level, since) in enumerate(waiting):
        first = waiting[best]
        if level - since / 10 > first[0] - first[1] / 10:
            best = place
    return best
""",
}

WRONG = {
    "returns 7": (
        """
def next_job(waiting, now):

    def aged(place):
        level, since = waiting[place]
        return level + (now - since) / 10
    return 7
""",
        "jobs it named number",
    ),
    "the oldest": (
        SOLUTION.replace("level + (now - since) / 10", "now - since"),
        "is not first at once",
    ),
    "by whole levels": (
        SOLUTION.replace("(now - since) / 10", "(now - since) // 10"),
        "gradually",
    ),
    "the last of equals": (
        SOLUTION.replace(
            "max(range(len(waiting))", "max(reversed(range(len(waiting)))"
        ),
        "among equals whoever came first",
    ),
    "it returns the job": (
        """
def next_job(waiting, now):
    return max(waiting)
""",
        "a place: 0 for the first",
    ),
}
