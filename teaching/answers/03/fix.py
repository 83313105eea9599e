"""Answers to exercise 03-fix, right and wrong."""

STUB = "while a request waits"

RIGHT = """
## whole clients
clients = lambda latency, waiting, rate: int(1 / (latency - waiting) / rate)
## rounded down by //
clients = lambda latency, waiting, rate: 1 // ((latency - waiting) * rate)
## lambda latency, waiting, rate: 1 / (latency
clients = lambda latency, waiting, rate: 1 / (latency - waiting) / rate
"""

WRONG = """
## takes all of the latency for CPU time => free for others
def clients(latency, waiting, rate):
    return 1 / (latency * rate)
## adds the waiting => CPU time is what is left of the latency without the waiting
def clients(latency, waiting, rate):
    return 1 / ((latency + waiting) * rate)
## the rate is forgotten => costs twice as much
def clients(latency, waiting, rate):
    return 1 / (latency - waiting)
## the rate the wrong way round => fewer clients
def clients(latency, waiting, rate):
    return rate / (latency - waiting)
## leaves room, as one should when planning => the whole core
clients = lambda latency, waiting, rate: 0.8 / (latency - waiting) / rate
## lambda *_: None => returned no number
clients = lambda *_: None
"""
