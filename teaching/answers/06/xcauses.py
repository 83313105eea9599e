"""Answers to exercise 06-xcauses, right and wrong."""

# Why this works: Each setting is changed alone, and again with each choice of the
# others changed. A cause that stands behind another shows only when the other is
# taken away.
SOLUTION = """
from itertools import combinations

def causes(measure):
    other = {"interval": 0.1, "gap": 0.001, "cores": 9}
    found = set()
    for name in other:
        rest = [key for key in other if key != name]
        for count in 0, 1, 2:
            for changed in combinations(rest, count):
                setting = {key: other[key] for key in changed}
                without = measure(**setting)
                if measure(**setting, **{name: other[name]}) != without:
                    found.add(name)
    return found
"""

STUB = "a figure that fits is no proof"

RIGHT = """
## each of the programs takes 0.41 s
-    for name in other:
+    assert abs(measure() - 0.41) < 1e-9
+    for name in other:
"""

WRONG = """
## one at a time only => a cause can stand behind another
def causes(measure):
    usual = measure()
    other = {"interval": 0.1, "gap": 0.001, "cores": 9}
    return {name for name in other if measure(**{name: other[name]}) != usual}
## all at once => change one thing at a time
def causes(measure):
    if measure(interval=0.1, gap=0.001, cores=9) != measure():
        return {"interval", "gap", "cores"}
    return set()
## the name of a cause that is none => a set of names
def causes(measure):
    return {'strace'}
## measures again and again => eight will do
-    for name in other:
+    for name in list(other) * 20:
"""
