"""Answers to exercise 02-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## a tuple
order = (4, 2, 6, 7, 9, 1)
"""

WRONG = """
## calls the product on the loop => hand over the function and its argument
order = [4, 2, 6, 3, 9, 1]
## asks for results that are not there => the futures of a loop are awaited
order = [4, 2, 6, 7, 9, 5]
## a pool of its own => the pool is a parameter
order = [4, 2, 8, 6, 7, 9, 1]
## a pool of its own, before the loop => the pool is a parameter
order = [4, 8, 2, 6, 7, 9, 1]
## no loop => six of the nine are used
order = [4, 6, 7, 9, 1]
## gathers first => the results
order = [4, 2, 1, 6, 7, 9]
## the numbers before the futures => look at the indents
order = [4, 2, 6, 9, 7, 1]
## 3 => not a list
order = 3
## [] => empty
order = []
## [4, ...] => not a line number
order = [4, ...]
## [4, 99] => no line 99
order = [4, 99]
## [4, 4] => twice
order = [4, 4]
## [2, 4] => cannot come first
order = [2, 4]
## [4, 2, 6] => 3 lines are missing
order = [4, 2, 6]
## [4, 2, 6, 7, 9] => 1 line is missing
order = [4, 2, 6, 7, 9]
## [4, 6, 2, 7, 9, 1] => syntax error
order = [4, 6, 2, 7, 9, 1]
## [4, 1, 2, 6, 7, 9] => before it has a value
order = [4, 1, 2, 6, 7, 9]
"""
