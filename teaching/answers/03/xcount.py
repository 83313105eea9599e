"""Answers to exercise 03-xcount, right and wrong."""

# Why this works: A pause ends a step, and one more follows. In sequence all steps are
# the request's: one, and one for each pause. A task has one step more than it has
# pauses. The request adds its first step and one wake-up, since all parts end in the
# same iteration. `gather` adds a callback for each part. The stub forgets the pauses.
SOLUTION = """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    steps = parts * (1 + pauses)
    if way == "tasks":
        return 1 + steps + 1
    return 1 + steps + parts + 1
"""

STUB = "the first step"

RIGHT = {}

WRONG = {
    "a pause is no callback": (
        """
def callbacks(way, parts, pauses):
    extra = {"in sequence": 1, "tasks": parts + 2, "gather": 2 * parts + 2}
    return extra[way]
""",
        "puts the same task into the queue again",
    ),
    "woken for each task": (
        """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 1 + parts * (1 + pauses) + parts
""",
        "is woken once",
    ),
    "gather is as tasks": (
        """
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 2 + parts * (1 + pauses)
""",
        "each part reports when it is done",
    ),
}
