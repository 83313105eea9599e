"""Grade the exercises of handed-in labs: ``python -m ontime.grade``.

The outputs in a notebook are not looked at.  Each answer runs again, in a process of
its own with limits of time and memory::

    grader = Grader()
    exercises = read_labs(Path("notebooks"))
    grader.grade(exercises["04-modify"], Answer("workers, maxsize = 4, 1"))
    # Grade(status='passed', reason='...')

Careless code is kept from doing harm; for code that means harm, run all of it in a
container (``teaching/README.md`` has the line).
"""

from .grading import STATUSES, Grade, Grader
from .labs import Answer, Exercise, LabError, read_labs

__all__ = [
    "STATUSES", "Answer", "Exercise", "Grade", "Grader", "LabError", "read_labs",
]  # fmt: skip
