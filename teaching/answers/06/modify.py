"""Answers to exercise 06-modify, right and wrong."""

STUB = "sixty questions per second"

RIGHT = """
## 0.017
nap = 0.017
## 0.024
nap = 0.024
"""

WRONG = """
## hardly any => is hardly one
nap = 0.00005
## half a millisecond too long => waits for the whole nap
nap = 0.0255
## a little too often => sixty questions per second
nap = 0.016
## a little too late => a message that comes just after a question
nap = 0.027
## less than nothing => give a positive number
nap = -0.02
## the famous millisecond => sixty questions per second
nap = 0.001
## no nap => sixty questions per second
nap = 0
## too long => a message that comes just after a question
nap = 0.050
## milliseconds for seconds => think of milliseconds
nap = 20
## not a number => for example
nap = 'short'
## -1 => nobody sleeps for -1 s
nap = -1
## float('nan') => nobody sleeps
nap = float('nan')
## True => not a number of seconds
nap = True
"""
