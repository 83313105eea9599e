"""Answers to exercise 07-modify, right and wrong."""

STUB = "while a message waits for"

RIGHT = """
## 4
limit = 4
## 6
limit = 6
## 7
limit = 7
"""

WRONG = """
## one computation more than a lease bears => wait for 8 computations, 3.2 s, and bears 3 s
limit = 8
## not quite enough => while a message waits for
limit = 2
## half a message => it must be a whole number
limit = 4.5
## one at a time => 3.55 times the floor
limit = 1
## as many as a lease has computations, and more => loses up to
limit = 9
## no limit => replace the three dots in the cell above and run it
limit = None
## 40 => one computation for each message
limit = 40
## 0 => lets nothing in
limit = 0
## -1 => lets nothing in
limit = -1
## 4.0 => whole number
limit = 4.0
## True => whole number
limit = True
"""
