"""Programs that are late for one known reason: ``programs.py NAME``.

They do on purpose what a linter finds.  Each has a heartbeat or requests that wait, and
a name that stands nowhere else in it: that of the culprit.
"""

# ruff: noqa: ASYNC110, ASYNC220

import asyncio
import gc
import hashlib
import os
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from looplab.diagnose.tags import Request, tag

ROUNDS = 5


async def beat():
    while True:
        await asyncio.sleep(0.02)


async def beside(work):
    """Run *work* with a heartbeat beside it."""
    heart = asyncio.create_task(beat(), name="heartbeat")
    await work
    heart.cancel()


async def each(work, pause=0.3):
    for _ in range(ROUNDS):
        await asyncio.sleep(pause)
        work()


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


# -- a callback holds the loop -----------------------------------------------------


def charge_card():
    time.sleep(0.25)


def hash_password():
    hashlib.pbkdf2_hmac("sha256", b"x", b"y", 400_000)


def open_client():
    for _ in range(4):
        ssl.create_default_context()


def load_report():
    folder = Path(tempfile.mkdtemp())
    name = f"slow_{time.monotonic_ns()}"
    (folder / f"{name}.py").write_text("import time\ntime.sleep(0.25)\n")
    sys.path.insert(0, str(folder))
    __import__(name)


async def parse_page():
    spin(0.002)


async def storm():
    for _ in range(3):
        await asyncio.sleep(0.3)
        await asyncio.gather(*(parse_page() for _ in range(200)))


async def warm_up():
    spin(0.002)


def grind():
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        pass


async def batch_then_hog():
    await asyncio.gather(*(warm_up() for _ in range(300)))
    await beside(each(grind))


async def tags():
    for number in range(12):
        kind = "resize" if number % 3 == 0 else "thumb"
        with tag(f"msg {kind}"):
            await asyncio.sleep(0.05)
            if kind == "resize":
                spin(0.2)


# -- nothing on the loop does --------------------------------------------------------


def scrub():
    pattern = re.compile(r"(a+)+$")
    while True:
        time.sleep(0.3)
        pattern.search("a" * 22 + "b")


def crunch():
    number = 0
    while True:
        number = (number * 31 + 7) % 1_000_003


async def beside_a_thread(work):
    threading.Thread(target=work, name="worker", daemon=True).start()
    await beside(asyncio.sleep(3))


KEPT = []


async def collect():
    KEPT.extend({"id": n, "list": [n], "more": {"k": [n]}} for n in range(300_000))
    gc.set_threshold(700, 10, 1)
    for _ in range(200):
        await asyncio.sleep(0.01)
        KEPT.append([{"a": [n]} for n in range(1000)])


async def no_core():
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    busy = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
        for _ in range(3)
    ]
    try:
        await beside(each(lambda: spin(0.03), 0.1))
    finally:
        for process in busy:
            process.kill()
            process.wait()


async def halted():
    pid = os.getpid()
    text = f"sleep .4; kill -STOP {pid}; sleep .4; kill -CONT {pid}"
    process = subprocess.Popen(["sh", "-c", ";".join([text] * 3)])
    await beside(asyncio.sleep(2.8))
    process.wait()


# -- requests wait for something that is not the loop ----------------------------------


async def served(name, work):
    request = Request(name).begin()
    try:
        await work()
    finally:
        request.end()


async def clients(name, work, many=8):
    async def client():
        for _ in range(ROUNDS):
            await asyncio.create_task(served(name, work))

    await asyncio.gather(*(client() for _ in range(many)))


def thumbnail():
    time.sleep(0.2)


async def executor():
    many = min(32, (os.cpu_count() or 1) + 4)
    await clients("POST /thumb", lambda: asyncio.to_thread(thumbnail), 3 * many)


async def lock():
    guard = asyncio.Lock()

    async def price():
        async with guard:
            await asyncio.sleep(0.05)

    await clients("GET /price", price)


async def pool():
    free = asyncio.Queue()
    free.put_nowait("connection")

    async def query():
        connection = await free.get()
        await asyncio.sleep(0.05)
        free.put_nowait(connection)

    await clients("GET /user", query)


async def upstream():
    async def slow(reader, writer):
        await reader.readline()
        await asyncio.sleep(0.4)
        writer.write(b"ok\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(slow, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def fetch_weather():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET\n")
        await reader.readline()
        writer.close()

    await clients("GET /weather", fetch_weather)


async def poll():
    async def wait_ready():
        while True:
            await asyncio.sleep(0)

    task = asyncio.create_task(wait_ready())
    await beside(asyncio.sleep(2))
    task.cancel()


#: Of each program what runs, why it is late, and the words of which one names that.
PROGRAMS = {
    "blocking call": (lambda: beside(each(charge_card)), ["charge_card"]),
    "CPU in C": (lambda: beside(each(hash_password)), ["hash_password"]),
    "deep in a library": (lambda: beside(each(open_client)), ["open_client"]),
    "an import": (lambda: beside(each(load_report)), ["load_report"]),
    "storm": (lambda: beside(storm()), ["parse_page"]),
    "batch, then a hog": (batch_then_hog, ["grind"]),
    "one of two tags": (lambda: beside(tags()), ["msg resize"]),
    "thread keeps the interpreter": (lambda: beside_a_thread(scrub), ["scrub"]),
    "thread takes turns": (lambda: beside_a_thread(crunch), ["crunch"]),
    "garbage collector": (lambda: beside(collect()), ["garbage collector", "gc."]),
    "no core": (no_core, ["no core"]),
    "process stopped": (halted, ["process was stopped"]),
    "full executor": (executor, ["thumbnail"]),
    "lock": (lock, ["in price", "price ("]),
    "connection pool": (pool, ["in query", "query ("]),
    "slow upstream": (upstream, ["fetch_weather"]),
    "poll": (poll, ["wait_ready"]),
}


if __name__ == "__main__":
    asyncio.run(PROGRAMS[sys.argv[1]][0]())
