"""Answers to exercise 03-xmix, right and wrong."""

# Why this works: Add the CPU seconds, each with its share, then divide. A mean of the
# *clients* is wrong, and latency plays no part.
SOLUTION = """
def clients(kinds, rate, busy):
    cpu = sum(share * seconds for share, _, seconds in kinds)
    return busy / (cpu * rate)
"""

STUB = "does it end with a return statement"

RIGHT = {}

WRONG = {
    "divides by the latency": (
        """
def clients(kinds, rate, busy):
    latency = sum(share * seconds for share, seconds, _ in kinds)
    return busy / (latency * rate)
""",
        "latency is not in it",
    ),
    "averages the clients": (
        """
def clients(kinds, rate, busy):
    return sum(share / cpu for share, _, cpu in kinds) / rate * busy
""",
        "do not average the clients of each kind",
    ),
    "uses all of the core": (
        """
def clients(kinds, rate, busy):
    return 1 / (sum(share * cpu for share, _, cpu in kinds) * rate)
""",
        "only the part busy",
    ),
    "forgets the rate": (
        """
def clients(kinds, rate, busy):
    return busy / sum(share * cpu for share, _, cpu in kinds)
""",
        "what one client takes",
    ),
}
