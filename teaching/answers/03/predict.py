"""Answers to exercise 03-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## wall
def wall(parts, wait, cpu, at_once):
    waits = min(parts, 1) if at_once else parts
    return waits * wait + parts * cpu
"""

WRONG = """
## the longer of the two => add up the waiting and the computing separately
def wall(parts, wait, cpu, at_once):
    return max(wait, parts * cpu) if at_once else parts * (wait + cpu)
## no parts wait too => with no parts nobody waits
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if at_once else parts * (wait + cpu)
## the wait of the others is free => add up the waiting and the computing separately
def wall(parts, wait, cpu, at_once):
    return wait + parts * cpu if parts else 0
## computing at once, too => thread
def wall(parts, wait, cpu, at_once):
    return wait + cpu if at_once else parts * (wait + cpu)
## gather gains nothing => the same seconds
def wall(parts, wait, cpu, at_once):
    return parts * (wait + cpu)
## the CPU time is forgotten => add up the waiting and the computing separately
def wall(parts, wait, cpu, at_once):
    return wait if at_once else parts * wait
## lambda *_: None => returned no number
wall = lambda *_: None
## lambda *_: 'long' => 'long', which is not a number
wall = lambda *_: 'long'
## lambda n, wait, *_: n * wait => your function says 2.0000 s, the run 1.0000
wall = lambda n, wait, *_: n * wait
## 3 => the answer is 3, not a function
wall = 3
"""
