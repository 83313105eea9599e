"""The small book that the page's scenarios run on."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.contract.livecells.books import Shelf, code, notebook, printed, text
from tools.kernels import AsyncFileKernelManager

__all__ = ["PROGRAMS", "SCENARIOS", "build_bench", "run_in_kernel"]

SCENARIOS = Path(__file__).with_name("scenarios")

FIGURE = """\
class Figure:
    def _repr_html_(self):
        return (
            '<svg viewBox="0 0 40 10" role="img" aria-label="A line" class="fig">'
            "<style>.fig{--ink:#b8430b;width:100%}"
            ".fig path{stroke:var(--ink);fill:none}</style>"
            '<path d="M0 5h40"/></svg>'
        )

Figure()"""

#: Programs whose output in the page must be that of ipykernel, by name.
PROGRAMS = {
    "sleep_holds_the_loop": """\
import asyncio, time
async def heartbeat():
    start = time.monotonic()
    await asyncio.sleep(0.05)
    return time.monotonic() - start
beat = asyncio.create_task(heartbeat())
await asyncio.sleep(0)
time.sleep(0.4)
print("late by the sleep:", await beat > 0.35)""",
    "sleep_zero_returns": """\
import time
time.sleep(0)
print("slept")""",
    "sleep_takes_its_time": """\
import time
start = time.monotonic()
time.sleep(0.2)
print(time.monotonic() - start > 0.15)""",
    "asyncio_run_raises": """\
import asyncio
async def main():
    pass
coroutine = main()
try:
    asyncio.run(coroutine)
except RuntimeError as error:
    print(error)
coroutine.close()""",
    "another_loop_raises": """\
import asyncio
loop = asyncio.new_event_loop()
try:
    loop.run_forever()
except RuntimeError as error:
    print(error)
loop.close()
print(loop.is_closed(), asyncio.get_running_loop() is not loop)""",
    "runner_raises": """\
import asyncio
async def main():
    pass
coroutine = main()
runner = asyncio.Runner()
try:
    runner.run(coroutine)
except RuntimeError as error:
    print(error)
coroutine.close()""",
    "callbacks_in_order": """\
import asyncio
loop = asyncio.get_running_loop()
seen = []
def first():
    seen.append("first")
    loop.call_soon(seen.append, "added by the first")
loop.call_soon(first)
loop.call_soon(seen.append, "second")
await asyncio.sleep(0.02)
print(seen)""",
    "an_iteration_runs_what_was_ready": """\
import asyncio
loop = asyncio.get_running_loop()
count = 0
def again():
    global count
    count += 1
    if count < 5:
        loop.call_soon(again)
loop.call_soon(again)
await asyncio.sleep(0)
await asyncio.sleep(0)
print(count)""",
    "timers_by_due_time": """\
import asyncio
loop = asyncio.get_running_loop()
seen = []
now = loop.time()
loop.call_at(now + 0.06, seen.append, "third")
loop.call_at(now + 0.02, seen.append, "first")
loop.call_at(now + 0.04, seen.append, "second")
await asyncio.sleep(0.15)
print(seen)""",
    "late_timers_run_together": """\
import asyncio, time
loop = asyncio.get_running_loop()
seen = []
now = loop.time()
loop.call_at(now + 0.05, seen.append, "b")
loop.call_at(now + 0.01, seen.append, "a")
time.sleep(0.1)
loop.call_soon(seen.append, "ready")
await asyncio.sleep(0)
await asyncio.sleep(0)
print(seen)""",
    "cancelled_timer_is_silent": """\
import asyncio
loop = asyncio.get_running_loop()
seen = []
handle = loop.call_later(0.01, seen.append, "never")
handle.cancel()
await asyncio.sleep(0.05)
print(seen, handle.cancelled())""",
    "gather_keeps_order": """\
import asyncio
loop = asyncio.get_running_loop()
order = []
now = loop.time()
async def work(n):
    due = loop.create_future()
    loop.call_at(now + 0.03 * (3 - n), due.set_result, None)
    await due
    order.append(n)
    return n
print(await asyncio.gather(*map(work, range(3))), order)""",
    "task_group_cancels_the_rest": """\
