"""Each way to run jobs: an async context manager that gives a function to run them.

Entering it starts the workers and waits until every one of them has answered; leaving
it stops them and waits for their end.
"""
