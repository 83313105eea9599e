"""Answers to exercise 05-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "waiting": """
def waiting(made, served, seconds, maxsize):
    return min(max(0, made - served) * seconds, maxsize or float('inf'))
""",
}

WRONG = {
    "one less than the bound": (
        "waiting = lambda made, served, seconds, maxsize: min(max(0, made - served) * seconds, maxsize - 1 if maxsize else float('inf'))",
        "and for how long",
    ),
    "the bound added to the growth": (
        """
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds + maxsize
""",
        "put() waits at the bound",
    ),
    "the share that is not served": (
        """
def waiting(made, served, seconds, maxsize):
    growth = max(0, 1 - served / made) * seconds
    return min(growth, maxsize) if maxsize else growth
""",
        "how many more come than go in a second",
    ),
    "full whenever there is a bound": (
        """
def waiting(made, served, seconds, maxsize):
    return maxsize or max(0, made - served) * seconds
""",
        "how many more come than go in a second",
    ),
    "negative when the consumer is faster": (
        """
def waiting(made, served, seconds, maxsize):
    growth = (made - served) * seconds
    return min(growth, maxsize) if maxsize else growth
""",
        "shorter than",
    ),
    "forgets the bound": (
        """
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds
""",
        "waits at the bound",
    ),
    "0 taken for a bound of none": (
        """
def waiting(made, served, seconds, maxsize):
    return min(max(0, made - served) * seconds, maxsize)
""",
        "means no bound",
    ),
    "forgets what has been served": (
        """
def waiting(made, served, seconds, maxsize):
    return min(made * seconds, maxsize or made * seconds)
""",
        "those are all the items",
    ),
    "lambda *_: None": ("waiting = lambda *_: None", "returned no number"),
    "lambda *_: 'many'": (
        "waiting = lambda *_: 'many'",
        "'many', which is not a number",
    ),
    "lambda *_: float('nan')": ("waiting = lambda *_: float('nan')", "says nan"),
    "lambda made: made": ("waiting = lambda made: made", "parameters"),
    "12": ("waiting = 12", "not a function"),
}
