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

RIGHT = {}

WRONG = {
    "one iteration": (
        "def worst(jobs, slices, cpu): return jobs * cpu / slices",
        "touches three iterations",
    ),
    "always three": (
        "def worst(jobs, slices, cpu): return 3 * jobs * cpu / slices",
        "there are fewer full iterations",
    ),
    "one slice of one job": (
        "def worst(jobs, slices, cpu): return cpu / slices",
        "one iteration runs a slice of every job",
    ),
}
