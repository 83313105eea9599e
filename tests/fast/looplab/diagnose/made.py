"""Recordings of a few callbacks, made by hand, each with one cause of its waiting.

Times are milliseconds.
"""

from __future__ import annotations

from looplab.diagnose import Callback, Code, Recording
from looplab.diagnose.events import (
    Await,
    Job,
    Mark,
    OtherThread,
    Pause,
    RequestNote,
    Sample,
    Window,
)

MS = 1_000_000
SITE = "/venv/lib/python3.11/site-packages"
STDLIB = "/usr/lib/python3.11"
SHOP = Code("hog", "/srv/shop.py", 12)
PING = Code("ping", "/srv/shop.py", 40)
SCRUB = Code("scrub", "/srv/scrub.py", 8)
DUMPS = Code("dumps", f"{STDLIB}/json/encoder.py", 7)
PANDAS = Code("<module>", f"{SITE}/pandas/__init__.py", 1)
SERVE = Code("serve", f"{SITE}/uvicorn/server.py", 8)
thumb = Job(2, 0, 0, 0, 400 * MS, SHOP)


def callback(index, ready, run, ended, *, code=PING, cause="timer", cpu=None, **more):
    """One callback; a timer was due when it was ready."""
    if cause == "timer":
        more.setdefault("due_ns", round(ready * MS))
    times = [round(at * MS) for at in (ready, run, ended)]
    computed = round((ended - run if cpu is None else cpu) * MS)
    by, task = more.pop("by", None), more.pop("task", None)
    return Callback(index, *times, computed, cause, by, code, task, **more)


def late_ping(*before, ready=100, run=400, **more):
    """A timer that was due at 100 ms and ran at 400 ms, after callbacks *before*."""
    return Recording([*before, callback(len(before), ready, run, run + 1)], **more)


def hog(cpu=None, **more):
    """Holds the loop from 90 to 400 ms."""
    return callback(0, 90, 90, 400, code=SHOP, cpu=cpu, **more)


def brief():
    """Runs long before anything is late."""
    return callback(0, 1, 1, 2)


def sample(at, weight, *stack, index=0):
    return Sample(round(at * MS), index, round(weight * MS), stack)


def thread(name="scrubber", cpu=295, delay=0, code=SCRUB):
    return OtherThread(name, cpu * MS, delay * MS, code)


def window(start, end, *others, cpu=0, delay=0, slices=1, own=0, late=1):
    times = start * MS, end * MS, cpu * MS, delay * MS, slices, 0, own * MS, late
    return Window(*times, others)


def request(**more):
    """A request from 0 to 500 ms that computed for 2 ms of them."""
    begin = callback(0, 0, 0, 1, cause="io", tag=1)
    end = callback(1, 499, 499, 500, cause="io", tag=1)
    note = RequestNote(1, 0, 1, 0, 500 * MS)
    return Recording([begin, end], tags={1: "GET /user"}, notes=[note], **more)


SELDOM = SHOP._replace(line=99)
NOTE = Code("note", f"{SITE}/looplab/diagnose/stock.py", 3)
ACQUIRE = Code("Lock.acquire", f"{STDLIB}/asyncio/locks.py", 100)
GET = Code("Queue.get", f"{STDLIB}/asyncio/queues.py", 9)
SLEEP = Code("sleep", f"{STDLIB}/asyncio/tasks.py", 6)
WAKER = Code("_set_result_unless_cancelled")
WORKER = Code("_worker", f"{STDLIB}/concurrent/futures/thread.py", 80)
POOL = Code("Pool.take", f"{SITE}/db/pool.py", 77)
LIMITER = Code("CapacityLimiter.acquire", f"{SITE}/anyio/x.py", 5)
dump = Job(7, 0, 90 * MS, 95 * MS, 399 * MS, DUMPS)


def awaited(*stack, at=20, tag=1, pool=()):
    return Await(at * MS, tag, stack, pool)


def batch(cause):
    """A callback that makes ten others ready, which run one after the other."""
    first = callback(0, 0, 0, 1, code=SHOP, cause=cause, task="main")
    how = {"cause": "call", "by": 0}
    rest = [
        callback(n, 1, 10 * n - 9, 10 * n + 1, task=f"T{n}", **how)
        for n in range(1, 11)
    ]
    return Recording([first, *rest])


def of_request(*callbacks, first, last, began, ended):
    note = RequestNote(1, first, last, began * MS, ended * MS)
    return Recording(list(callbacks), tags={1: "GET /user"}, notes=[note])


