"""Answers to exercise 07-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## lambda lease, every, count: (lease - every)
longest_round = lambda lease, every, count: (lease - every) / count
## lambda lease, every, n: 0.99 * (lease - ever
longest_round = lambda lease, every, n: 0.99 * (lease - every) / n
"""

WRONG = """
## the refresh alone => how late may the check be
def longest_round(lease, refresh_every, computations):
    return refresh_every / computations
## multiplied instead of divided => how late may the check be
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) * computations
## added => how late may the check be
def longest_round(lease, refresh_every, computations):
    return (lease + refresh_every) / computations
## the whole lease => some time after the last renewal
def longest_round(lease, refresh_every, computations):
    return lease / computations
## one computation only => more than one computation
def longest_round(lease, refresh_every, computations):
    return lease - refresh_every
## one computation too many => are fine too
def longest_round(lease, refresh_every, computations):
    return (lease - refresh_every) / (computations + 1)
## lambda *_: None => returned no number
longest_round = lambda *_: None
## lambda *_: ... => returned no number
longest_round = lambda *_: ...
## lambda *_: 'long' => 'long', which is not a time
longest_round = lambda *_: 'long'
## lambda *_: 0 => 0, which is not a time
longest_round = lambda *_: 0
## lambda *_: float('nan') => nan, which is not a time
longest_round = lambda *_: float('nan')
## lambda lease, every, n: 1.2 * (lease - every => how late may the check
longest_round = lambda lease, every, n: 1.2 * (lease - every) / n
## lambda lease: lease => parameters
longest_round = lambda lease: lease
## 12 => not a function
longest_round = 12
"""
