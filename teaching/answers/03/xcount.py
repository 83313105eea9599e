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

RIGHT = """
## one formula, with what each way adds
def callbacks(way, parts, pauses):
    adds = {"in sequence": (0, 0), "tasks": (1, 1), "gather": (2, 1)}
    each, after = adds.get(way, (2, 1))
    return 1 + parts * (pauses + each) + after
"""

WRONG = """
## a pause is no callback => puts the same task into the queue again
def callbacks(way, parts, pauses):
    extra = {"in sequence": 1, "tasks": parts + 2, "gather": 2 * parts + 2}
    return extra[way]
## woken for each task => is woken once
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 1 + parts * (1 + pauses) + parts
## gather is as tasks => each part reports when it is done
def callbacks(way, parts, pauses):
    if way == "in sequence":
        return 1 + parts * pauses
    return 2 + parts * (1 + pauses)
"""
