"""Answers to exercise 02-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "RIGHT": "order = [4, 2, 6, 7, 9, 1]",
}

WRONG = {
    "calls the product on the loop": (
        "order = [4, 2, 6, 3, 9, 1]",
        "hand over the function and its argument",
    ),
    "asks for results that are not there": (
        "order = [4, 2, 6, 7, 9, 5]",
        "the futures of a loop are awaited",
    ),
    "a pool of its own": ("order = [4, 2, 8, 6, 7, 9, 1]", "the pool is a parameter"),
    "a pool of its own, before the loop": (
        "order = [4, 8, 2, 6, 7, 9, 1]",
        "the pool is a parameter",
    ),
    "no loop": ("order = [4, 6, 7, 9, 1]", "six of the nine are used"),
    "gathers first": ("order = [4, 2, 1, 6, 7, 9]", "the results"),
    "the numbers before the futures": (
        "order = [4, 2, 6, 9, 7, 1]",
        "look at the indents",
    ),
    "3": ("order = 3", "not a list"),
    "[]": ("order = []", "empty"),
    "[4, ...]": ("order = [4, ...]", "not a line number"),
    "[4, 99]": ("order = [4, 99]", "no line 99"),
    "[4, 4]": ("order = [4, 4]", "twice"),
    "[2, 4]": ("order = [2, 4]", "cannot come first"),
    "[4, 2, 6, 3, 9, 1]": ("order = [4, 2, 6, 3, 9, 1]", "without calling it"),
    "[4, 2, 6, 7, 9, 5]": ("order = [4, 2, 6, 7, 9, 5]", "are awaited"),
    "[4, 2, 6]": ("order = [4, 2, 6]", "3 lines are missing"),
    "[4, 2, 6, 7, 9]": ("order = [4, 2, 6, 7, 9]", "1 line is missing"),
    "[4, 6, 2, 7, 9, 1]": ("order = [4, 6, 2, 7, 9, 1]", "syntax error"),
    "[4, 1, 2, 6, 7, 9]": ("order = [4, 1, 2, 6, 7, 9]", "before it has a value"),
}
