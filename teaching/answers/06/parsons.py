"""Answers to exercise 06-parsons, right and wrong."""

STUB = "begin with the line that has no indent"

RIGHT = {
    "ORDER": "order = [5, 3, 7, 2, 1]",
    "tuple(ORDER)": """
ORDER = [5, 3, 7, 2, 1]
order = tuple(ORDER)
""",
}

WRONG = {
    "judges while it counts": (
        "order = [5, 3, 7, 1, 2]",
        "after a line that ends in a colon",
    ),
    "never judges": (
        "order = [5, 3, 7, 2]",
        "one line asserts how many turns are allowed",
    ),
    "no session": ("order = [5, 7, 2, 1]", "open the session first"),
    "judges a time": (
        "order = [5, 3, 7, 2, 4]",
        "one line asserts how many turns are allowed",
    ),
    "the assert the wrong way round": (
        "order = [5, 3, 7, 2, 8]",
        "turns.seconds is a time",
    ),
    "asks while it counts": (
        "order = [5, 3, 7, 6, 2, 1]",
        "an idle session is one that nobody asks anything",
    ),
    "no time passes": ("order = [5, 3, 7, 1]", "after a line that ends in a colon"),
    "counts before there is a session": (
        "order = [5, 7, 3, 2, 1]",
        "after a line that ends in a colon",
    ),
    "[]": ("order = []", "the list is empty"),
    "[5, 5]": ("order = [5, 5]", "twice"),
    "[9]": ("order = [9]", "there is no line 9"),
    "'test'": ("order = 'test'", "is not a line number"),
    "[3]": ("order = [3]", "cannot stand at place 1"),
    "[5, 3, 7]": ("order = [5, 3, 7]", "cannot stand at place"),
    "[5, 3, 7, 2, 8]": ("order = [5, 3, 7, 2, 8]", "fails with a session that waits"),
    "[5, 3, 7, 6, 2, 1]": (
        "order = [5, 3, 7, 6, 2, 1]",
        "asks the session something while it counts",
    ),
}
