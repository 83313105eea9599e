"""Answers to exercise 08-parsons, right and wrong."""

STUB = "begin with the line that has no indent"

RIGHT = {}

WRONG = {
    "a line after the return": (
        "order = [4, 2, 6, 5, 1, 7]",
        "is each of them reached",
    ),
    "moves the victim": ("order = [4, 2, 8, 5, 1]", "move the one that holds the loop"),
    "accuses the least": ("order = [4, 3, 6, 5, 1]", "blame() has the worst first"),
    "no change": ("order = [4, 2, 7, 5, 1]", "what is to go to a thread"),
    "returns nothing": ("order = [4, 2, 6, 5]", "the last line says what was found"),
    "asks before it knows whom": (
        "order = [4, 6, 2, 5, 1]",
        "a line stands before the one it needs",
    ),
    "[2, 4, 6, 5, 1]": ("order = [2, 4, 6, 5, 1]", "cannot stand at place 1"),
    "[4, 2, 8, 5, 1]": ("order = [4, 2, 8, 5, 1]", "nothing in the recording matches"),
    "[4, 3, 6, 5, 1]": ("order = [4, 3, 6, 5, 1]", "for whom others waited less"),
    "[4, 2, 7, 5, 1]": ("order = [4, 2, 7, 5, 1]", "not that of the change"),
    "[4, 2, 6, 1]": ("order = [4, 2, 6, 1]", "'figure'"),
}
