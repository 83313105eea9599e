"""Answers to exercise 03-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "[5, 7, 9, 2, 4, 1]": "order = [5, 7, 9, 2, 4, 1]",
}

WRONG = {
    "the clock starts in the loop": (
        "order = [5, 7, 2, 9, 4, 1]",
        "after a line that ends in a colon",
    ),
    "returns before it has called": (
        "order = [5, 7, 9, 1, 2, 4]",
        "the loop must await work() again and again",
    ),
    "no first call": (
        "order = [5, 9, 2, 4, 1]",
        "the first call fills caches and costs more",
    ),
    "wall time": (
        """
order = [5, 7, 3, 2, 4, 1]
""",
        "read from the same clock",
    ),
    "the first call counts": (
        """
order = [5, 9, 7, 2, 4, 1]
""",
        "the first call fills caches",
    ),
    "all calls together": (
        """
order = [5, 7, 9, 2, 4, 6]
""",
        "the cost of all calls together",
    ),
    "never awaited": (
        """
order = [5, 7, 9, 2, 8, 1]
""",
        "without await",
    ),
    "[]": ("order = []", "the list is empty"),
    "[5, 7, 10]": ("order = [5, 7, 10]", "there is no line 10"),
    "[7, 5]": ("order = [7, 5]", "cannot stand at place"),
    "[9, 1]": ("order = [9, 1]", "after a line that ends in a colon"),
    "[5, 9, 7, 1]": ("order = [5, 9, 7, 1]", "again and again"),
    "[5, 7, 2, 4, 1]": ("order = [5, 7, 2, 4, 1]", "start"),
    "[5, 7, 9, 2, 4]": ("order = [5, 7, 9, 2, 4]", "returned no number"),
}
