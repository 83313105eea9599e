"""What it takes to read a recording: ``python -m benchmarks.diagnose_reading``.

CPU seconds of ``looplab who`` and ``looplab show`` on a recording of about 100,000
callbacks, and how much memory a callback takes: how much more the process had than one
that read a short recording.  It prints a table, and puts it into the README.
"""

from __future__ import annotations

import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import readme
from tools.common import say

TABLE = Path(__file__).with_name("diagnose_reading.md")
ROUNDS = 3
AIMS = {"who": 3, "show": 5}  # seconds
KB = 1  # of memory for a callback, at most
PROGRAM = """
import asyncio, sys, time
from looplab import tag

async def job(seconds):
    time.sleep(seconds)

async def client(number, messages):
    for each in range(messages):
        with tag(f"message {number % 5}"):
            await asyncio.sleep(0.02)
            await job(0.02 if number == each % 50 == 0 else 0)
            await asyncio.sleep(0)

async def main(messages):
    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(client(number, messages))
        for _ in range(messages // 10):
            await asyncio.gather(*(job(0.0001) for _ in range(50)))

asyncio.run(main(int(sys.argv[1])))
"""


def ran(command: str, *words: str) -> tuple[float, int, str]:
    """Of a command the CPU seconds, the most memory that it had, in KB, and its words.

    What this process has counts in a new one too, at first: it reads no recording.
    """
    start = [sys.executable, "-m", "looplab", command, *words]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        process = subprocess.Popen(start, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0, words
        out.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss, out.read()


def callbacks(text: str) -> int:
    """Of how many callbacks `looplab who` speaks."""
    [many] = re.findall(r"([\d,]+) callbacks in", text)
    return int(many.replace(",", ""))


def row(name: str, aim: float, values: Sequence[float]) -> str:
    """A row of the table."""
    value = statistics.median(values)
    met = "met" if value <= aim else "not met"
    return f"| {name} | {value:.2f} | {aim}: {met} |"


def main() -> None:
    """Measure, print, write."""
    with tempfile.TemporaryDirectory() as folder:
        program, page = Path(folder, "program.py"), str(Path(folder, "page.html"))
        program.write_text(PROGRAM, encoding="utf-8")
        long, short = (str(Path(folder, f"{size}.jsonl")) for size in (320, 10))
        for file in long, short:
            ran("trace", "-o", file, str(program), Path(file).stem)
        who = [ran("who", long) for _ in range(ROUNDS)]
        little = ran("who", short)
        show = [ran("show", "--html", page, long)[0] for _ in range(ROUNDS)]
    count = callbacks(who[0][2])
    more = count - callbacks(little[2])
    memory = [(used - little[1]) / more for _, used, _ in who]
    rows = [
        "| | median | aim, at most |",
        "|---|--:|--:|",
        row("`looplab who`, CPU seconds", AIMS["who"], [time for time, *_ in who]),
        row("`looplab show`, CPU seconds", AIMS["show"], show),
        row("memory for a callback, KB", KB, memory),
    ]
    load_now = os.getloadavg()[0]
    about = (
        f"{count:,} callbacks, medians of {ROUNDS} rounds, with the start of Python "
        f"{platform.python_version()}; {os.cpu_count()} cores, load average "
        f"{load_now:.1f}."
    )
    readme.write(TABLE, "\n".join([*rows, "", about, ""]))
    say(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
