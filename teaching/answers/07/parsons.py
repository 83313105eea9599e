"""Answers to exercise 07-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = {
    "ORDER": "order = [5, 10, 2, 8, 11, 1, 6, 4]",
    "tuple(ORDER)": """
ORDER = [5, 10, 2, 8, 11, 1, 6, 4]
order = tuple(ORDER)
""",
}

WRONG = {
    "yields before it bids": (
        "order = [5, 10, 2, 1, 6, 8, 11, 4]",
        "bid before you yield",
    ),
    "begins without a cookie of its own": (
        "order = [5, 2, 8, 11, 1, 6, 4]",
        "misspelt",
    ),
    "takes the bid off at once": (
        "order = [5, 10, 2, 8, 11, 4, 1, 6]",
        "after a line that ends in a colon",
    ),
    "never yields": (
        "order = [5, 10, 2, 8, 11, 6, 4]",
        "the winner must see its own cookie twice in a row",
    ),
    "equal bids take each other's place": (
        "order = [5, 10, 2, 3, 11, 1, 6, 4]",
        "take the bid from each other",
    ),
    "goes on as soon as it wins": (
        "order = [5, 10, 7, 8, 11, 1, 6, 4]",
        "an urgent task waited for 2.99 s",
    ),
    "never takes the bid off": (
        "order = [5, 10, 2, 8, 11, 1, 6]",
        "nobody ever has a turn",
    ),
    "looks before it has yielded": (
        "order = [5, 10, 2, 8, 11, 6, 1, 4]",
        "is the bid taken off",
    ),
    "[]": ("order = []", "the list is empty"),
    "[5, 5]": ("order = [5, 5]", "twice"),
    "[0]": ("order = [0]", "there is no line 0"),
    "['async def']": ("order = ['async def']", "is not a line number"),
    "5": ("order = 5", "not a list"),
    "list(range(1, 12))": ("order = list(range(1, 12))", "cannot stand at place 1"),
    "[5, 2]": ("order = [5, 2]", "cannot stand at place"),
    "[10]": ("order = [10]", "cannot stand at place 1"),
}
