"""Answers to exercise 04-modify, right and wrong."""

STUB = "jobs that wait can all wake in the same iteration"

RIGHT = """
## [4, 2]
(workers, maxsize) = [4, 2]
"""

WRONG = """
## five workers: late at a phase that ten samples miss => workers=5: the heartbeat
workers, maxsize = 5, 1
## five workers and a queue of two => jobs that wait can all wake in the same iteration
workers, maxsize = 5, 2
## three workers, too slow => fill the waiting time
workers, maxsize = 3, 1
## a queue of three => takes all that is in the queue
workers, maxsize = 4, 3
## one worker, on time and slow => the jobs take 6 s
workers, maxsize = 1, 1
## no bound => no bound at all
workers, maxsize = 4, 0
## a bound that is not small => get() on a queue that is not empty does not yield
workers, maxsize = 4, 10
## (0, 1) => somebody has to do the work
(workers, maxsize) = (0, 1)
## (4, 1.0) => whole number
(workers, maxsize) = (4, 1.0)
## (True, 1) => whole number
(workers, maxsize) = (True, 1)
## (..., ...) => still three dots
(workers, maxsize) = (..., ...)
## (10 ** 9, 1) => think smaller
(workers, maxsize) = (10 ** 9, 1)
"""
