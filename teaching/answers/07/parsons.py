"""Answers to exercise 07-parsons, right and wrong."""

STUB = "use whole numbers"

RIGHT = """
## tuple(ORDER)
ORDER = [5, 10, 2, 8, 11, 1, 6, 4]
order = tuple(ORDER)
"""

WRONG = """
## yields before it bids => bid before you yield
order = [5, 10, 2, 1, 6, 8, 11, 4]
## begins without a cookie of its own => misspelt
order = [5, 2, 8, 11, 1, 6, 4]
## takes the bid off at once => after a line that ends in a colon
order = [5, 10, 2, 8, 11, 4, 1, 6]
## never yields => the winner must see its own cookie twice in a row
order = [5, 10, 2, 8, 11, 6, 4]
## equal bids take each other's place => take the bid from each other
order = [5, 10, 2, 3, 11, 1, 6, 4]
## goes on as soon as it wins => an urgent task waited for 2.99 s
order = [5, 10, 7, 8, 11, 1, 6, 4]
## never takes the bid off => nobody ever has a turn
order = [5, 10, 2, 8, 11, 1, 6]
## looks before it has yielded => is the bid taken off
order = [5, 10, 2, 8, 11, 6, 1, 4]
## [] => the list is empty
order = []
## [5, 5] => twice
order = [5, 5]
## [0] => there is no line 0
order = [0]
## ['async def'] => is not a line number
order = ['async def']
## 5 => not a list
order = 5
## list(range(1, 12)) => cannot stand at place 1
order = list(range(1, 12))
## [5, 2] => cannot stand at place
order = [5, 2]
## [10] => cannot stand at place 1
order = [10]
"""
