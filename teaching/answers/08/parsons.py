"""Answers to exercise 08-parsons, right and wrong."""

STUB = "begin with the line that has no indent"

RIGHT = """
## a tuple
order = (4, 2, 6, 5, 1)
"""

WRONG = """
## a line after the return => is each of them reached
order = [4, 2, 6, 5, 1, 7]
## moves the victim => the job that waits, or the job that it waits for
order = [4, 2, 8, 5, 1]
## accuses the least => blame() has the worst first
order = [4, 3, 6, 5, 1]
## no change => which of the two should go to a thread
order = [4, 2, 7, 5, 1]
## returns nothing => the last line says what was found
order = [4, 2, 6, 5]
## asks before it knows whom => a line stands before the one it needs
order = [4, 6, 2, 5, 1]
## [2, 4, 6, 5, 1] => cannot stand at place 1
order = [2, 4, 6, 5, 1]
## [4, 2, 6, 1] => 'figure'
order = [4, 2, 6, 1]
"""
