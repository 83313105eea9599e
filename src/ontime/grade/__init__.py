"""Grade the exercises of handed-in labs: ``python -m ontime.grade``.

The outputs in a notebook are not looked at.  Each answer runs again, in a process of
its own with limits of time and memory::

    grader = Grader()
    exercises = read_labs(Path("notebooks"))
    grader.grade(exercises["04-modify"], Answer("workers, maxsize = 4, 1"))
    # Grade(status='passed', reason='...', graded='apart')

* :mod:`.notebook`: read a submission and find its answers;
* :mod:`.labs`: the exercises they answer, and their points;
* :mod:`.grading`: how an answer is graded, and what a grade can be;
* :mod:`.child` and :mod:`.inside`: the two sides of a process for an answer;
* :mod:`.table`: the gradebook, and a page of feedback for each student.

Careless code is kept from doing harm; for code that means harm, run all of it in a
container (``teaching/README.md`` has the line).
"""

from .child import Limits
from .grading import STATUSES, Grade, Grader
from .labs import Exercise, LabError, read_labs
from .notebook import Answer
from .table import Row

__all__ = [
    "STATUSES",
    "Answer",
    "Exercise",
    "Grade",
    "Grader",
    "LabError",
    "Limits",
    "Row",
    "read_labs",
]
