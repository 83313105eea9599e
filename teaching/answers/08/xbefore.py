"""Answers to exercise 08-xbefore, right and wrong."""

# Why this works: Without the same schedule the two were asked different things. What
# had no answer counts as infinite: left out, a service that refuses its slow requests
# would look better.
SOLUTION = """
def p99(measured):
    found = sorted(float("inf") if latency is None else latency
                   for _, latency in measured)
    return found[int(0.99 * len(found))]

def compare(before, after):
    moments = [sorted(due for due, _ in one) for one in (before, after)]
    if moments[0] != moments[1]:
        return "not comparable"
    return "better" if p99(after) < p99(before) else "no better"
"""

STUB = "no answer is no fast one"

RIGHT = """
## counts how many were slower
def compare(before, after):
    if sorted(due for due, _ in before) != sorted(due for due, _ in after):
        return "not comparable"
    def p99(measured):
        slower = len(measured) - 1 - int(0.99 * len(measured))
        latencies = [float("inf") if seen is None else seen for _, seen in measured]
        for _ in range(slower):
            latencies.remove(max(latencies))
        return max(latencies)
    return ["no better", "better"][p99(before) > p99(after)]
"""

WRONG = """
## without: return 'better' if p99(after) < p99(befo => one of 'better'
-    return "better" if p99(after) < p99(before) else "no better"
+    pass
## no answer is left out => it took for ever
-    found = sorted(float("inf") if latency is None else latency
-                   for _, latency in measured)
+    found = sorted(latency
+                   for _, latency in measured
+                   if latency is not None)
## the mean => hides the slow ones
-    return found[int(0.99 * len(found))]
+    return sum(found)
## the median => and it is better
-    return found[int(0.99 * len(found))]
+    return found[int(0.5 * len(found))]
## any load => a client that asks less
-    if moments[0] != moments[1]:
+    if False:
## the same number => the client waited for each answer
-    if moments[0] != moments[1]:
+    if len(before) != len(after):
## the same order => in whichever order
-    moments = [sorted(due for due, _ in one) for one in (before, after)]
+    moments = [[due for due, _ in one] for one in (before, after)]
"""
