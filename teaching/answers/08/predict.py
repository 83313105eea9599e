"""Answers to exercise 08-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = {
    "lambda jobs, cpu: sum((n * cpu for n in rang": "waited = lambda jobs, cpu: sum((n * cpu for n in range(jobs)))",
}

WRONG = {
    "only the job before": (
        """
def waited(jobs, cpu):
    return cpu
""",
        "one job alone waits for nobody",
    ),
    "the last one's wait": (
        """
def waited(jobs, cpu):
    return (jobs - 1) * cpu
""",
        "the first waits for nobody",
    ),
    "the makespan": (
        """
def waited(jobs, cpu):
    return jobs * cpu
""",
        "the first waits for nobody",
    ),
}
