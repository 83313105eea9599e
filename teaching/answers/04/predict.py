"""Answers to exercise 04-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "lateness": """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - (interval - beat_phase))
""",
}

WRONG = {
    "takes off the whole interval": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval)
""",
        "had passed when the storm began",
    ),
    "the phase as a share of the interval": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval * (1 - beat_phase))
""",
        "interval 0.5 s",
    ),
    "one job": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return cpu if jobs else 0.0
""",
        "the jobs need jobs x cpu seconds in all",
    ),
    "the whole storm": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu
""",
        "how long the whole storm",
    ),
    "takes off what has passed instead of what is left": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - beat_phase)
""",
        "what is left of the interval",
    ),
    "never in time": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu - (interval - beat_phase)
""",
        "never less",
    ),
    "stub lateness": (
        """
def lateness(jobs, cpu, beat_phase, interval):
    ...
""",
        "returned no number",
    ),
    "lambda jobs, cpu, beat_phase, interval: '1.5": (
        "lateness = lambda jobs, cpu, beat_phase, interval: '1.5'",
        "not a number",
    ),
    "lambda jobs, cpu, beat_phase, interval: floa": (
        "lateness = lambda jobs, cpu, beat_phase, interval: float('nan')",
        "says nan",
    ),
    "lambda jobs, cpu: 1.5": ("lateness = lambda jobs, cpu: 1.5", "parameters"),
    "lambda jobs, cpu, beat_phase, interval: obje": (
        "lateness = lambda jobs, cpu, beat_phase, interval: object()",
        "<object object>, which",
    ),
    "1.5": ("lateness = 1.5", "not a function"),
}
