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

RIGHT = {}

WRONG = {
    "all requests": (SOLUTION.replace("// 10", "// 1"), "take the slowest tenth"),
    "no part elsewhere": (
        SOLUTION.replace(
            '        "elsewhere": sum(one.elsewhere_ns for one in slowest),\n', ""
        ),
        "elsewhere_ns",
    ),
    "the fastest tenth": (
        SOLUTION.replace("one.total_ns)", "-one.total_ns)"),
        "you say",
    ),
    "a sum": (
        SOLUTION.replace("max(parts, key=parts.get)", "max(parts.values())"),
        "one of kernel, queue",
    ),
}
