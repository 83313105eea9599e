"""``08-judge``: six programs, and the tool that each of them needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_verdicts

__all__ = ["CORES", "PROGRAMS", "SLICE", "TOOLS", "Program", "tool_for"]

#: The cores of the machine, and seconds after which a thread is interrupted.
CORES, SLICE = 4, 0.005

#: What there is to choose from, the simplest first.
TOOLS = ("asyncio", "threads", "processes")


@dataclass(frozen=True, slots=True)
class Program:
    """What is asked of a program.  Times are seconds."""

    #: Requests in a second, which come evenly spaced.
    rate: float
    #: What a request computes, in Python, without a pause.
    cpu: float
    #: What it waits for a database.
    waits: float
    #: Whether the driver of that database is async.
    driver: bool
    #: For how long anything else may be held up.
    bound: float


#: ``08-judge``: the programs, by their names.
PROGRAMS = {
    "gateway": Program(400, 0.001, 0.2, True, 0.005),
    "reports": Program(2, 0.3, 0.0, True, 0.05),
    "thumbnails": Program(10, 0.25, 0.0, True, 0.5),
    "old driver": Program(20, 0.001, 0.1, False, 0.02),
    "small office": Program(2, 0.001, 0.01, False, 0.05),
    "control": Program(5, 0.02, 0.0, True, 0.002),
}


def tool_for(program: Program) -> str:
    """The first of :data:`TOOLS` that keeps up and keeps the bound."""
    # A driver that is not async holds the loop while it waits.
    held = program.cpu + (0.0 if program.driver else program.waits)
    if program.rate * held < 1 and held <= program.bound:
        return "asyncio"
    # With the GIL threads share one core, and each is interrupted after a slice.
    if program.rate * program.cpu < 1 and min(program.cpu, SLICE) <= program.bound:
        return "threads"
    return "processes"


def _hint(program: Program, right: str) -> str:
    if right == "asyncio":
        return "how long does one request hold the loop, and may it?"
    if right == "threads":
        if program.driver:
            return "the loop is held longer than it may be; who interrupts a thread?"
        return "this driver holds the loop while it waits; and a thread?"
    if program.rate * program.cpu >= 1:
        return "how many cores does it compute on, with one lock for all threads?"
    return "after how long does a thread let go, and how long may anything be held up?"


@exercise("08-judge")
def check_judge(answer: Any) -> str:
    """The answer is a dict: for each program of ``PROGRAMS`` one of ``TOOLS``.

    It is the first of them, from the left, that keeps up with the requests on
    :data:`CORES` cores and holds nothing up for longer than the program's bound: a loop
    interrupts nobody, threads share one core and are interrupted after :data:`SLICE`
    seconds, and each process has a core.
    """
    right = {name: tool_for(program) for name, program in PROGRAMS.items()}
    need_verdicts(
        answer,
        {name: (tool, _hint(PROGRAMS[name], tool)) for name, tool in right.items()},
        TOOLS,
        say="say program: tool for each",
        missing="tool for",
        all_of_them="all six",
    )
    count = list(right.values()).count("asyncio")
    return f"all six. asyncio is the right tool for {count} of them."
