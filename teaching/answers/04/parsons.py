"""Answers to exercise 04-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## tuple(ORDER)
ORDER = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
order = tuple(ORDER)
## [7, 4, 10, 6, 14, 2, 13, 8, 11, 1, 5, 15, 9]
order = [7, 4, 10, 6, 14, 2, 13, 8, 11, 1, 5, 15, 9]
"""

WRONG = """
## workers before anybody can be told => waits for ever
order = [7, 13, 4, 10, 6, 14, 2, 11, 1, 8, 5, 15, 9]
## waits before anything is put => of 20 jobs were done
order = [7, 13, 4, 10, 6, 14, 2, 8, 5, 11, 1, 15, 9]
## never says that a job is done => waits for ever
order = [7, 13, 4, 10, 6, 14, 8, 11, 1, 5, 15, 9]
## a queue without a bound => s late
order = [7, 3, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
## get() without await => without await
order = [7, 13, 4, 10, 12, 14, 2, 8, 11, 1, 5, 15, 9]
## nobody cancels the workers => leaves 4 workers behind
order = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5]
## a job is called done before it is => before it is
order = [7, 13, 4, 10, 6, 2, 14, 8, 11, 1, 5, 15, 9]
## list(range(1, 16)) => cannot stand at place 1
order = list(range(1, 16))
## [] => the list is empty
order = []
## [7, 7] => twice
order = [7, 7]
## [0] => there is no line 0
order = [0]
## [7, 16] => there is no line 16
order = [7, 16]
## ['async def'] => is not a line number
order = ['async def']
## 7 => not a list
order = 7
## [n for n in ORDER if n != 13] => misspelt
ORDER = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
order = [n for n in ORDER if n != 13]
"""
