"""Answers to exercise 07-xdue, right and wrong."""

# Why this works: A job that cannot be in time any more would only take the time of
# another, so it is passed by. Among the rest the earliest deadline first is in time
# whenever it can be; min takes a default for the empty list.
SOLUTION = """
def next_job(ready, now):
    able = [place for place, (cost, due) in enumerate(ready)
            if now + cost <= due]
    return min(able, key=lambda place: ready[place][1], default=None)
"""

STUB = "a job that cannot be in time any"

RIGHT = """
## sorted by deadline
def next_job(ready, now):
    by_due = sorted(range(len(ready)), key=lambda place: ready[place][1])
    for place in by_due:
        cost, due = ready[place]
        if due - now >= cost:
            return place
    return None
"""

WRONG = """
## returns 7 => jobs it named number
-    return min(able, key=lambda place: ready[place][1], default=None)
+    return 7
## the shortest first => the earliest deadline first
-    return min(able, key=lambda place: ready[place][1], default=None)
+    return min(able, key=lambda place: ready[place][0], default=None)
## first come, first served => in time
def next_job(ready, now):
    return 0
## a job, not a place => a place in ready, or None
def next_job(ready, now):
    able = [place for (cost, due), place in zip(ready, ready)
            if now + cost <= due]
    return min(able, key=lambda place: place[1], default=None)
"""
