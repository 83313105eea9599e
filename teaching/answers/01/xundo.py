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

RIGHT = """
## finally, unless it went well
async def careful(step, undo):
    done = False
    try:
        result = await step()
        done = True
    finally:
        if not done:
            await undo()
    return result
"""

WRONG = """
## swallows the cancellation => under a time-out of 1 s: step, undo begins, undo ends, returned None
-    except BaseException:
+    except asyncio.CancelledError:
+        await undo()
+    except Exception:
## knows of errors only => under a time-out of 1 s: step, TimeoutError
-    except BaseException:
+    except Exception:
## undoes what ended well => a step that ends well: step, undo begins
async def careful(step, undo):
    try:
        return await step()
    finally:
        await undo()
## leaves the undoing to a task => a step that raises after 0.5 s
-        await undo()
+        asyncio.create_task(undo())
## forgets the await => a step that raises after 0.5 s: step, the error
-        await undo()
+        undo()
"""
