"""Grade the exercises of handed-in labs: ``python -m ontime.grade``.

The outputs in a notebook are not looked at.  Each answer runs again, in a process of
its own with limits of time and memory, and where the system allows it without network,
without writing files and without starting processes::

    grader = Grader()
    exercises = read_labs(Path("notebooks"))
    grader.grade(exercises["04-modify"], "workers, maxsize = 4, 1")
    # Grade(status='passed', reason='...', graded='apart')

* :mod:`.notebook`: read a submission and find its answers;
* :mod:`.labs`: the exercises they answer;
* :mod:`.grading`: how an answer is graded, and what a grade can be;
* :mod:`.child` and :mod:`.inside`: the two sides of a process for an answer;
* :mod:`.walls` and :mod:`.syscalls`: what is taken away from it;
* :mod:`.screen` and :mod:`.snapshot`: traces of an answer that deceives its check;
* :mod:`.table`: the grades as CSV.
"""

from .child import Limits
from .grading import STATUSES, Grade, Grader
from .labs import Exercise, LabError, read_labs
from .table import Row

__all__ = [
    "STATUSES",
    "Exercise",
    "Grade",
    "Grader",
    "LabError",
    "Limits",
    "Row",
    "read_labs",
]
