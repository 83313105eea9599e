"""Answers to exercise 04-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "ORDER": "order = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]",
    "tuple(ORDER)": """
ORDER = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
order = tuple(ORDER)
""",
    "[7, 4, 10, 6, 14, 2, 13, 8, 11, 1, 5, 15, 9]": "order = [7, 4, 10, 6, 14, 2, 13, 8, 11, 1, 5, 15, 9]",
}

WRONG = {
    "workers before anybody can be told": (
        """
order = [7, 13, 4, 10, 6, 14, 2, 11, 1, 8, 5, 15, 9]
""",
        "waits for ever",
    ),
    "waits before anything is put": (
        """
order = [7, 13, 4, 10, 6, 14, 2, 8, 5, 11, 1, 15, 9]
""",
        "of 20 jobs were done",
    ),
    "never says that a job is done": (
        """
order = [7, 13, 4, 10, 6, 14, 8, 11, 1, 5, 15, 9]
""",
        "waits for ever",
    ),
    "a queue without a bound": (
        """
order = [7, 3, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
""",
        "s late",
    ),
    "get() without await": (
        """
order = [7, 13, 4, 10, 12, 14, 2, 8, 11, 1, 5, 15, 9]
""",
        "without await",
    ),
    "nobody cancels the workers": (
        """
order = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5]
""",
        "still wait for more",
    ),
    "a job is called done before it is": (
        """
order = [7, 13, 4, 10, 6, 2, 14, 8, 11, 1, 5, 15, 9]
""",
        "before it is",
    ),
    "list(range(1, 16))": ("order = list(range(1, 16))", "cannot stand at place 1"),
    "[]": ("order = []", "the list is empty"),
    "[7, 7]": ("order = [7, 7]", "twice"),
    "[0]": ("order = [0]", "there is no line 0"),
    "[7, 16]": ("order = [7, 16]", "there is no line 16"),
    "['async def']": ("order = ['async def']", "is not a line number"),
    "7": ("order = 7", "not a list"),
    "[n for n in ORDER if n != 13]": (
        """
ORDER = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
order = [n for n in ORDER if n != 13]
""",
        "misspelt",
    ),
}