# fmt: off
CASES = {
    "a callback": late_ping(hog(), samples=[
        sample(150, 5, SELDOM), sample(200, 20, DUMPS, SHOP), sample(300, 9, SHOP)]),
    "an import": late_ping(hog(), samples=[
        sample(150, 5, PANDAS, SHOP), sample(160, 9, DUMPS, PANDAS, SHOP)]),
    "the recorder's own frame": late_ping(hog(), samples=[sample(150, 5, NOTE, SHOP)]),
    "a callback keeps the interpreter":
        late_ping(hog(), windows=[window(95, 395, cpu=295)]),
    "one late look is chance": late_ping(hog(), windows=[window(95, 195, cpu=95)]),
    "a thread keeps it": late_ping(brief(), windows=[
        window(100, 400, thread(), slices=60)]),
    "a thread that had no core itself": late_ping(brief(), windows=[
        window(100, 400, thread(cpu=150, delay=140), slices=60)]),
    "a thread that keeps it for a turn": late_ping(brief(), run=120, windows=[
        window(100, 120, thread(cpu=18), slices=4)]),
    "threads take turns": late_ping(brief(), windows=[
        window(at, at + 10, thread("a", 6), thread("b", 4, code=SCRUB._replace(line=9)),
               slices=2, late=0) for at in range(100, 400, 10)]),
    # Between two of them no look was late.
    "threads that take turns, seen now and then": late_ping(brief(), windows=[
        window(100, 150, thread("a", 50), slices=9, late=0),
        window(349, 400, thread("a", 51), slices=9, late=0),
        window(700, 701, thread("a", 1), slices=1, late=0)]),
    "an executor's thread, idle again": late_ping(brief(), windows=[
        window(100, 400, thread(code=WORKER), slices=60)],
        jobs=[dump, thumb._replace(ended_ns=120 * MS)]),
    "a thread without a line": late_ping(brief(), windows=[
        window(100, 400, thread(code=None), slices=60)]),
    "a callback waits for the interpreter": late_ping(hog(cpu=10), windows=[
        window(100, 400, thread(cpu=290), slices=60, late=0)]),
    # Who waits for the interpreter wakes every 5 ms; who sleeps does not.
    "a callback sleeps beside a thread": late_ping(hog(cpu=10), windows=[
        window(100, 400, thread(cpu=290), slices=2, late=0)]),
    "no core": late_ping(brief(), windows=[window(100, 400, delay=280, own=200)]),
    "the sampler had none": late_ping(brief(), windows=[window(100, 400, own=200)]),
    "a callback without a core": late_ping(hog(cpu=110), windows=[
        window(100, 400, delay=150, cpu=110, late=0)]),
    # It ended in the last window, and is counted there.
    "a callback without a core for several looks": late_ping(hog(cpu=30), windows=[
        window(100, 200, cpu=10, late=0), window(200, 300, late=0),
        window(300, 400, delay=280, cpu=10, late=0)]),
    "a stop": late_ping(brief(), windows=[window(100, 400)]),
    "the collector": late_ping(hog(), pauses=[
        Pause(0, 200 * MS), Pause(0, 40 * MS), Pause(99, MS)]),
    "nobody saw it": late_ping(brief()),
    "the selector's millisecond": late_ping(brief(), run=100.8),
    "between callbacks": late_ping(callback(0, 95, 95, 104, code=SHOP), run=105),
    "others that wait": Recording([
        hog(), callback(1, 95, 400, 402, code=SERVE), callback(2, 100, 402, 403)]),
    "two of one name": Recording([
        hog(), callback(1, 100, 400, 402), callback(2, 200, 402, 403)]),
    "an await": request(awaits=[awaited(ACQUIRE, PING)]),
    "awaits in a library": request(awaits=[
        awaited(GET, POOL, PING), awaited(ACQUIRE, PING, at=30), awaited(SHOP, tag=2)]),
    "a future": request(awaits=[awaited(PING)]),
    "a sleep": request(awaits=[awaited(SLEEP, PING)]),
    "AnyIO's pool": request(awaits=[
        awaited(LIMITER, PING, pool=((SCRUB, 40), (SHOP, 1)))]),
    "AnyIO's thread": request(awaits=[awaited(GET, PING, pool=((SCRUB, -1),))]),
    "an await that was not seen": request(),
    "a full executor": request(jobs=[
        *[thumb] * 4, Job(3, 0, 0, 390 * MS, 399 * MS, SCRUB),
        Job(1, 0, MS, 400 * MS, 499 * MS, PING)]),
    "a job that has not begun": request(jobs=[Job(1, 0, MS, -1, -1, PING)]),
    "a job that found a thread": request(
        jobs=[Job(1, 0, 10 * MS, 10 * MS, 200 * MS, PING)],
        awaits=[awaited(ACQUIRE, PING, at=300)]),
    # One waits behind the other's job, and then for a thread to start.
    "a full executor, and no tags": Recording(
        [callback(0, 0, 0, 1), callback(1, 1, 1, 2)], end_ns=500 * MS, jobs=[
            Job(0, 0, 0, 0, 300 * MS, SHOP), Job(0, 1, 200 * MS, 290 * MS, -1, PING),
            Job(0, 1, 2 * MS, 300 * MS, 320 * MS, PING)]),
    "a thread that had to start": Recording([callback(0, 0, 0, 1)], end_ns=500 * MS,
        jobs=[Job(0, 0, 0, 5 * MS, 300 * MS, SHOP)]),
    "a sleep that was asked for": of_request(
        callback(0, 0, 0, 1, cause="io", tag=1),
        callback(1, 300, 300, 300, code=WAKER, tag=1, set_ns=MS, by=0),
        callback(2, 499, 499, 500, cause="io", tag=1),
        first=0, last=2, began=0, ended=500),
    # What the inner block waits for and runs is its own, and no wait of the outer one.
    "a block inside a block": Recording(
        [callback(0, 0, 0, 1, tag=1), callback(1, 100, 100, 101, tag=1),
         callback(2, 400, 400, 401, tag=2), callback(3, 499, 499, 500, tag=1)],
        tags={1: "job", 2: "step"}, marks=[
            Mark(0, 0, 0, 1), Mark(1, 101 * MS, 1, 2), Mark(2, 401 * MS, 2, 1)],
        blocks=[RequestNote(1, 0, 3, 0, 500 * MS),
                RequestNote(2, 1, 2, 101 * MS, 401 * MS)],
        awaits=[awaited(ACQUIRE, PING, at=200, tag=2)]),
    "tags in one callback": late_ping(hog(), tags={1: "small", 2: "BIG"}, marks=[
        Mark(0, 95 * MS, 0, 1), Mark(0, 150 * MS, 1, 2), Mark(0, 390 * MS, 2, 0)]),
    "two functions of one tag": Recording([
        callback(0, 1, 1, 90, code=SCRUB, tag=1),
        callback(1, 380, 380, 400, code=SHOP, tag=1), callback(2, 100, 400, 401)],
        tags={1: "work"}),
    "a batch": batch("before"),
    "a timer's batch": batch("timer"),
    "handed over": Recording([
        callback(0, 0, 0, 1, code=SHOP, task="A"), callback(1, 2, 2, 3, task="B"),
        callback(2, 10, 10, 60, code=SHOP, task="A"),
        callback(3, 12, 60, 61, cause="call", by=2, task="B")]),
    "the plumbing of a request": of_request(
        hog(), callback(1, 100, 400, 401, code=SERVE, cause="io", arrived_ns=95 * MS),
        callback(2, 401, 401, 410, cause="call", by=1, tag=1),
        callback(3, 410, 415, 416, code=SERVE, cause="call", by=2),
        first=2, last=2, began=401, ended=410),
}
# fmt: on


