"""Answers to exercise 07-xslack, right and wrong."""

# Why this works: Nothing interrupts a piece, so the first urgent task waits for one
# at most. On a priority loop no other piece comes between the urgent ones, so the
# last waits for all the urgent ones before it.
SOLUTION = """
def latest_start(piece, urgent, cost):
    return piece + (urgent - 1) * cost
"""

STUB = "does it end with a return statement"

RIGHT = {}

WRONG = {
    "the piece is forgotten": (
        SOLUTION.replace("piece + ", ""),
        "nothing interrupts a piece that has just begun",
    ),
    "the last one waits for itself": (
        SOLUTION.replace("(urgent - 1)", "urgent"),
        "not for itself",
    ),
    "the others are forgotten": (
        SOLUTION.replace(" + (urgent - 1) * cost", ""),
        "then those of the same priority",
    ),
    "three iterations": (
        SOLUTION.replace("return piece", "return 3 * piece"),
        "one urgent task waits for one piece",
    ),
}
