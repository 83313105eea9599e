"""Answers to exercise 08-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## lambda jobs, cpu: sum((n * cpu for n in rang
waited = lambda jobs, cpu: sum((n * cpu for n in range(jobs)))
"""

WRONG = """
## only the job before => one job alone waits for nobody
def waited(jobs, cpu):
    return cpu
## the last one's wait => the first waits for nobody
def waited(jobs, cpu):
    return (jobs - 1) * cpu
## the makespan => the first waits for nobody
def waited(jobs, cpu):
    return jobs * cpu
"""
