"""Answers to exercise 07-modify, right and wrong."""

STUB = "while a message waits for"

RIGHT = {
    "4": "limit = 4",
    "5": "limit = 5",
    "6": "limit = 6",
    "7": "limit = 7",
}

WRONG = {
    "one computation more than a lease bears": (
        "limit = 8",
        "wait for 8 computations, 3.2 s, and bears 3 s",
    ),
    "not quite enough": ("limit = 2", "while a message waits for"),
    "half a message": ("limit = 4.5", "it must be a whole number"),
    "one at a time": ("limit = 1", "3.55 times the floor"),
    "as many as a lease has computations, and more": ("limit = 9", "loses up to"),
    "no limit": ("limit = None", "replace the three dots in the cell above and run it"),
    "40": ("limit = 40", "one computation for each message"),
    "0": ("limit = 0", "lets nothing in"),
    "-1": ("limit = -1", "lets nothing in"),
    "4.0": ("limit = 4.0", "whole number"),
    "True": ("limit = True", "whole number"),
}
