"""Answers to exercise 08-xalibi, right and wrong."""

# Why this works: blame(victim) ranks by what this victim waited, and not by what was
# held. Who holds the loop while nobody is due has made nobody wait; and who waited
# for nobody has no culprit.
SOLUTION = """
def culprit(recording, victim):
    worst = recording.blame(victim)[0]
    return worst.name if worst.waited else None
"""

STUB = "it holds the loop for longest"

RIGHT = """
## a loop over the culprits
def culprit(recording, victim):
    waited = {one.name: one.waited for one in recording.blame(victim)}
    worst = max(waited, key=waited.get)
    return worst if waited[worst] > 0 else None
"""

WRONG = """
## the worst of all => and not this victim
-    worst = recording.blame(victim)[0]
+    worst = recording.blame()[0]
## the longest => at times when nobody is due
def culprit(recording, victim):
    return max(recording.blame(victim), key=lambda one: one.longest).name
## always somebody => the victim waited for nobody
-    return worst.name if worst.waited else None
+    return worst.name
## never anybody => you accuse nobody
def culprit(recording, victim):
    return None
## the culprit itself => return a name, or None
-    return worst.name if worst.waited else None
+    return worst if worst.waited else None
"""
