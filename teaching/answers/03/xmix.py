"""Answers to exercise 03-xmix, right and wrong."""

# Why this works: Add the CPU seconds, each with its share, then divide. A mean of the
# *clients* is wrong, and latency plays no part.
SOLUTION = """
def clients(kinds, rate, busy):
    cpu = sum(share * seconds for share, _, seconds in kinds)
    return busy / (cpu * rate)
"""

STUB = "does it end with a return statement"

RIGHT = """
## adds up in a loop
def clients(kinds, rate, busy):
    used_by_one = 0.0
    for share, _latency, seconds in kinds:
        used_by_one += rate * share * seconds
    return busy / used_by_one
"""

WRONG = """
## divides by the latency => latency is not in it
def clients(kinds, rate, busy):
    latency = sum(share * seconds for share, seconds, _ in kinds)
    return busy / (latency * rate)
## averages the clients => do not average the clients of each kind
def clients(kinds, rate, busy):
    return sum(share / cpu for share, _, cpu in kinds) / rate * busy
## uses all of the core => only the part busy
def clients(kinds, rate, busy):
    return 1 / (sum(share * cpu for share, _, cpu in kinds) * rate)
## forgets the rate => what one client takes
def clients(kinds, rate, busy):
    return busy / sum(share * cpu for share, _, cpu in kinds)
"""
