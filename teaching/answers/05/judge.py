"""Answers to exercise 05-judge, right and wrong."""

STUB = "there are bound"

RIGHT = {
    "RIGHT": "verdicts = {'broadcaster': 'bound', 'litestar': 'refuse', 'uvicorn': 'harmless', 'crawlee': 'end', 'discord.py': 'harmless'}",
}

WRONG = {
    "all are errors": (
        """
verdicts = dict.fromkeys(FINDINGS, "bound")
""",
        "a plain function cannot wait",
    ),
    "the linter is believed": (
        """
verdicts = {
    "broadcaster": "bound",
    "litestar": "refuse",
    "uvicorn": "harmless",
    "crawlee": "end",
    "discord.py": "refuse",
}
""",
        "discord.py",
    ),
    "a bound is enough where a task is cancelled": (
        """
verdicts = {
    "broadcaster": "bound",
    "litestar": "refuse",
    "uvicorn": "harmless",
    "crawlee": "bound",
    "discord.py": "harmless",
}
""",
        "nobody reads any more",
    ),
    "a word that is none": (
        """
verdicts = dict.fromkeys(FINDINGS, "fine")
""",
        "there are bound",
    ),
    "not all": (
        """
verdicts = {"broadcaster": "bound"}
""",
        "judge all five",
    ),
}
