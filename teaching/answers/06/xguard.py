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

RIGHT = """
## asks at two moments
async def guard(session):
    await session.open()
    try:
        await session.ask()
        await session.settled()
        counts = []
        for pause in (0.0, 0.3):
            await asyncio.sleep(pause)
            counts.append(session.turns)
        if counts[1] > counts[0] + 10:
            raise AssertionError(f"{counts} turns of a session that waits")
    finally:
        await session.close()
"""

WRONG = """
## without: try: => idle is what it does for a while
async def guard(session):
    await session.open()
    pass
## it never asks => some loops spin only after their first answer
-        await session.ask()
-        await session.settled()
## it counts while the session answers => begin to count when it is settled
-        await session.settled()
## no turn is allowed => a few turns are allowed
-        assert session.turns - before <= 10, session.turns - before
+        assert session.turns - before == 0, session.turns - before
## too many are allowed => a session that naps after an answer passes
-        assert session.turns - before <= 10, session.turns - before
+        assert session.turns - before <= 1000, session.turns - before
## left open => close it in a finally
-        await session.close()
+        pass
## no time to turn => passes the test
-        await asyncio.sleep(0.3)
+        await asyncio.sleep(0)
"""
