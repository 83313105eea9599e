"""Answers to exercise 06-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "lambda s, cost, nap: 1 + s / (nap + cost)": "asks = lambda s, cost, nap: 1 + s / (nap + cost)",
}

WRONG = {
    "a nap or a cost": (
        "asks = lambda seconds, cost, nap: seconds / (nap or cost)",
        "from one question to the next",
    ),
    "once a nap, whatever a callback costs": (
        """
def asks(seconds, cost, nap):
    return seconds / (nap or 1)
""",
        "with a nap of",
    ),
    "a nap in milliseconds": (
        """
def asks(seconds, cost, nap):
    return seconds / (1000 * nap + cost)
""",
        "how long is it from one question to the next",
    ),
    "a thousand times a second": (
        """
def asks(seconds, cost, nap):
    return 1000 * seconds
""",
        "with a nap of",
    ),
    "forgets the nap": (
        """
def asks(seconds, cost, nap):
    return seconds / cost
""",
        "during a nap nobody asks",
    ),
    "lambda s, cost, nap: s / cost": (
        "asks = lambda s, cost, nap: s / cost",
        "during a nap nobody asks",
    ),
    "lambda s, cost, nap: s / (2 * nap + cost)": (
        "asks = lambda s, cost, nap: s / (2 * nap + cost)",
        "from one question to the next",
    ),
    "lambda *_: None": ("asks = lambda *_: None", "returned no number"),
    "lambda *_: 'many'": ("asks = lambda *_: 'many'", "not a number of questions"),
    "30000": ("asks = 30000", "not a function"),
    "lambda s, cost, nap: s / nap": (
        "asks = lambda s, cost, nap: s / nap",
        "ZeroDivisionError",
    ),
}
