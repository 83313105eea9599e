"""Answers to exercise 04-xworkers, right and wrong."""

# Why this works: Two bounds. `(wait + cpu) / cpu`, rounded up, fill the thread. `late
# // cpu` is rounded down, since all may wake together. The smaller one, and at least
# one worker. The stub has the first bound only.
SOLUTION = """
def workers(wait, cpu, late):
    full = -(-(wait + cpu) // cpu)
    return max(1, min(full, late // cpu))
"""

STUB = "all workers may wake together"

RIGHT = {}

WRONG = {
    "to fill the thread, whatever it costs": (
        "def workers(wait, cpu, late): return -(-(wait + cpu) // cpu)",
        "all workers may wake together",
    ),
    "as many as may be late": (
        "def workers(wait, cpu, late): return max(1, late // cpu)",
        "more bring nothing",
    ),
    "rounds down": (
        """
def workers(wait, cpu, late):
    return max(1, min((wait + cpu) // cpu, late // cpu))
""",
        "the thread is not yet busy",
    ),
    "none": (
        """
def workers(wait, cpu, late):
    return min(-(-(wait + cpu) // cpu), late // cpu)
""",
        "at least one",
    ),
}
