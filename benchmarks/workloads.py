"""What is measured: the contestants, the workloads and their sizes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CHOICES",
    "LOOPS",
    "OURS",
    "TASKS",
    "TRACERS",
    "WORKLOADS",
    "Contestant",
    "Workload",
]

OURS = "VirtualTimeLoop"
TASKS = 1000  # that sleep
CHAINS = 100  # of callbacks, each of which schedules the next
BATCH = 1000  # null callbacks that are ready at once


@dataclass(frozen=True)
class Contestant:
    """One row: a loop or a tracer.

    Args:
        name: The row's name.
        package: The distribution that it comes from; "" for Python's or our own.
        needs: The oldest Python that it runs on.
        peer: Whether it is an asyncio loop with a virtual clock of somebody else.
        note: What the reader must know to read the row right.
    """

    name: str
    package: str = ""
    needs: tuple[int, int] = (3, 11)
    peer: bool = False
    note: str = ""


LOOPS = (
    Contestant(OURS, note="charges CPU time; default settings"),
    Contestant(
        "seedloop",
        "seedloop",
        (3, 12),
        peer=True,
        note="charges no CPU time; its inner loop alone",
    ),
    Contestant("aiotools", "aiotools", peer=True, note="charges no CPU time"),
    Contestant(
        "async-solipsism", "async-solipsism", peer=True, note="charges no CPU time"
    ),
    Contestant("looptime", "looptime", peer=True, note="charges no CPU time"),
    Contestant(
        "simloop",
        "simloop",
        (3, 12),
        peer=True,
        note="charges no CPU time; shuffles its ready queue, records each callback",
    ),
    Contestant(
        "trio MockClock",
        "trio",
        note="not asyncio; charges no CPU time, but a program can move the clock",
    ),
)
STOCK = Contestant("stock loop", note="asyncio's own, in real time")
TRACERS = (
    Contestant("untraced"),
    Contestant("LoopTracer", note="while it records"),
    Contestant("LoopTracer, read", note="and makes its Trace afterwards"),
    Contestant("VizTracer", "viztracer", note="while it records function calls"),
    Contestant("VizTracer, read", "viztracer", note="and parses its data afterwards"),
    Contestant("asyncio debug mode", note="keeps where each callback was made"),
)


@dataclass(frozen=True)
class Workload:
    """One table.

    Args:
        key: The name for the worker.
        choice: The word after ``--only`` that selects it.
        about: The title of a table of times, with a place for the size.
        counted_about: The title of a table of instructions.
        what: One unit of the size.
        contestants: The rows.
        size: How many units a full run has.
        quick: How many a quick run has.
        counted: Two sizes; instructions are counted as the difference between them.
        each: Whether a time is given per unit, in microseconds, and not as a whole.
        aim: The row that is judged, its highest ratio, and that in words.
        aim_on_time: Whether times are judged too, or only instructions.
        remark: A sentence for the method.
    """

    key: str
    choice: str
    about: str
    counted_about: str
    what: str
    contestants: tuple[Contestant, ...]
    size: int
    quick: int
    counted: tuple[int, int]
    each: bool = False
    aim: tuple[str, float, str] | None = None
    aim_on_time: bool = False
    remark: str = ""

    def title(self, size: int | None = None) -> str:
        """The title of the times for a size; the default is that of a full run."""
        return self.about.format(self.size if size is None else size)


AIM = (OURS, 0.9, "at most 0.9 of the fastest peer on asyncio")
TRACE_AIM = ("LoopTracer", 1.4, "at most 1.4 of an untraced null callback")
NULL = (
    "A null callback is made with call_soon and run; it does nothing. "
    f"{BATCH:,} of them are ready at once."
)

WORKLOADS = (
    Workload(
        "sleeps",
        "sleeps",
        f"{{:,}} sleeps over {TASKS:,} tasks, all delays different",
        f"Instructions per sleep, {TASKS:,} tasks, all delays different",
        "sleep",
        LOOPS,
        100_000,
        10_000,
        (2_000, 12_000),
        aim=AIM,
        aim_on_time=True,
        remark="The delays are random with a fixed seed.",
    ),
    Workload(
        "equal",
        "sleeps",
        f"{{:,}} sleeps over {TASKS:,} tasks, all delays equal",
        f"Instructions per sleep, {TASKS:,} tasks, all delays equal",
        "sleep",
        LOOPS,
        100_000,
        10_000,
        (2_000, 12_000),
        remark="All tasks wake at the same instants.",
    ),
    Workload(
        "soon",
        "soon",
        "{:,} calls of call_soon",
        "Instructions per call of call_soon",
        "callback",
        (*LOOPS, STOCK),
        1_000_000,
        100_000,
        (10_000, 60_000),
        aim=AIM,
        aim_on_time=True,
        remark=(
            f"{CHAINS} chains, in which each callback schedules the next. Trio has no "
            f"call_soon: there, {CHAINS} tasks pass checkpoints, the nearest it has."
        ),
    ),
    Workload(
        "trace-stock",
        "trace",
        "{:,} null callbacks on the stock loop, traced",
        "Instructions per null callback on the stock loop, traced",
        "callback",
        TRACERS,
        50_000,
        20_000,
        (4_000, 24_000),
        each=True,
        aim=TRACE_AIM,
        remark=NULL,
    ),
    Workload(
        "trace-virtual",
        "trace",
        f"{{:,}} null callbacks on {OURS}, traced",
        f"Instructions per null callback on {OURS}, traced",
        "callback",
        TRACERS,
        50_000,
        20_000,
        (4_000, 24_000),
        each=True,
        aim=TRACE_AIM,
        remark=NULL,
    ),
)
CHOICES = tuple(dict.fromkeys(one.choice for one in WORKLOADS))
