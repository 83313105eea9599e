"""Answers to exercise 06-make, right and wrong."""

STUB = "asyncio's futures belong to a loop"

RIGHT = {
    "right": """
def hop(loop, function):
    future = Future()

    def on_loop():
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)
    loop.call_soon_threadsafe(on_loop)
    return future
""",
}

WRONG = {
    "waits for the result, and then returns the future": (
        """
def hop(loop, function):
    async def call():
        return function()
    future = asyncio.run_coroutine_threadsafe(call(), loop)
    future.result()
    return future
""",
        "holds up the thread",
    ),
    "a coroutine, begun before its cancellation is seen": (
        """
def hop(loop, function):
    async def call():
        return function()
    return asyncio.run_coroutine_threadsafe(call(), loop)
""",
        "ask future.set_running_or_notify_cancel() first",
    ),
    "waits for the result": (
        """
def hop(loop, function):
    return asyncio.run_coroutine_threadsafe(function(), loop)
""",
        "A coroutine object is required",
    ),
    "the same future for every call": (
        """

shared = Future()

def hop(loop, function):
    def on_loop():
        if not shared.done():
            shared.set_result(function())

    loop.call_soon_threadsafe(on_loop)
    return shared
""",
        "set_exception() with what was caught",
    ),
    "returns the result instead of a future": (
        """
def hop(loop, function):
    results = []
    loop.call_soon_threadsafe(lambda: results.append(function()))
    return results
""",
        "asyncio's futures belong to a loop",
    ),
    "calls it at once": (
        """

def hop(loop, function):
    future = Future()
    future.set_result(function())
    return future
""",
        "loop.call_soon_threadsafe(function",
    ),
    "not safe from a thread": (
        """

def hop(loop, function):
    future = Future()
    loop.call_soon(lambda: future.set_result(function()))
    return future
""",
        "from another thread only call_soon_threadsafe() will do",
    ),
    "forgets the exception": (
        """

def hop(loop, function):
    future = Future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
""",
        "catch what it raises and give it to the future",
    ),
    "a future of asyncio": (
        """
def hop(loop, function):
    future = loop.create_future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
""",
        "asyncio's futures belong to a loop",
    ),
    "runs what was cancelled": (
        """

def hop(loop, function):
    future = Future()

    def on_loop():
        try:
            result = function()
        except BaseException as error:
            if not future.cancelled():
                future.set_exception(error)
        else:
            if not future.cancelled():
                future.set_result(result)

    loop.call_soon_threadsafe(on_loop)
    return future
""",
        "ask future.set_running_or_notify_cancel() first",
    ),
    "returns the error": (
        """
def hop(loop, function):
    future = Future()

    def on_loop():
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_result(error)
    loop.call_soon_threadsafe(on_loop)
    return future
""",
        "the future says OSError",
    ),
    "forgets the result": (
        """
def hop(loop, function):
    future = Future()

    def on_loop():
        function()
        future.set_result(None)
    loop.call_soon_threadsafe(on_loop)
    return future
""",
        "result is None",
    ),
    "hands nothing": (
        """
def hop(loop, function):
    return Future()
""",
        "did not hand anything",
    ),
    "at once": (
        """
def hop(loop, function):
    future = Future()
    loop.call_soon_threadsafe(future.set_result, function())
    return future
""",
        "at once, in the caller's thread",
    ),
    "calls soon": (
        """
def hop(loop, function):
    future = Future()
    loop.call_soon(lambda: future.set_result(function()))
    return future
""",
        "used call_soon()",
    ),
    "awaits": (
        """
async def hop(loop, function):
    return function()
""",
        "is an async function",
    ),
    "lambda loop, function: function()": (
        "hop = lambda loop, function: function()",
        "returned a str",
    ),
    "lambda loop: None": ("hop = lambda loop: None", "parameters"),
    "'hop'": ("hop = 'hop'", "not a function"),
}
