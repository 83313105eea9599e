"""Answers to exercise 02-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## lambda w, j, s: (min(j, 3) if w == 'chain' e
worst = lambda w, j, s: (min(j, 3) if w == 'chain' else j) * s
"""

WRONG = """
## two jobs of a chain => one job runs in each iteration
def worst(way, jobs, seconds):
    return (min(jobs, 2) if way == "chain" else jobs) * seconds
## all but the job in which it fell due => all jobs are ready in one iteration
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs - 1) * seconds
## never late beside a chain => one job runs in each iteration
def worst(way, jobs, seconds):
    return 0 if way == "chain" else jobs * seconds
## three jobs even if there are fewer => a chain cannot make a beat later than all of its jobs
def worst(way, jobs, seconds):
    return 3 * seconds if way == "chain" else jobs * seconds
## half of them, as a mean => all jobs are ready in one iteration
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs) * seconds / 2
## a number instead of a function => hand over worst itself
worst = 4.5
## lambda way, jobs, seconds: 'long' => which is not a number of seconds
worst = lambda way, jobs, seconds: 'long'
## lambda way, jobs, seconds: None => no number
worst = lambda way, jobs, seconds: None
## lambda w, j, s: (3 if w == 'chain' else j) * => a chain cannot make a beat later than all of its jobs
worst = lambda w, j, s: (3 if w == 'chain' else j) * s
## lambda way, jobs: 1 => compare the parameters
worst = lambda way, jobs: 1
"""
