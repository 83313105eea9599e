"""Answers to exercise 01-xundo, right and wrong."""

# Why this works: `CancelledError` is no `Exception`, so `except Exception` misses it.
# The bare `raise` sends on what came, so that a time-out sees it.
SOLUTION = """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        await undo()
        raise
"""

STUB = "and raise the same error again"

RIGHT = {}

WRONG = {
    "swallows the cancellation": (
        """
async def careful(step, undo):
    try:
        return await step()
    except asyncio.CancelledError:
        await undo()
    except Exception:
        await undo()
        raise
""",
        "under a time-out of 1 s: step, undo begins, undo ends, returned None",
    ),
    "knows of errors only": (
        """
async def careful(step, undo):
    try:
        return await step()
    except Exception:
        await undo()
        raise
""",
        "under a time-out of 1 s: step, TimeoutError",
    ),
    "undoes what ended well": (
        """
async def careful(step, undo):
    try:
        return await step()
    finally:
        await undo()
""",
        "a step that ends well: step, undo begins",
    ),
    "leaves the undoing to a task": (
        """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        asyncio.create_task(undo())
        raise
""",
        "a step that raises after 0.5 s",
    ),
    "forgets the await": (
        """
async def careful(step, undo):
    try:
        return await step()
    except BaseException:
        undo()
        raise
""",
        "a step that raises after 0.5 s: step, the error",
    ),
}
