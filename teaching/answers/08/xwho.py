"""Answers to exercise 08-xwho, right and wrong."""

# Why this works: A has sixty short callbacks in one iteration: a queue holds them
# back. B has few long ones that compute: a thread. C runs again and again and does
# nothing: it should wait for something. For D nobody held the loop: look elsewhere.
SOLUTION = """
remedies = {
    "A": "queue",
    "B": "thread",
    "C": "wait",
    "D": "elsewhere",
}
"""

STUB = "there are thread"

RIGHT = """
## two lists
remedies = dict(zip("ABCD", ["queue", "thread", "wait", "elsewhere"]))
"""

WRONG = """
## a thread for all => how many callbacks did the first line run
remedies = dict.fromkeys('ABCD', 'thread')
## a queue for a long callback => hold the loop at a time
-    "B": "thread",
+    "B": "queue",
## a thread for what spins => did with its time
-    "C": "wait",
+    "C": "thread",
## a culprit where there is none => did anybody wait for the loop?
-    "D": "elsewhere",
+    "D": "queue",
## one is missing => judge all four
remedies = {'A': 'queue'}
## a word of one's own => 'faster' is not a remedy
-    "A": "queue",
+    "A": "faster",
"""
