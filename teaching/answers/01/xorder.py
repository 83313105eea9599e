"""Answers to exercise 01-xorder, right and wrong."""

# Why this works: `main` puts B, the child and A into the queue, in this order. It
# says E, and F too, since the future is done and its `await` does not yield. Then B,
# C and A run, and the child's next step says D, one iteration later. Its end wakes
# `main`: G.
SOLUTION = """
order_of_letters = "EFBCADG"
"""

STUB = "replace the three dots in the cell above and run it"

RIGHT = {}

WRONG = {
    "notes are run at once": ('order_of_letters = "BACEFDG"', "only make notes"),
    "awaiting a future that is done gives way": (
        'order_of_letters = "EBCAFDG"',
        "gives way to none",
    ),
    "sleep(0) does not give way": (
        'order_of_letters = "EFBCDAG"',
        "behind all that is in the ready queue",
    ),
    "the callback of the future was added first": (
        'order_of_letters = "EFABCDG"',
        "in which order?",
    ),
    "a letter twice": ('order_of_letters = "EEFBCADG"', "each of them once"),
}
