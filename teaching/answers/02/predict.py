"""Answers to exercise 02-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "lambda w, j, s: (min(j, 3) if w == 'chain' e": "worst = lambda w, j, s: (min(j, 3) if w == 'chain' else j) * s",
}

WRONG = {
    "two jobs of a chain": (
        """
def worst(way, jobs, seconds):
    return (min(jobs, 2) if way == "chain" else jobs) * seconds
""",
        "one job runs in each iteration",
    ),
    "all but the job in which it fell due": (
        """
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs - 1) * seconds
""",
        "all jobs are ready in one iteration",
    ),
    "never late beside a chain": (
        """
def worst(way, jobs, seconds):
    return 0 if way == "chain" else jobs * seconds
""",
        "one job runs in each iteration",
    ),
    "three jobs even if there are fewer": (
        """
def worst(way, jobs, seconds):
    return 3 * seconds if way == "chain" else jobs * seconds
""",
        "a chain cannot make a beat later than all of its jobs",
    ),
    "half of them, as a mean": (
        """
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs) * seconds / 2
""",
        "all jobs are ready in one iteration",
    ),
    "a number instead of a function": ("worst = 4.5", "hand over worst itself"),
    "4.5": ("worst = 4.5", "not a function"),
    "lambda way, jobs, seconds: 'long'": (
        "worst = lambda way, jobs, seconds: 'long'",
        "which is not a number of seconds",
    ),
    "lambda way, jobs, seconds: None": (
        "worst = lambda way, jobs, seconds: None",
        "no number",
    ),
    "lambda w, j, s: (3 if w == 'chain' else j) *": (
        "worst = lambda w, j, s: (3 if w == 'chain' else j) * s",
        "a chain cannot make a beat later than all of its jobs",
    ),
    "lambda way, jobs: 1": ("worst = lambda way, jobs: 1", "compare the parameters"),
}
