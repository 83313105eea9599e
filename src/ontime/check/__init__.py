"""The check behind each exercise.

A reader hands an answer to :func:`check` and gets a :class:`Verdict`::

    check("04-predict", lateness)
    # not yet: for 20 jobs your function says -0.3 s. Hint: ...

A wrong answer never raises: an exception in it, a deadlock, a loop without an end on
the virtual clock, a forgotten ``await`` or an untouched stub all become a "not yet"
that says what was seen and where to look.  Answers are run on the virtual clock, so a
verdict is the same on every machine.  (One thing cannot be caught: a loop that never
awaits, such as ``while True: pass``, holds the interpreter; stop the cell.)

* :mod:`.verdict`: what a check says;
* :mod:`.registry`: the checks by name;
* :mod:`.tools`: run an answer, and see what it did;
* :mod:`.parsons`: lines to be put in order;
* a folder for each chapter, with a module for each of its exercises, which register
  themselves with :func:`exercise` and say in their docstrings what an answer must be;
* :mod:`.bank`: the extra exercises for teachers, in the same form.

Standard library only.
"""

from .registry import check, exercise, exercises, extra_exercises
from .verdict import NotYet, Verdict

__all__ = [
    "NotYet",
    "Verdict",
    "check",
    "exercise",
    "exercises",
    "extra_exercises",
]