import asyncio
seen = []
async def slow():
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        seen.append("cancelled")
        raise
async def bad():
    await asyncio.sleep(0.01)
    raise ValueError("bad")
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(slow())
        group.create_task(bad())
except* ValueError as errors:
    print(seen, errors.exceptions)""",
    "timeout_fires_after_a_block": """\
import asyncio, time
try:
    async with asyncio.timeout(0.05):
        time.sleep(0.2)
        print("the block is not interrupted")
        await asyncio.sleep(0.1)
        print("never")
except TimeoutError:
    print("timed out at the next wait")""",
    "queue_without_bound_fills": """\
import asyncio
queue = asyncio.Queue()
async def consumer(out):
    while True:
        out.append(await queue.get())
        await asyncio.sleep(0)
out = []
task = asyncio.create_task(consumer(out))
for n in range(5):
    queue.put_nowait(n)
await asyncio.sleep(0)
print(queue.qsize(), out)
while len(out) < 5:
    await asyncio.sleep(0)
_ = task.cancel()
print(queue.qsize(), out)""",
    "debug_mode_names_the_slow": """\
import asyncio, logging, re, time
loop = asyncio.get_running_loop()
class Keep(logging.Handler):
    def emit(self, record):
        kept.append(record.getMessage())
kept, keep = [], Keep()
logger = logging.getLogger("asyncio")
logger.addHandler(keep)
logger.propagate = False
loop.set_debug(True)
loop.call_soon(time.sleep, 0.2)
await asyncio.sleep(0.01)
loop.set_debug(False)
logger.removeHandler(keep)
logger.propagate = True
print(any(re.search(r"took \\d", line) and "sleep" in line for line in kept))""",
    "wait_for_an_event": """\
import asyncio
event = asyncio.Event()
asyncio.get_running_loop().call_later(0.03, event.set)
print(await asyncio.wait_for(event.wait(), 60))
try:
    await asyncio.wait_for(asyncio.Event().wait(), 0.02)
except TimeoutError as error:
    print(repr(error))""",
    "generators_are_closed": """\
import asyncio
async def numbers():
    try:
        yield 1
        yield 2
    finally:
        await asyncio.sleep(0)
        print("closed")
        closed.set()
closed = asyncio.Event()
async def main():
    async for n in numbers():
        return n
print(await main())
_ = await asyncio.wait_for(closed.wait(), 60)""",
    "the_loop_itself": """\
import asyncio
loop = asyncio.get_running_loop()
print(loop.is_running(), loop.is_closed(), loop is asyncio.get_event_loop())
print(isinstance(loop, asyncio.BaseEventLoop), loop.slow_callback_duration)
print(type(asyncio.current_task()).__name__, type(loop.create_future()).__name__)""",
    "heartbeat_beside_blocking_work": """\
import asyncio, time
late = []
async def heartbeat():
    loop = asyncio.get_running_loop()
    for _ in range(3):
        due = loop.time() + 0.02
        await asyncio.sleep(0.02)
        late.append(loop.time() - due)
task = asyncio.create_task(heartbeat())
await asyncio.sleep(0.03)
time.sleep(0.5)
await task
print(max(late) > 0.4, len(late))""",
    "left_behind_tasks_go_on": """\
import asyncio
seen = []
async def later():
    await asyncio.sleep(0.01)
    seen.append("ran")
task = asyncio.create_task(later())
while not task.done():
    await asyncio.sleep(0.01)
print(seen, task.done())""",
    # What the last line is worth, laid out.
    "a_number": "6 * 7",
    "the_last_value": "[_, _ + 1]",
    "a_long_list": "[n**2 for n in range(30)]",
    "nested": "{f'key {n}': {'l': list(range(n)), 't': 'x' * n} for n in range(12)}",
    "words": "['a word of some length ' * 2] * 5",
    "a_class": "class Thing: pass\n[Thing, int]",
    "a_function": "def double(number, times=2): return number * times\ndouble",
    "sets": "{'one', 'two'} - {'one'}, frozenset(range(40)), set()",
    "a_dataclass": """\
from dataclasses import dataclass, field
@dataclass
class Point:
    x: int
    more: list = field(default_factory=list)
