"""Answers to exercise 01-xorder, right and wrong."""

# Why this works: `main` puts B, the child and A into the queue, in this order. It
# says E, and F too, since the future is done and its `await` does not yield. Then B,
# C and A run, and the child's next step says D, one iteration later. Its end wakes
# `main`: G.
SOLUTION = """
order_of_letters = "EFBCADG"
"""

STUB = "replace the three dots in the cell above and run it"

RIGHT = """
## with commas, in small letters
order_of_letters = "e, f, b, c, a, d, g"
"""

WRONG = """
## notes are run at once => only make notes
order_of_letters = "BACEFDG"
## awaiting a future that is done gives way => gives way to none
order_of_letters = "EBCAFDG"
## sleep(0) does not give way => behind all that is in the ready queue
order_of_letters = "EFBCDAG"
## the callback of the future was added first => in which order?
order_of_letters = "EFABCDG"
## a letter twice => each of them once
order_of_letters = "EEFBCADG"
"""
