"""Answers to exercise 05-modify, right and wrong."""

STUB = "what the queue has no room for waits in the producer"

RIGHT = {
    "4": "maxsize = 4",
    "5": "maxsize = 5",
}

WRONG = {
    "just too small": ("maxsize = 3", "holds the producer for 0.40 s"),
    "just too large": ("maxsize = 6", "lie in the queue for 0.60 s"),
    "half an item": ("maxsize = 4.5", "it must be a whole number"),
    "the smallest bound": ("maxsize = 1", "holds the producer for 0.60 s"),
    "no bound": ("maxsize = 0", "no bound"),
    "room for a whole burst": (
        "maxsize = 8",
        "the last item of a full queue waits for all those before it",
    ),
    "not a number": (
        "maxsize = None",
        "replace the three dots in the cell above and run it",
    ),
    "-1": ("maxsize = -1", "no bound"),
    "10 ** 9": ("maxsize = 10 ** 9", "think smaller"),
    "4.0": ("maxsize = 4.0", "whole number"),
    "True": ("maxsize = True", "whole number"),
}
