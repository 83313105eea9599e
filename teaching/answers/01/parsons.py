"""Answers to exercise 01-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "RIGHT": "order = [5, 10, 6, 2, 4, 9, 8, 11, 1]",
    "tuple(RIGHT)": """
RIGHT = [5, 10, 6, 2, 4, 9, 8, 11, 1]
order = tuple(RIGHT)
""",
}

WRONG = {
    "never calls": (
        "order = [5, 10, 6, 2, 4, 9, 8, 11]",
        "take each callback from the front of the",
    ),
    "due timers are lost": (
        "order = [5, 10, 6, 2, 4, 8, 11, 1]",
        "make the due timers",
    ),
    "takes a timer before it looks": (
        "order = [5, 10, 6, 4, 2, 9, 8, 11, 1]",
        "a callback that is made ready during an",
    ),
    "runs until the queue is empty": (
        """
order = [5, 10, 6, 2, 4, 9, 3, 11, 1]
""",
        "a callback that is made ready during an",
    ),
    "last in, first out": (
        """
order = [5, 10, 6, 2, 4, 9, 8, 7, 1]
""",
        "the ready queue is first in",
    ),
    "runs before it looks at the timers": (
        """
order = [5, 8, 11, 1, 10, 6, 2, 4, 9]
""",
        "make the due timers",
    ),
    "3": ("order = 3", "not a list"),
    "[]": ("order = []", "empty"),
    "[5, ...]": ("order = [5, ...]", "not a line number"),
    "[5, True]": ("order = [5, True]", "not a line number"),
    "[5, 99]": ("order = [5, 99]", "no line 99"),
    "[5, 5]": ("order = [5, 5]", "twice"),
    "[5, 2, 10]": ("order = [5, 2, 10]", "cannot stand at place"),
    "[1, 5]": ("order = [1, 5]", "cannot stand"),
    "[5, 10, 6, 2, 4, 9, 8, 7, 1]": (
        "order = [5, 10, 6, 2, 4, 9, 8, 7, 1]",
        "came last",
    ),
    "[5, 10, 6, 2, 4, 9]": ("order = [5, 10, 6, 2, 4, 9]", "ran nothing"),
    "[5, 6, 2, 4, 9, 8, 11, 1]": ("order = [5, 6, 2, 4, 9, 8, 11, 1]", "cannot stand"),
    "[5, 10, 6, 8, 4, 9, 2, 11, 1]": (
        "order = [5, 10, 6, 8, 4, 9, 2, 11, 1]",
        "IndexError",
    ),
}
