"""Answers to exercise 05-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## waiting
def waiting(made, served, seconds, maxsize):
    return min(max(0, made - served) * seconds, maxsize or float('inf'))
"""

WRONG = """
## one less than the bound => and for how long
waiting = lambda made, served, seconds, maxsize: min(max(0, made - served) * seconds, maxsize - 1 if maxsize else float('inf'))
## the bound added to the growth => put() waits at the bound
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds + maxsize
## the share that is not served => how many more come than go per second
-    growth = max(0, made - served) * seconds
+    growth = max(0, 1 - served / made) * seconds
## full whenever there is a bound => how many more come than go per second
def waiting(made, served, seconds, maxsize):
    return maxsize or max(0, made - served) * seconds
## negative when the consumer is faster => shorter than
-    growth = max(0, made - served) * seconds
+    growth = (made - served) * seconds
## forgets the bound => waits at the bound
def waiting(made, served, seconds, maxsize):
    return max(0, made - served) * seconds
## 0 taken for a bound of none => means no bound
def waiting(made, served, seconds, maxsize):
    return min(max(0, made - served) * seconds, maxsize)
## forgets what has been served => those are all the items
def waiting(made, served, seconds, maxsize):
    return min(made * seconds, maxsize or made * seconds)
## lambda *_: None => returned no number
waiting = lambda *_: None
## lambda *_: 'many' => 'many', which is not a number
waiting = lambda *_: 'many'
## lambda *_: float('nan') => says nan
waiting = lambda *_: float('nan')
## lambda made: made => parameters
waiting = lambda made: made
## 12 => not a function
waiting = 12
"""
