"""Answers to exercise 04-xslices, right and wrong."""

# Why this works: An iteration runs one slice of every job, `jobs * cpu / slices`
# seconds. A beat meets three such iterations, or all of them if there are fewer:
# `min(3, slices)`. The stub adds up all the work, as if the loop never looked at its
# timers.
SOLUTION = """
def worst(jobs, slices, cpu):
    return jobs * cpu / slices * min(3, slices)
"""

STUB = "after each slice the loop looks at its timers"

RIGHT = """
## the slices of the first three iterations, one by one
def worst(jobs, slices, cpu):
    return sum(jobs * (cpu / slices) for _ in range(slices)[:3])
"""

WRONG = """
## one iteration => touches three iterations
def worst(jobs, slices, cpu): return jobs * cpu / slices
## always three => there are fewer full iterations
def worst(jobs, slices, cpu): return 3 * jobs * cpu / slices
## one slice of one job => one iteration runs a slice of every job
def worst(jobs, slices, cpu): return cpu / slices
"""
