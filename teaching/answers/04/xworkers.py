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

RIGHT = """
## looks for the first that is enough
def workers(wait, cpu, late):
    number = 1
    while number * cpu < wait + cpu and (number + 1) * cpu <= late:
        number += 1
    return number
"""

WRONG = """
## to fill the thread, whatever it costs => all workers may wake together
def workers(wait, cpu, late): return -(-(wait + cpu) // cpu)
## as many as may be late => more bring nothing
def workers(wait, cpu, late): return max(1, late // cpu)
## rounds down => the thread is not yet busy
def workers(wait, cpu, late):
    return max(1, min((wait + cpu) // cpu, late // cpu))
## none => at least one
def workers(wait, cpu, late):
    return min(-(-(wait + cpu) // cpu), late // cpu)
"""
