"""Answers to exercise 04-modify, right and wrong."""

STUB = "jobs that wait can all wake in the same iteration"

RIGHT = {
    "(4, 1)": "(workers, maxsize) = (4, 1)",
    "[4, 2]": "(workers, maxsize) = [4, 2]",
}

WRONG = {
    "five workers: late at a phase that ten samples miss": (
        """
workers, maxsize = 5, 1
""",
        "with 5 workers the heartbeat",
    ),
    "five workers and a queue of two": (
        "workers, maxsize = 5, 2",
        "jobs that wait can all wake in the same iteration",
    ),
    "three workers, too slow": ("workers, maxsize = 3, 1", "fill the waiting time"),
    "a queue of three": ("workers, maxsize = 4, 3", "takes all that is in the queue"),
    "one worker, on time and slow": ("workers, maxsize = 1, 1", "the jobs take 6."),
    "no bound": ("workers, maxsize = 4, 0", "no bound at all"),
    "a bound that is not small": (
        "workers, maxsize = 4, 10",
        "get() on a queue that is not empty does not yield",
    ),
    "(0, 1)": ("(workers, maxsize) = (0, 1)", "somebody has to do the work"),
    "(4, 1.0)": ("(workers, maxsize) = (4, 1.0)", "whole number"),
    "(True, 1)": ("(workers, maxsize) = (True, 1)", "whole number"),
    "(..., ...)": ("(workers, maxsize) = (..., ...)", "still three dots"),
    "(10 ** 9, 1)": ("(workers, maxsize) = (10 ** 9, 1)", "think smaller"),
}
