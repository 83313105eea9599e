"""Answers to exercise 05-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## tuple(ORDER)
ORDER = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]
order = tuple(ORDER)
"""

WRONG = """
## the sink is never called => after a line that ends in a colon
order = [7, 9, 5, 12, 4, 8, 10, 1, 6]
## says the end before the items => waits for ever
order = [7, 9, 5, 12, 4, 2, 8, 6, 10, 1]
## both queues => one of the two queues has no bound
order = [7, 9, 3, 5, 12, 4, 2, 8, 10, 1, 6]
## a queue without a bound => has no bound
order = [7, 3, 5, 12, 4, 2, 8, 10, 1, 6]
## does not wait for room => QueueFull
order = [7, 9, 5, 12, 4, 2, 8, 10, 11, 6]
## never says that it is the end => waits for ever
order = [7, 9, 5, 12, 4, 2, 8, 10, 1]
## [] => the list is empty
order = []
## [7, 7] => twice
order = [7, 7]
## [0] => there is no line 0
order = [0]
## ['async def'] => is not a line number
order = ['async def']
## 7 => not a list
order = 7
## list(range(1, 13)) => cannot stand at place 1
order = list(range(1, 13))
## [9] => cannot stand at place 1
order = [9]
## [n for n in ORDER if n != 9] => misspelt
ORDER = [7, 9, 5, 12, 4, 2, 8, 10, 1, 6]
order = [n for n in ORDER if n != 9]
## the end before the items => each item that is put must be taken
order = [7, 3, 5, 12, 4, 2, 8, 6, 10, 1]
"""
