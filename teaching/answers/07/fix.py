"""Answers to exercise 07-fix, right and wrong."""

STUB = "leases and work have one priority"

RIGHT = """
## other numbers
async def serve(receive, keep_lease, process):
    async def work(message):
        await asyncio.gather(process(message))
    async with asyncio.TaskGroup() as tasks:
        with priority(-5):
            while (message := (await receive())) is not None:
                with priority(100):
                    tasks.create_task(keep_lease(message))
                with priority(7):
                    tasks.create_task(work(message))
"""

WRONG = """
## one message at a time => while one message waits others compute
-                tasks.create_task(process(message))
+                await process(message)
## leases that nobody waits for => and start each once
 async def serve(receive, keep_lease, process):
+    leases = []
@
-                tasks.create_task(keep_lease(message))
+                leases.append(asyncio.create_task(keep_lease(message)))
## the work more urgent than the leases => leases need a higher priority than the work
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            with priority(2):
                tasks.create_task(keep_lease(message))
            with priority(3):
                tasks.create_task(process(message))
## the second task inside the first priority => leases need a higher priority than anything else
-            with priority(2):
## no lease for the first message => receive until receive() returns None
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        first = True
        while (message := await receive()) is not None:
            if not first:
                with priority(3):
                    tasks.create_task(keep_lease(message))
            with priority(2):
                tasks.create_task(process(message))
            first = False
## the work at a level of its own, receiving still urgent => 30 were held at once
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            while (message := await receive()) is not None:
                tasks.create_task(keep_lease(message))
                with priority(2):
                    tasks.create_task(process(message))
## the wrong way round => higher priority than the work
-            with priority(3):
+            with priority(1):
## receives as urgently as it works => serve() itself receives
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(2):
            while (message := await receive()) is not None:
                with priority(3):
                    tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
## sets the priority of the wrong code => leases and work have one priority
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        while (message := await receive()) is not None:
            lease, work = keep_lease(message), process(message)
            tasks.create_task(work)
            tasks.create_task(lease)
            with priority(3):
                pass
## forgets an error of the work => look for an await whose counterpart never comes
async def serve(receive, keep_lease, process):
    tasks = []
    while (message := await receive()) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))
        with priority(2):
            tasks.append(asyncio.create_task(process(message)))
    await asyncio.wait(tasks)
## nothing => 0 of 30 messages had a task
async def serve(receive, keep_lease, process):
    ...
## all alike => have one priority
async def serve(receive, keep_lease, process):
    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            while (message := (await receive())) is not None:
                tasks.create_task(keep_lease(message))
                tasks.create_task(process(message))
## no work => 0 of 30 messages were processed
async def serve(receive, keep_lease, process):
    tasks = []
    while (message := (await receive())) is not None:
        with priority(3):
            tasks.append(asyncio.create_task(keep_lease(message)))
## careless => as if nothing had happened
async def serve(receive, keep_lease, process):
    async def guarded(message):
        try:
            await process(message)
        except OSError:
            done.add(message)
    done = set()
    leases = []
    async with asyncio.TaskGroup() as tasks:
        while (message := (await receive())) is not None:
            with priority(3):
                leases.append(asyncio.create_task(keep_lease(message)))
            with priority(2):
                tasks.create_task(guarded(message))
    await asyncio.wait(leases, timeout=10)
    for lease in leases:
        lease.cancel()
## lambda *_: None => plain function
serve = lambda *_: None
## 3 => not
serve = 3
"""