[Point(n, list(range(12))) for n in range(5)]""",
    "collected": """\
from collections import Counter, defaultdict, deque
(Counter("mississippi"), defaultdict(list, a=[1]), deque([1, 2]))""",
    "a_named_tuple": """\
from collections import namedtuple
namedtuple("Job", "name seconds")("hash", 0.25)""",
    "a_namespace": "import types\ntypes.SimpleNamespace(a=1, b=list(range(40)))",
    "numbers": "2**200, 1e300, 0.1 + 0.2, 3j, True, None, ...",
    "bytes_and_letters": "b'\\x00ab', 'naïve ≤ “x”', 'two\\nlines', ('alone',)",
    "itself": "loop_of = [1]\nloop_of.append(loop_of)\nloop_of",
    "errors_as_values": "[ValueError('x'), ExceptionGroup('g', [OSError('n')])]",
    "awaited": "import asyncio\nawait asyncio.sleep(0, result='a value')",
    "displayed": "display(1, 'two')\nprint('three')\n[4]",
    "printed_and_worth": "print('first')\n{'second': 2}",
}


def run_in_kernel(programs: dict[str, str]) -> dict[str, str]:
    """What each program shows in a cell of ipykernel, run in one kernel in order."""
    import nbclient
    import nbformat

    cells = [nbformat.v4.new_code_cell(source) for source in programs.values()]
    lab = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        lab,
        timeout=120,
        iopub_timeout=120,
        startup_timeout=300,
        kernel_name="python3",
        kernel_manager_class=AsyncFileKernelManager,
    )
    client.execute()

    def text_of(output: Any) -> str:
        if "data" in output:
            return str(output["data"]["text/plain"]) + "\n"
        return str(output["text"]) if output["name"] == "stdout" else ""

    return {
        name: "".join(map(text_of, cell.outputs))
        for name, cell in zip(programs, lab.cells, strict=True)
    }


def build_bench(shelf: Shelf, **config: Any) -> Path:
    """Build the book; returns the folder of its pages."""
    toc = "# Bench\n\n```{toctree}\nprograms\nlab\npackages\nplain\n```\n"
    packages = {
        "alpha": "NAME = 'alpha'\n",
        "beta": "from alpha import NAME\nBOTH = NAME + ' and beta'\n",
        "gamma": "NAME = 'gamma'\n",
    }
    wheels = [_wheel(shelf.folder, *package) for package in packages.items()]
    lab = notebook(
        text("# Lab"),
        code("x = 40", "first"),
        code("print(x + 2)", "second", outputs=[printed("42\n")]),
        code("print('alone')", "third", outputs=[printed("alone\n")]),
        code(
            FIGURE,
            "figure",
            outputs=[_shown(FIGURE)],
        ),
        code("import json\nprint(json.loads('[1, 2]'))", "names"),
        code("print('measured')", "measured", tags=["measured"]),
    )
    programs = notebook(
        text("# Programs"),
        *(code(source, name) for name, source in PROGRAMS.items()),
    )
    files = {
        "index.md": toc,
        "lab.ipynb": lab,
        "programs.ipynb": programs,
        "packages.ipynb": notebook(
            text("# Packages"),
            code("import beta\nprint(beta.BOTH)", "beta"),
        ),
        "plain.md": "# Plain\n\nNothing runs here.\n",
    }
    reasons = {"measured": "It measures real time."}
    options = {"livecells_reasons": reasons, "livecells_wheels": wheels, **config}
    return shelf.build(files, **options).out


def _wheel(folder: Path, name: str, source: str) -> str:
    """A wheel with one module."""
    path = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", source)
        archive.writestr(f"{name}-1.dist-info/METADATA", f"Name: {name}\nVersion: 1\n")
    return str(path)


def _shown(source: str) -> dict[str, Any]:
    """The output of a cell whose last line is a value with HTML."""
    *body, last = source.split("\n")
    names: dict[str, Any] = {}
    exec("\n".join(body), names)
    value = eval(last, names)
    return {
        "output_type": "execute_result",
        "data": {"text/html": value._repr_html_(), "text/plain": json.dumps("figure")},
        "metadata": {},
        "execution_count": 1,
    }
