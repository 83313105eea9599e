"""Answers to exercise 01-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## tuple(RIGHT)
RIGHT = [5, 10, 6, 2, 4, 9, 8, 11, 1]
order = tuple(RIGHT)
"""

WRONG = """
## never calls => take each callback from the front of the
order = [5, 10, 6, 2, 4, 9, 8, 11]
## due timers are lost => make the due timers
order = [5, 10, 6, 2, 4, 8, 11, 1]
## takes a timer before it looks => a callback that is made ready during an
order = [5, 10, 6, 4, 2, 9, 8, 11, 1]
## runs until the queue is empty => a callback that is made ready during an
order = [5, 10, 6, 2, 4, 9, 3, 11, 1]
## last in, first out => the ready queue is first in
order = [5, 10, 6, 2, 4, 9, 8, 7, 1]
## runs before it looks at the timers => make the due timers
order = [5, 8, 11, 1, 10, 6, 2, 4, 9]
## 3 => not a list
order = 3
## [] => empty
order = []
## [5, ...] => not a line number
order = [5, ...]
## [5, True] => not a line number
order = [5, True]
## [5, 99] => no line 99
order = [5, 99]
## [5, 5] => twice
order = [5, 5]
## [5, 2, 10] => cannot stand at place
order = [5, 2, 10]
## [1, 5] => cannot stand
order = [1, 5]
## [5, 10, 6, 2, 4, 9] => ran nothing
order = [5, 10, 6, 2, 4, 9]
## [5, 6, 2, 4, 9, 8, 11, 1] => cannot stand
order = [5, 6, 2, 4, 9, 8, 11, 1]
## [5, 10, 6, 8, 4, 9, 2, 11, 1] => IndexError
order = [5, 10, 6, 8, 4, 9, 2, 11, 1]
"""