def service():
    """Two requests of one endpoint beside a callback that holds the loop."""
    first = callback(1, 100, 400, 410, cause="io", arrived_ns=95 * MS, tag=1, cpu=4)
    later = callback(2, 500, 505, 507, cause="io", arrived_ns=460 * MS, tag=1)
    other = callback(3, 510, 510, 511, cause="timer", due_ns=508 * MS, tag=2)
    notes = [
        RequestNote(1, 1, 2, 401 * MS, 507 * MS),
        RequestNote(2, 3, 3, 510 * MS, 511 * MS),
    ]
    tags = {1: "GET /a&b", 2: "GET /a&b"}
    return Recording([hog(), first, later, other], tags=tags, notes=notes)


def storm(size=5, many=60, *, notes=(), tags=None, **of):
    """Many short callbacks before a timer that is late."""
    pieces = [
        callback(n, 0, size * n, size * (n + 1), code=SHOP, cause="before",
                 **{"task": "t"} | of)
        for n in range(many)
    ]  # fmt: skip
    about = {"notes": list(notes), "tags": tags or {}}
    return late_ping(*pieces, ready=10, run=size * many, **about)


def spinning():
    how = {"code": SHOP, "task": "t"}
    steps = [
        callback(n, n, n, n + 0.1, cause="call" if n else "before", by=n - 1, **how)
        for n in range(2000)
    ]
    return Recording(steps)


def library(other):
    """A library's timer waits, and one of the program's own from *other* on."""
    serve = callback(1, 95, 400, 402, code=SERVE)
    return Recording([hog(), serve, callback(2, other, 402, 403)])


# fmt: off
#: What the first sentence is asked of, beside those.
ASKED = {
    "a batch of short ones": storm(),
    "a batch of long ones": storm(size=15, many=20),
    "a batch of no tasks": storm(task=None),
    "a storm inside one request": storm(
        tag=1, tags={1: "GET /"}, notes=[RequestNote(1, 0, 59, 0, 300 * MS)]),
    "a tag": late_ping(hog(tag=1), tags={1: "a b"}),
    "a line elsewhere": late_ping(hog(), samples=[sample(200, 9, DUMPS, SCRUB)]),
    "its own job": request(jobs=[Job(1, 0, MS, MS, 499 * MS, PING)]),
    "a full pool": request(jobs=[thumb, Job(1, 0, MS, 400 * MS, 499 * MS, PING)]),
    "a moment": late_ping(callback(0, 99, 99, 100.5, code=SHOP), run=100.5),
    "many moments": Recording(
        [callback(n, 10 * n, 10 * n + 3, 10 * n + 3) for n in range(90)]),
    # It makes ready a long callback, and then one more.
    "his own work": Recording([
        callback(0, 10, 12, 13), callback(1, 12.5, 13, 70, cause="call", by=0),
        callback(2, 12.6, 70, 71, cause="call", by=0)]),
    "a library and another": library(380),
    "a library": library(390),
    "a poll": spinning(),
}
# fmt: on
