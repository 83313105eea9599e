"""Answers to exercise 06-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## lambda s, cost, nap: 1 + s / (nap + cost)
asks = lambda s, cost, nap: 1 + s / (nap + cost)
"""

WRONG = """
## a nap or a cost => from one question to the next
asks = lambda seconds, cost, nap: seconds / (nap or cost)
## once a nap, whatever a callback costs => with a nap of
def asks(seconds, cost, nap):
    return seconds / (nap or 1)
## a fifth too often => one callback is one question
asks = lambda seconds, cost, nap: 1.2 * seconds / (nap + cost)
## a nap in milliseconds => how long is it from one question to the next
def asks(seconds, cost, nap):
    return seconds / (1000 * nap + cost)
## a thousand times a second => with a nap of
def asks(seconds, cost, nap):
    return 1000 * seconds
## forgets the nap => during a nap nobody asks
def asks(seconds, cost, nap):
    return seconds / cost
## lambda s, cost, nap: s / cost => during a nap nobody asks
asks = lambda s, cost, nap: s / cost
## lambda s, cost, nap: s / (2 * nap + cost) => from one question to the next
asks = lambda s, cost, nap: s / (2 * nap + cost)
## lambda *_: None => returned no number
asks = lambda *_: None
## lambda *_: 'many' => not a number of questions
asks = lambda *_: 'many'
## 30000 => not a function
asks = 30000
## lambda s, cost, nap: s / nap => ZeroDivisionError
asks = lambda s, cost, nap: s / nap
"""
