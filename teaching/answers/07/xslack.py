"""Answers to exercise 07-xslack, right and wrong."""

# Why this works: Nothing interrupts a piece, so the first urgent task waits for one
# at most. On a priority loop no other piece comes between the urgent ones, so the
# last waits for all the urgent ones before it.
SOLUTION = """
def latest_start(piece, urgent, cost):
    return piece + (urgent - 1) * cost
"""

STUB = "does it end with a return statement"

RIGHT = """
## one urgent task after another
def latest_start(piece, urgent, cost):
    start = piece
    for _ in range(1, urgent):
        start += cost
    return start
"""

WRONG = """
## the piece is forgotten => nothing interrupts a piece that has just begun
def latest_start(piece, urgent, cost):
    return (urgent - 1) * cost
## the last one waits for itself => not for itself
def latest_start(piece, urgent, cost):
    return piece + urgent * cost
## the others are forgotten => then those of the same priority
def latest_start(piece, urgent, cost):
    return piece
## three iterations => one urgent task waits for one piece
def latest_start(piece, urgent, cost):
    return 3 * piece + (urgent - 1) * cost
"""
