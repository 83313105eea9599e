"""Answers to exercise 05-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "ORDER": "order = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]",
    "tuple(ORDER)": """
ORDER = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]
order = tuple(ORDER)
""",
    "[7, 9, 5, 12, 4, 2, 8, 10, 1, 6]": "order = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]",
}

WRONG = {
    "the sink is never called": (
        "order = [7, 9, 5, 12, 4, 8, 10, 1, 6]",
        "after a line that ends in a colon",
    ),
    "says the end before the items": (
        "order = [7, 9, 5, 12, 4, 2, 8, 6, 10, 1]",
        "waits for ever",
    ),
    "both queues": (
        "order = [7, 9, 3, 5, 12, 4, 2, 8, 10, 1, 6]",
        "one of the two queues has no bound",
    ),
    "a queue without a bound": (
        "order = [7, 3, 5, 12, 4, 2, 8, 10, 1, 6]",
        "has no bound",
    ),
    "does not wait for room": (
        "order = [7, 9, 5, 12, 4, 2, 8, 10, 11, 6]",
        "QueueFull",
    ),
    "never says that it is the end": (
        "order = [7, 9, 5, 12, 4, 2, 8, 10, 1]",
        "waits for ever",
    ),
    "[]": ("order = []", "the list is empty"),
    "[7, 7]": ("order = [7, 7]", "twice"),
    "[0]": ("order = [0]", "there is no line 0"),
    "['async def']": ("order = ['async def']", "is not a line number"),
    "7": ("order = 7", "not a list"),
    "list(range(1, 13))": ("order = list(range(1, 13))", "cannot stand at place 1"),
    "[9]": ("order = [9]", "cannot stand at place 1"),
    "[n for n in ORDER if n != 9]": (
        """
ORDER = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]
order = [n for n in ORDER if n != 9]
""",
        "misspelt",
    ),
}
