"""Answers to exercise 01-predict, right and wrong."""

STUB = "replace the three dots in the cell above and run it"

RIGHT = """
## 'aebdc'
order_of_letters = 'aebdc'
## 'A E B D C'
order_of_letters = 'A E B D C'
## 'A, E, B, D, C'
order_of_letters = 'A, E, B, D, C'
## list('AEBDC')
order_of_letters = list('AEBDC')
"""

WRONG = """
## what the first callback makes ready comes next => B is made ready during the first iteration
order_of_letters = "ABECD"
## the timers before what was made ready meanwhile => B is made ready during the first iteration
order_of_letters = "ADCEB"
## every callback twice => five callbacks run
order_of_letters = "AABBCCDDEE"
## timers in the order in which they were set => two timers that are both due become ready
order_of_letters = "AEBCD"
## due timers before what is ready => B was ready before the loop looked at its timers again
order_of_letters = "AEDCB"
## in the order of the lines => which callback is the first in the ready
order_of_letters = "CDABE"
## a letter is missing => five callbacks run
order_of_letters = "AEBD"
## 5 => not a string
order_of_letters = 5
## 'ABC' => each of the letters
order_of_letters = 'ABC'
## 'AEBDCC' => each of the letters
order_of_letters = 'AEBDCC'
## 'EABDC' => the first in the ready queue
order_of_letters = 'EABDC'
## ... => no answer yet
order_of_letters = ...
"""
