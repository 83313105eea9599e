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

RIGHT = {
    "a loop over the culprits": """
def culprit(recording, victim):
    waited = {one.name: one.waited for one in recording.blame(victim)}
    worst = max(waited, key=waited.get)
    return worst if waited[worst] > 0 else None
""",
}

WRONG = {
    "the worst of all": (
        SOLUTION.replace("blame(victim)", "blame()"),
        "and not this victim",
    ),
    "the longest": (
        """
def culprit(recording, victim):
    return max(recording.blame(victim), key=lambda one: one.longest).name
""",
        "at times when nobody is due",
    ),
    "always somebody": (
        SOLUTION.replace(" if worst.waited else None", ""),
        "the victim waited for nobody",
    ),
    "never anybody": (
        """
def culprit(recording, victim):
    return None
""",
        "you accuse nobody",
    ),
    "the culprit itself": (
        SOLUTION.replace("worst.name if", "worst if"),
        "return a name, or None",
    ),
}
