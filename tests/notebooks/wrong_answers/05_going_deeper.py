"""Plausible wrong answers to the exercise of going deeper in chapter 5."""

ANSWERS = {
    "05-judge": {
        "all are errors": """
verdicts = dict.fromkeys(FINDINGS, "bound")
""",
        "the linter is believed": """
verdicts = {
    "broadcaster": "bound",
    "litestar": "refuse",
    "uvicorn": "harmless",
    "crawlee": "end",
    "discord.py": "refuse",
}
""",
        "a bound is enough where a task is cancelled": """
verdicts = {
    "broadcaster": "bound",
    "litestar": "refuse",
    "uvicorn": "harmless",
    "crawlee": "bound",
    "discord.py": "harmless",
}
""",
        "a word that is none": """
verdicts = dict.fromkeys(FINDINGS, "fine")
""",
        "not all": """
verdicts = {"broadcaster": "bound"}
""",
    },
}
