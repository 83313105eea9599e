"""Answers to exercise 03-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## a tuple
order = (5, 7, 9, 2, 4, 1)
"""

WRONG = """
## the clock is set behind the return => start is read before it is set
order = [5, 7, 2, 4, 1, 9]
## the clock starts in the loop => after a line that ends in a colon
order = [5, 7, 2, 9, 4, 1]
## returns before it has called => the loop must await work() again and again
order = [5, 7, 9, 1, 2, 4]
## no first call => the first call fills caches and costs more
order = [5, 9, 2, 4, 1]
## wall time => read from the same clock
order = [5, 7, 3, 2, 4, 1]
## the first call counts => the first call fills caches
order = [5, 9, 7, 2, 4, 1]
## all calls together => the cost of all calls together
order = [5, 7, 9, 2, 4, 6]
## never awaited => without await
order = [5, 7, 9, 2, 8, 1]
## [] => the list is empty
order = []
## [5, 7, 10] => there is no line 10
order = [5, 7, 10]
## [7, 5] => cannot stand at place
order = [7, 5]
## [9, 1] => after a line that ends in a colon
order = [9, 1]
## [5, 9, 7, 1] => again and again
order = [5, 9, 7, 1]
## [5, 7, 2, 4, 1] => start
order = [5, 7, 2, 4, 1]
## [5, 7, 9, 2, 4] => returned no number
order = [5, 7, 9, 2, 4]
"""
