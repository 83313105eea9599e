"""Answers to exercise 07-xage, right and wrong."""

# Why this works: The level grows with the time that was waited, a tenth of a level in
# a second. max returns the first of equal ones, and the list is in the order in which
# the jobs came.
SOLUTION = """
def next_job(waiting, now):
    def aged(place):
        level, since = waiting[place]
        return level + (now - since) / 10

    return max(range(len(waiting)), key=aged)
"""

STUB = "a job that waits rises"

RIGHT = """
## a loop over the jobs that wait
def next_job(waiting, now):
    best = 0
    for place, (level, since) in enumerate(waiting):
        first = waiting[best]
        if level - since / 10 > first[0] - first[1] / 10:
            best = place
    return best
"""

WRONG = """
## returns 7 => jobs it named number
-    return max(range(len(waiting)), key=aged)
+    return 7
## the oldest => is not first at once
-        return level + (now - since) / 10
+        return now - since
## by whole levels => gradually
-        return level + (now - since) / 10
+        return level + (now - since) // 10
## the last of equals => among equals the first to come
-    return max(range(len(waiting)), key=aged)
+    return max(reversed(range(len(waiting))), key=aged)
## it returns the job => a place: 0 for the first
def next_job(waiting, now):
    return max(waiting)
"""
