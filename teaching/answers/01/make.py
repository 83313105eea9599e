"""Answers to exercise 01-make, right and wrong."""

STUB = "make one with loop.create_future() and return it at once"

RIGHT = {
    "gather": """
def gather(loop, coroutines):
    tasks = [loop.create_task(one) for one in coroutines]

    async def wait():
        return [await task for task in tasks]
    return loop.create_task(wait())
""",
}

WRONG = {
    "asks again and again": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(c) for c in coroutines]
    def look():
        if all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])
        else:
            loop.call_soon(look)
    look()
    return future
""",
        "a callback that is made ready during an",
    ),
    "a list that is filled later": (
        """
def gather(loop, coroutines):
    future, results = loop.create_future(), []
    async def each():
        for t in tasks:
            results.append(await t)
    tasks = [loop.create_task(c) for c in coroutines]
    loop.create_task(each())
    future.set_result(results)
    return future
""",
        "make all the tasks first",
    ),
    "runs the loop itself": (
        """
def gather(loop, coroutines):
    tasks = [loop.create_task(each) for each in coroutines]
    loop.run()
    future = loop.create_future()
    future.set_result([task.result() for task in tasks])
    return future
""",
        "return the future at once",
    ),
    "the first result for all": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(task):
        if not future.done():
            future.set_result([task.result()] * len(tasks))

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
        "ask each task for its result() once all are done",
    ),
    "waits for the last coroutine only": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]
    if not tasks:
        future.set_result([])
    else:
        tasks[-1].add_done_callback(
            lambda _: future.set_result([t.result() for t in tasks]))
    return future
""",
        "it raised RuntimeError",
    ),
    "one after the other": (
        """
def gather(loop, coroutines):
    async def each():
        return [await loop.create_task(one) for one in coroutines]

    return loop.create_task(each())
""",
        "make all the tasks first",
    ),
    "in the order in which they end": (
        """
def gather(loop, coroutines):
    future, results = loop.create_future(), []

    def note(task):
        results.append(task.result())
        if len(results) == len(coroutines):
            future.set_result(results)

    for each in coroutines:
        loop.create_task(each).add_done_callback(note)
    if not coroutines:
        future.set_result([])
    return future
""",
        "keep the order of the coroutines",
    ),
    "waits for ever if there is nothing to wait for": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if not future.done() and all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])

    for task in tasks:
        task.add_done_callback(look)
    return future
""",
        "who sets it when the last task ends",
    ),
    "sets the result twice": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if all(t.done() for t in tasks):
            future.set_result([t.result() for t in tasks])

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
        "it raised RuntimeError",
    ),
    "the tasks instead of their results": (
        """
def gather(loop, coroutines):
    future = loop.create_future()
    tasks = [loop.create_task(each) for each in coroutines]

    def look(_):
        if not future.done() and all(t.done() for t in tasks):
            future.set_result(tasks)

    for task in tasks:
        task.add_done_callback(look)
    if not tasks:
        future.set_result([])
    return future
""",
        "ask each task for its result() once all are done",
    ),
    "gather": (
        """
def gather(loop, coroutines):
    tasks = [loop.create_task(each) for each in coroutines]
    loop.run()
    future = loop.create_future()
    future.set_result([task.result() for task in tasks])
    return future
""",
        "ran the loop itself",
    ),
    "a coroutine": (
        """
async def gather(loop, coroutines):
    pass
""",
        "async function",
    ),
    "nothing": (
        """
def gather(loop, coroutines):
    pass
""",
        "not a future",
    ),
    "for ever": (
        """
def gather(loop, coroutines):

    def again():
        loop.call_soon(again)
    again()
    return loop.create_future()
""",
        "does not come to an end",
    ),
    "never": (
        """
def gather(loop, coroutines):
    return loop.create_future()
""",
        "never got its result",
    ),
}
