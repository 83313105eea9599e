"""Answers to exercise 06-make, right and wrong."""

STUB = "asyncio's futures belong to a loop"

RIGHT = """
## right
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
"""

WRONG = """
## calls it twice => the function was called 2 times
@@ right
-                future.set_result(function())
+                function()
+                future.set_result(function())
## calls the newest function => a future for each call
@@ right
-    future = Future()
+    hop.function, future = function, Future()
@
-                future.set_result(function())
+                future.set_result(hop.function())
## waits for the result, and then returns the future => holds up the thread
def hop(loop, function):
    async def call():
        return function()
    future = asyncio.run_coroutine_threadsafe(call(), loop)
    future.result()
    return future
## a coroutine, begun before its cancellation is seen => ask future.set_running_or_notify_cancel() first
def hop(loop, function):
    async def call():
        return function()
    return asyncio.run_coroutine_threadsafe(call(), loop)
## waits for the result => A coroutine object is required
def hop(loop, function):
    return asyncio.run_coroutine_threadsafe(function(), loop)
## the same future for every call => set_exception() with what was caught
shared = Future()
def hop(loop, function):
    def on_loop():
        if not shared.done():
            shared.set_result(function())
    loop.call_soon_threadsafe(on_loop)
    return shared
## returns the result instead of a future => asyncio's futures belong to a loop
def hop(loop, function):
    results = []
    loop.call_soon_threadsafe(lambda: results.append(function()))
    return results
## calls it at once => loop.call_soon_threadsafe(function
def hop(loop, function):
    future = Future()
    future.set_result(function())
    return future
## not safe from a thread => from another thread only call_soon_threadsafe() will do
def hop(loop, function):
    future = Future()
    loop.call_soon(lambda: future.set_result(function()))
    return future
## forgets the exception => catch what it raises and give it to the future
def hop(loop, function):
    future = Future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
## a future of asyncio => asyncio's futures belong to a loop
def hop(loop, function):
    future = loop.create_future()
    loop.call_soon_threadsafe(lambda: future.set_result(function()))
    return future
## runs what was cancelled => ask future.set_running_or_notify_cancel() first
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
## returns the error => the future says OSError
@@ right
-                future.set_exception(error)
+                future.set_result(error)
## forgets the result => result is None
def hop(loop, function):
    future = Future()
    def on_loop():
        function()
        future.set_result(None)
    loop.call_soon_threadsafe(on_loop)
    return future
## hands nothing => did not hand anything
def hop(loop, function):
    return Future()
## at once => at once, in the caller's thread
def hop(loop, function):
    future = Future()
    loop.call_soon_threadsafe(future.set_result, function())
    return future
## awaits => is an async function
async def hop(loop, function):
    return function()
## lambda loop, function: function() => returned a str
hop = lambda loop, function: function()
## lambda loop: None => parameters
hop = lambda loop: None
## 'hop' => not a function
hop = 'hop'
"""
