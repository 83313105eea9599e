"""Answers to exercise 08-xbest, right and wrong."""

# Why this works: The low end of a range may not come true, so the high one is
# compared, with what was recorded too: a change that may bring nothing is left out. A
# change that matches nothing raises, and is passed by.
SOLUTION = """
def best(recording, victim, changes):
    highs = {}
    for change in changes:
        try:
            figure = recording.replay(change).figure(victim, "p99")
        except NothingMatchesError:
            continue
        if figure.high < figure.recorded:
            highs[change] = figure.high
    return min(highs, key=highs.get, default=None)
"""

STUB = "choose by the high end of the p"

RIGHT = """
## keeps the best so far
def best(recording, victim, changes):
    chosen, least = None, None
    for change in changes:
        try:
            figure = recording.replay(change).figure(victim, "p99")
        except NothingMatchesError:
            continue
        if figure.high < (figure.recorded if least is None else min(least, figure.recorded)):
            chosen, least = change, figure.high
    return chosen
"""

WRONG = """
## the low end => choose by the high end of the p99
-            highs[change] = figure.high
+            highs[change] = figure.low
## whatever comes out smallest => return None where that is no less
-        if figure.high < figure.recorded:
-            highs[change] = figure.high
+        highs[change] = figure.high
## the median => brings the p99 from 277 to 59 ms or less
-            figure = recording.replay(change).figure(victim, "p99")
+            figure = recording.replay(change).figure(victim, "p50")
## an error for what matches nothing => pass the change by
-        except NothingMatchesError:
+        except KeyError:
## words => return one of the changes, or None
-            highs[change] = figure.high
+            highs[str(change)] = figure.high
"""
