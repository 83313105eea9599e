"""Answers to exercise 06-modify, right and wrong."""

STUB = "sixty questions in a second"

RIGHT = {
    "0.017": "nap = 0.017",
    "0.02": "nap = 0.02",
    "0.024": "nap = 0.024",
}

WRONG = {
    "half a millisecond too long": ("nap = 0.0255", "waits for the whole nap"),
    "a little too often": ("nap = 0.016", "sixty questions in a second"),
    "a little too late": ("nap = 0.027", "a message that comes just after a question"),
    "less than nothing": ("nap = -0.02", "give a positive number"),
    "the famous millisecond": ("nap = 0.001", "sixty questions in a second"),
    "no nap": ("nap = 0", "sixty questions in a second"),
    "too long": ("nap = 0.050", "a message that comes just after a question"),
    "milliseconds for seconds": ("nap = 20", "think of milliseconds"),
    "not a number": ("nap = 'short'", "for example"),
    "0": ("nap = 0", "hardly is one"),
    "20": ("nap = 20", "think of milliseconds"),
    "-1": ("nap = -1", "nobody sleeps for -1 s"),
    "float('nan')": ("nap = float('nan')", "nobody sleeps"),
    "'short'": ("nap = 'short'", "not a number of seconds"),
    "True": ("nap = True", "not a number of seconds"),
}
