"""Answers to exercise 05-modify, right and wrong."""

STUB = "what the queue has no room for waits in the producer"

RIGHT = """
## 5
maxsize = 5
"""

WRONG = """
## just too small => holds the producer for 0.40 s
maxsize = 3
## just too large => lie in the queue for 0.60 s
maxsize = 6
## half an item => it must be a whole number
maxsize = 4.5
## the smallest bound => holds the producer for 0.60 s
maxsize = 1
## no bound => no bound
maxsize = 0
## room for a whole burst => the last item of a full queue waits for all those before it
maxsize = 8
## not a number => replace the three dots in the cell above and run it
maxsize = None
## -1 => no bound
maxsize = -1
## 10 ** 9 => think smaller
maxsize = 10 ** 9
## 4.0 => whole number
maxsize = 4.0
## True => whole number
maxsize = True
"""
