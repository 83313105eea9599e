"""Answers to exercise 06-xguard, right and wrong."""

# Why this works: The count begins after the first answer, since some sessions spin
# only then. Ten turns leave room for the timer. `finally` closes the session of a
# failed test.
SOLUTION = """
async def guard(session):
    await session.open()
    try:
        await session.ask()
        await session.settled()
        before = session.turns
        await asyncio.sleep(0.3)
        assert session.turns - before <= 10, session.turns - before
    finally:
        await session.close()
"""

STUB = "close it in a finally"

RIGHT = {}

WRONG = {
    "without: try:": (
        """
async def guard(session):
    await session.open()
    pass
""",
        "idle is what it does for a while",
    ),
    "it never asks": (
        SOLUTION.replace("        await session.ask()\n", "").replace(
            "        await session.settled()\n", ""
        ),
        "some loops spin only after their first answer",
    ),
    "it counts while the session answers": (
        SOLUTION.replace("        await session.settled()\n", ""),
        "begin to count when it is settled",
    ),
    "no turn is allowed": (
        SOLUTION.replace("<= 10", "== 0"),
        "a few turns are allowed",
    ),
    "too many are allowed": (
        SOLUTION.replace("<= 10", "<= 1000"),
        "a session that naps after an answer passes",
    ),
    "left open": (
        SOLUTION.replace(
            "    finally:\n        await session.close()", "    finally:\n        pass"
        ),
        "close it in a finally",
    ),
    "no time to turn": (
        SOLUTION.replace("asyncio.sleep(0.3)", "asyncio.sleep(0)"),
        "passes the test",
    ),
}
