"""Answers to exercise 08-xwho, right and wrong."""

# Why this works: A has sixty short callbacks in one iteration: a queue holds them
# back. B has few long ones that compute: a thread. C runs again and again and does
# nothing: it should wait for something. For D nobody held the loop: look elsewhere.
SOLUTION = """
remedies = {
    "A": "queue",
    "B": "thread",
    "C": "wait",
    "D": "elsewhere",
}
"""

STUB = "there are thread"

RIGHT = {}

WRONG = {
    "a thread for all": (
        "remedies = dict.fromkeys('ABCD', 'thread')",
        "how many callbacks did the first line run",
    ),
    "a queue for a long callback": (
        SOLUTION.replace('"B": "thread"', '"B": "queue"'),
        "hold the loop at a time",
    ),
    "a thread for what spins": (
        SOLUTION.replace('"C": "wait"', '"C": "thread"'),
        "did with its time",
    ),
    "a culprit where there is none": (
        SOLUTION.replace('"D": "elsewhere"', '"D": "queue"'),
        "did anybody wait for the loop?",
    ),
    "one is missing": ("remedies = {'A': 'queue'}", "judge all four"),
    "a word of one's own": (
        SOLUTION.replace('"A": "queue"', '"A": "faster"'),
        "'faster' is no remedy",
    ),
}
