"""Answers to exercise 03-fix, right and wrong."""

STUB = "while a request waits"

RIGHT = {
    "whole clients": "clients = lambda latency, waiting, rate: int(1 / (latency - waiting) / rate)",
    "lambda latency, waiting, rate: 1 / (latency ": "clients = lambda latency, waiting, rate: 1 / (latency - waiting) / rate",
}

WRONG = {
    "takes all of the latency for CPU time": (
        """
def clients(latency, waiting, rate):
    return 1 / (latency * rate)
""",
        "free for others",
    ),
    "adds the waiting": (
        """
def clients(latency, waiting, rate):
    return 1 / ((latency + waiting) * rate)
""",
        "CPU time is what is left of the latency without the waiting",
    ),
    "the rate is forgotten": (
        """
def clients(latency, waiting, rate):
    return 1 / (latency - waiting)
""",
        "costs twice as much",
    ),
    "the rate the wrong way round": (
        """
def clients(latency, waiting, rate):
    return rate / (latency - waiting)
""",
        "fewer clients",
    ),
    "leaves room, as one should when planning": (
        "clients = lambda latency, waiting, rate: 0.8 / (latency - waiting) / rate",
        "the whole core",
    ),
    "lambda *_: None": ("clients = lambda *_: None", "returned no number"),
}
