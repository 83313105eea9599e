"""Recordings of a few callbacks, made by hand.  Times are milliseconds."""

from __future__ import annotations

from looplab.diagnose import Callback, Code, Recording
from looplab.diagnose.events import Job, OtherThread, RequestNote, Sample, Window

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
