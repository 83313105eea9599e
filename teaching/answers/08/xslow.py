"""Answers to exercise 08-xslow, right and wrong."""

# Why this works: An average is made by the many that are fast. So the slowest are
# chosen first, and only then the parts are added up, all four of them: elsewhere is
# one of the parts.
SOLUTION = """
def slow_part(requests):
    slowest = sorted(requests, key=lambda one: one.total_ns)
    slowest = slowest[-max(1, len(requests) // 10):]
    parts = {
        "kernel": sum(one.kernel_ns for one in slowest),
        "queue": sum(one.queue_ns for one in slowest),
        "ran": sum(one.ran_ns for one in slowest),
        "elsewhere": sum(one.elsewhere_ns for one in slowest),
    }
    return max(parts, key=parts.get)
"""

STUB = "that is what most requests do"

RIGHT = """
## by attribute
def slow_part(requests):
    count = max(1, len(requests) // 10)
    slowest = sorted(requests, key=lambda request: -request.total_ns)[:count]
    def of_all(part):
        return sum(getattr(request, part + "_ns") for request in slowest)
    return max(("kernel", "queue", "ran", "elsewhere"), key=of_all)
"""

WRONG = """
## all requests => take the slowest tenth
-    slowest = slowest[-max(1, len(requests) // 10):]
+    slowest = slowest[-max(1, len(requests) // 1):]
## no part elsewhere => elsewhere_ns
-        "elsewhere": sum(one.elsewhere_ns for one in slowest),
## the fastest tenth => you say
-    slowest = sorted(requests, key=lambda one: one.total_ns)
+    slowest = sorted(requests, key=lambda one: -one.total_ns)
## a sum => one of kernel, queue
-    return max(parts, key=parts.get)
+    return max(parts.values())
"""
