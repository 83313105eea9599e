"""Answers to exercise 03-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "wall": """
def wall(parts, wait, cpu, at_once):
    waits = min(parts, 1) if at_once else parts
    return waits * wait + parts * cpu
""",
}

WRONG = {
    "the longer of the two": (
        """
def wall(parts, wait, cpu, at_once):
    return max(wait, parts * cpu) if at_once else parts * (wait + cpu)
""",
        "add up the waiting and the computing separately",
    ),
    "no parts wait too": (
        """
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if at_once else parts * (wait + cpu)
""",
        "with no parts nobody waits",
    ),
    "the wait of the others is free": (
        """
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if parts else 0
""",
        "add up the waiting and the computing separately",
    ),
    "computing at once, too": (
        """
def wall(parts, wait, cpu, at_once):
    return wait + cpu if at_once else parts * (wait + cpu)
""",
        "thread",
    ),
    "gather gains nothing": (
        """
def wall(parts, wait, cpu, at_once):
    return parts * (wait + cpu)
""",
        "the same seconds",
    ),
    "the CPU time is forgotten": (
        """
def wall(parts, wait, cpu, at_once):
    return wait if at_once else parts * wait
""",
        "add up the waiting and the computing separately",
    ),
    "lambda *_: None": ("wall = lambda *_: None", "returned no number"),
    "lambda *_: 'long'": ("wall = lambda *_: 'long'", "'long', which is not a number"),
    "lambda n, wait, *_: n * wait": (
        "wall = lambda n, wait, *_: n * wait",
        "your function says 2.0000 s, the run 1.0000",
    ),
    "3": ("wall = 3", "the answer is 3, not a function"),
}
