"""Answers to exercise 06-parsons, right and wrong."""

STUB = "begin with the line that has no indent"

RIGHT = """
## tuple(ORDER)
ORDER = [5, 3, 7, 2, 1]
order = tuple(ORDER)
"""

WRONG = """
## judges before it counts => a line stands before the one it needs
order = [5, 3, 1, 7, 2]
## judges while it counts => after a line that ends in a colon
order = [5, 3, 7, 1, 2]
## never judges => one line asserts how many turns are allowed
order = [5, 3, 7, 2]
## no session => open the session first
order = [5, 7, 2, 1]
## judges a time => one line asserts how many turns are allowed
order = [5, 3, 7, 2, 4]
## the assert the wrong way round => turns.seconds is a time
order = [5, 3, 7, 2, 8]
## asks while it counts => a session is idle while nobody asks it anything
order = [5, 3, 7, 6, 2, 1]
## no time passes => after a line that ends in a colon
order = [5, 3, 7, 1]
## counts before there is a session => after a line that ends in a colon
order = [5, 7, 3, 2, 1]
## [] => the list is empty
order = []
## [5, 5] => twice
order = [5, 5]
## [9] => there is no line 9
order = [9]
## 'test' => is not a line number
order = 'test'
## [3] => cannot stand at place 1
order = [3]
## [5, 3, 7] => cannot stand at place
order = [5, 3, 7]
"""
