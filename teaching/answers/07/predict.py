"""Answers to exercise 07-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "lambda lease, every, count: (lease - every) ": "longest_round = lambda lease, every, count: (lease - every) / count",
    "lambda lease, every, n: 0.99 * (lease - ever": "longest_round = lambda lease, every, n: 0.99 * (lease - every) / n",
}

WRONG = {
    "the refresh alone": (
        """
def longest_round(lease, refresh_every, computations):
    return refresh_every / computations
""",
        "how late may the check be",
    ),
    "multiplied instead of divided": (
        """
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) * computations
""",
        "how late may the check be",
    ),
    "added": (
        """
def longest_round(lease, refresh_every, computations):
    return (lease + refresh_every) / computations
""",
        "how late may the check be",
    ),
    "the whole lease": (
        """
def longest_round(lease, refresh_every, computations):
    return lease / computations
""",
        "some time after the last renewal",
    ),
    "one computation only": (
        """
def longest_round(lease, refresh_every, computations):
    return lease - refresh_every
""",
        "more than one computation",
    ),
    "one computation too many": (
        """
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) / (computations + 1)
""",
        "are fine too",
    ),
    "lambda *_: None": ("longest_round = lambda *_: None", "returned no number"),
    "lambda *_: ...": ("longest_round = lambda *_: ...", "returned no number"),
    "lambda *_: 'long'": (
        "longest_round = lambda *_: 'long'",
        "'long', which is not a time",
    ),
    "lambda *_: 0": ("longest_round = lambda *_: 0", "0, which is not a time"),
    "lambda *_: float('nan')": (
        "longest_round = lambda *_: float('nan')",
        "nan, which is not a time",
    ),
    "lambda lease, every, n: 1.2 * (lease - every": (
        "longest_round = lambda lease, every, n: 1.2 * (lease - every) / n",
        "how late may the check",
    ),
    "lambda lease: lease": ("longest_round = lambda lease: lease", "parameters"),
    "12": ("longest_round = 12", "not a function"),
}
