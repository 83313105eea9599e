"""The published test for real: experiments D1 to D6, and how they grow with clients.

The figures go into ``captures/real.json`` and the same as a table of text into
``captures/real.txt``.  Every part that cannot run on this machine says why, and the
others still run.

Times are seconds.  The delay is a lottery, so every figure is a median over many tests
in several processes, with the quartiles and the ends beside it.  The first test of a
process also imports the event loop's back end and is counted apart.  The variants take
turns, and a block of tests during which other programs used much of the machine is
left out as long as enough quiet ones remain; the result says how many there were.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinning_loop.environments import ensure, quiet_environ
from spinning_loop.programs import (
    CaptureError,
    Done,
    SkippedError,
    clean,
    cores,
    find,
    machine,
    run,
    spawn,
    write_text,
)

__all__ = ["Size", "gdb_script", "measure", "parse_strace", "spread", "table", "write"]

HERE = Path(__file__).resolve().parent
QUIET = 0.10  # share of the machine that others may use during a quiet block
ENOUGH = 3  # a third of the blocks must be quiet, or the others are kept too

APT = "on Debian and Ubuntu: apt install {}"
PTRACE = (
    "tracing another process is not allowed here: run as root, give the container "
    "CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope to 0"
)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    rounds: int = 4
    rounds_of_two: int = 12  # of the published test itself, with two sockets
    runs: int = 10
    budget: float = 2.5  # seconds of one block of tests
    clients: tuple[int, ...] = (1, 2, 3, 4, 5, 8)
    dumps: int = 20
    attaches: int = 12
    traced_runs: int = 20


QUICK = Size(
    rounds=1,
    rounds_of_two=2,
    runs=5,
    budget=1.0,
    clients=(1, 2, 4),
    dumps=2,
    attaches=2,
    traced_runs=5,
)


class Program:
    """``sockets.py`` in one of the environments."""

    def __init__(self, python: Path) -> None:
        self.python = python

    def command(self, *arguments: object) -> list[str]:
        script = str(HERE / "sockets.py")
        return [str(self.python), "-X", "utf8", script, *map(str, arguments)]

    def result(
        self, *arguments: object, before: Sequence[str] = (), timeout: float = 120
    ) -> dict[str, Any]:
        """Run it to its end and read the JSON object that it prints."""
        command = [*before, *self.command(*arguments)]
        with spawn(command, env=quiet_environ(), timeout=60) as program:
            program.say("go")
            return parsed(program.wait(timeout))


def parsed(done: Done) -> dict[str, Any]:
    """The JSON object on the last line of what a program printed.

    Raises:
        CaptureError: The program failed, or printed something else.
    """
    words = done.err.strip().splitlines()
    if done.code:
        how = f"signal {-done.code}" if done.code < 0 else f"exit status {done.code}"
        raise CaptureError(f"the test ended with {how}: {(words or ['no words'])[-1]}")
    lines = [line for line in done.out.splitlines() if line.startswith("{")]
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise CaptureError("the test printed no result") from None
    assert isinstance(found, dict)
    return found


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Median, quartiles and ends of some seconds, and how many they are.

    Raises:
        CaptureError: There are none.
    """
    if not values:
        raise CaptureError("nothing was measured: the budget of time was too small")
    ordered = sorted(values)
    if len(ordered) > 1:
        low, _, high = statistics.quantiles(ordered, n=4, method="inclusive")
    else:
        low = high = ordered[0]
    return {
        "median": round(statistics.median(ordered), 6),
        "quartiles": [round(low, 6), round(high, 6)],
        "least": round(ordered[0], 6),
        "most": round(ordered[-1], 6),
        "tests": len(ordered),
    }


def summary(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one variant, from its quiet blocks where there are enough."""
    quiet = [b for b in blocks if b["others"] is None or b["others"] <= QUIET]
    kept = quiet if len(quiet) * ENOUGH >= len(blocks) and quiet[1:] else blocks
    found = spread([second for block in kept for second in block["seconds"]])
    found["first"] = round(statistics.median(b["first"] for b in kept), 6)
    found["blocks"] = len(kept)
    found["quiet"] = kept is quiet
    return found


# ------------------------------------------------------------------ the parts


def timed_variants(
    old: Program, new: Program | None, size: Size, say: Callable[[str], None]
) -> dict[str, Any]:
    """D1, D3, D6 and the growth: the variants take turns, so that load meets all."""
    variants: dict[str, tuple[Program, list[object], list[str]]] = {
        "old": (old, [], []),
        "slept": (old, ["--real-sleep"], []),
    }
    why: dict[str, str] = {}
    try:
        variants["pinned"] = (old, [], pinned())
    except SkippedError as error:
        why["pinned"] = str(error)
    if new is None:
        why["new"] = "the environment with today's libraries could not be made"
    else:
        variants["new"] = (new, [], [])
    blocks: dict[str, dict[int, list[dict[str, Any]]]] = {
        name: {clients: [] for clients in size.clients} for name in variants
    }
    for number in range(max(size.rounds, size.rounds_of_two)):
        every = size.clients if number < size.rounds else (2,)
        say(f"round {number + 1}, {len(every) * len(variants)} blocks of tests")
        for clients in every:
            for name, (program, extra, before) in variants.items():
                arguments = ["timed", "--clients", clients, "--runs", size.runs]
                arguments += ["--budget", size.budget, *extra]
                block = program.result(*arguments, before=before)
                if block["seconds"]:
                    blocks[name][clients].append(block)
    growth: dict[str, Any] = {
        name: {str(clients): summary(found) for clients, found in by.items() if found}
        for name, by in blocks.items()
    }
    for name, reason in why.items():
        growth[name] = {"status": "skipped", "why": reason}
    return growth


def pinned() -> list[str]:
    """The prefix that keeps a program on one core.

    Raises:
        SkippedError: There is no ``taskset``, or only one core anyway.
    """
    taskset = find("taskset", APT.format("util-linux"))
    if len(cores()) < 2:
        raise SkippedError("only one core may be used here: pinning changes nothing")
    return [taskset, "-c", str(cores()[0])]


def strace_counts(
    program: Program, size: Size, clients: int, calls: Path
) -> dict[str, Any]:
    """D2: the system calls of some tests, without those of Python's start."""
    strace = find("strace", APT.format("strace"))
    arguments = ["timed", "--clients", clients, "--runs", size.traced_runs]
    with spawn(program.command(*arguments), env=quiet_environ()) as traced:
        command = [strace, "-f", "-c", "-o", str(calls), "-p", str(traced.pid)]
        with spawn_tracer(command) as tracer:
            traced.say("go")
            block = parsed(traced.wait(180))
            tracer.wait(30)
    found = parse_strace(calls.read_text("utf-8"))
    return {**found, **spread(block["seconds"]), "first": block["first"]}


@contextlib.contextmanager
def spawn_tracer(command: list[str]) -> Any:
    """A tracer that has attached to a program of ours."""
    from spinning_loop.programs import Running

    with Running(command) as tracer:
        try:
            tracer.wait_for("attached", 20, where="err")
        except CaptureError:
            if re.search("not permitted|EPERM|denied", tracer.err(), re.IGNORECASE):
                raise SkippedError(PTRACE) from None
            raise
        yield tracer


def parse_strace(text: str) -> dict[str, Any]:
    """Shares and calls in the table that ``strace -c`` prints.

    Raises:
        CaptureError: There is no such table in the text.
    """
    calls = {}
    for line in text.splitlines():
        parts = line.split()
        if (
            len(parts) >= 5
            and re.fullmatch(r"[\d.]+", parts[0])
            and parts[-1] != "total"
        ):
            calls[parts[-1]] = {
                "percent": float(parts[0]),
                "seconds": float(parts[1]),
                "calls": int(parts[3]),
            }
    if not calls:
        raise CaptureError("strace printed no table of calls")
    futex = calls.get("futex", {"percent": 0.0, "calls": 0})
    return {
        "futex_percent": futex["percent"],
        "futex_calls": futex["calls"],
        "calls": dict(list(calls.items())[:6]),
    }


def thread_dumps(
    program: Program, size: Size, folder: Path, delay: float
) -> dict[str, Any]:
    """D4: where the threads are in a test that takes longer than *delay* seconds."""
    main: Counter[str] = Counter()
    first_at: Counter[str] = Counter()
    second_at: Counter[str] = Counter()
    together: Counter[str] = Counter()
    crashed = quick = starting = 0
    example: dict[str, str] = {}
    file = folder / "dump.txt"
    for _ in range(size.dumps):
        arguments = ["stacks", "--delay", delay, "--budget", 5, "--file", file]
        try:
            dumped = program.result(*arguments)["dumped"]
        except CaptureError as error:
            if "signal 11" not in str(error):
                raise
            crashed += 1  # the watchdog read the stack of a thread that ran on
            continue
        if not dumped:
            quick += 1
            continue
        text = file.read_text("utf-8")
        frames = innermost(text)
        if text.count(" in run_forever") != 2 or len(frames) != 3:
            starting += 1  # a loop had not started yet, or had ended
            continue
        second, first, caller = frames
        main[caller] += 1
        first_at[first] += 1
        second_at[second] += 1
        key = f"{first}; {second}; {caller}"
        together[key] += 1
        example.setdefault(key, text)
    if not main:
        raise SkippedError(
            f"none of {size.dumps} processes had a test that took {delay:g} s "
            "with both loops running: this machine is too quick for this part"
        )
    places = [count.most_common(1)[0][0] for count in (first_at, second_at, main)]
    likest = max(example, key=lambda key: (matches(key, places), together[key]))
    return {
        "delay": delay,
        "dumps": sum(main.values()),
        "crashed": crashed,
        "too_quick": quick,
        "starting": starting,
        "main": dict(main.most_common()),
        "loops": dict((first_at + second_at).most_common()),
        "usual": "; ".join(places),
        "together": dict(together.most_common()),
        "example": clean(example[likest]),
    }


def matches(key: str, places: list[str]) -> int:
    """How many threads of a dump are where they usually are."""
    return sum(a == b for a, b in zip(key.split("; "), places, strict=True))


def innermost(text: str) -> list[str]:
    """The innermost function of each thread of a dump, the newest thread first."""
    names = []
    for part in re.split(r"^(?:Current )?[Tt]hread 0x", text, flags=re.MULTILINE)[1:]:
        first = part.splitlines()[1].strip() if len(part.splitlines()) > 1 else ""
        match = re.search(r" in (.+)$", first)
        names.append(match.group(1) if match else "no Python frame")
    return names


def gdb_script() -> Path:
    """The file that teaches gdb about Python's frames, for this interpreter.

    Raises:
        SkippedError: It is not there.
    """
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    real = Path(sys.executable).resolve()
    places = [
        Path(sys.base_prefix) / "bin" / f"{name}-gdb.py",
        real.with_name(f"{real.name}-gdb.py"),
        Path("/usr/share/gdb/auto-load/usr/bin") / f"{name}-gdb.py",
        Path(f"/usr/share/gdb/auto-load{real}-gdb.py"),
    ]
    for place in places:
        if place.is_file():
            return place
    raise SkippedError(
        f"gdb's script for this interpreter ({name}-gdb.py) was not found: it comes "
        f"with a Python built from source, or with Debian's {name}-dbg"
    )


def gdb_command(*parts: str, core: tuple[Path, Path] | None = None) -> list[str]:
    """``gdb`` that runs some commands and ends."""
    gdb = find("gdb", APT.format("gdb"))
    command = [gdb, "-q", "-batch", "-nx", "-iex", "set auto-load no"]
    command += ["-iex", "set debuginfod enabled off", "-iex", "set pagination off"]
    command += ["-iex", "set width 0"]
    for part in parts:
        command += ["-ex", part]
    if core is not None:
        command += [str(core[0]), str(core[1])]
    return command


def gdb_run(command: list[str]) -> str:
    done = run(command, timeout=120, env=quiet_environ())
    words = done.out + done.err
    if re.search(r"ptrace: (Operation not permitted|Permission denied)", words):
        raise SkippedError(PTRACE)
    if 'Undefined command: "py-bt"' in words or "Python scripting is not" in words:
        raise SkippedError("this gdb was built without Python: install the full gdb")
    return done.out


def gdb_threads(text: str) -> dict[str, str]:
    """What each thread is at, in the output of ``thread apply all py-bt``."""
    found = {}
    for part in re.split(r"^(?=Thread \d+ \()", text, flags=re.MULTILINE):
        match = re.match(r"Thread (\d+) \(", part)
        if match:
            found[match.group(1)] = (
                "Waiting for the GIL" if "Waiting for the GIL" in part else "other"
            )
    return found


def gdb_waits(program: Program, size: Size, folder: Path) -> dict[str, Any]:
    """D5: ask a debugger what the threads wait for; live several times, then a core."""
    script = gdb_script()
    source = f"source {script}"
    live: list[dict[str, str]] = []
    example = ""
    arguments = ["timed", "--runs", 10_000_000, "--budget", 120]
    with spawn(program.command(*arguments), env=quiet_environ()) as traced:
        traced.say("go")
        for _ in range(size.attaches):
            command = gdb_command(source, "thread apply all py-bt")
            text = gdb_run([*command, "-p", str(traced.pid)])
            threads = gdb_threads(text)
            if not threads:
                raise CaptureError("gdb showed no threads")
            live.append(threads)
            if not example and threads.get("1") == "Waiting for the GIL":
                example = text
        core = core_dump(traced.pid, program, folder, source)
    # gdb numbers the main thread 1.
    main = sum(threads.get("1") == "Waiting for the GIL" for threads in live)
    loops = [s for threads in live for number, s in threads.items() if number != "1"]
    return {
        "attaches": len(live),
        "main_waiting": main,
        "any_waiting": sum("Waiting for the GIL" in t.values() for t in live),
        "loops_waiting": loops.count("Waiting for the GIL"),
        "loops_seen": len(loops),
        "main": "Waiting for the GIL" if main else "something else",
        "core": core,
        "example": clean(example[max(example.find("\nThread "), 0) :]),
    }


def core_dump(
    pid: int, program: Program, folder: Path, source: str
) -> dict[str, Any] | str:
    """The same question to a core file, as the article did; it is removed again."""
    if shutil.disk_usage(folder).free < 3_000_000_000:
        return "left out: a core file needs 3 GB of free space for the moment"
    file = folder / "core"
    try:
        gdb_run([*gdb_command(f"generate-core-file {file}"), "-p", str(pid)])
        if not file.exists():
            return "gdb wrote no core file"
        command = gdb_command(
            source, "thread apply all py-bt", core=(program.python, file)
        )
        text = gdb_run(command)
        # In a core the main thread need not be number 1.
        return {
            "threads": len(gdb_threads(text)),
            "waiting": list(gdb_threads(text).values()).count("Waiting for the GIL"),
        }
    finally:
        with contextlib.suppress(OSError):
            file.unlink()


# ------------------------------------------------------------------ all of it


def attempt(
    name: str, work: Callable[[], dict[str, Any]], say: Callable[[str], None]
) -> dict[str, Any]:
    """The figures of a part, or the reason why there are none."""
    say(name)
    try:
        return {"status": "ran", **work()}
    except SkippedError as error:
        say(f"{name}: skipped, {error}")
        return {"status": "skipped", "why": str(error)}
    except CaptureError as error:
        say(f"{name}: failed, {error}")
        return {"status": "failed", "why": str(error)}


def measure(
    folder: Path, size: Size | None = None, say: Callable[[str], None] = print
) -> dict[str, Any]:
    """Run all parts that this machine allows.

    Args:
        folder: Where the environments lie or will be made.
        size: How much to measure.
        say: Called with lines of progress.

    Returns:
        What ``captures/real.json`` holds.

    Raises:
        CaptureError: Not even the old environment could be made.
    """
    size = size or Size()
    described = machine()
    old = Program(ensure("old", folder, say))
    new: Program | None = None
    reason = ""
    try:
        new = Program(ensure("new", folder, say))
    except CaptureError as error:
        reason = str(error)
        say(f"today's libraries: skipped, {reason}")
    versions = {"old": read_versions(old)}
    if new is not None:
        versions["new"] = read_versions(new)
    found: dict[str, Any] = {"machine": described, "versions": versions}
    with tempfile.TemporaryDirectory(prefix="spinning-loop-") as place:
        here = Path(place)

        def growth() -> dict[str, Any]:
            return timed_variants(old, new, size, say)

        found["growth"] = attempt("D1, D3, D6 and the growth", growth, say)
        sides = {"old": old} if new is None else {"old": old, "new": new}
        for side, program in sides.items():

            def idle(program: Program = program) -> dict[str, Any]:
                return program.result("idle", "--clients", 4, "--seconds", 0.3)

            name = f"idle sessions, {side} libraries"
            found.setdefault("idle", {})[side] = attempt(name, idle, say)
        two = str(2)
        for key, variant in (("D1", "old"), ("D3", "pinned"), ("D6", "slept")):
            found[key] = picked(found["growth"], variant, two)
        usual = found["D1"].get("median", 0.01)

        def calls() -> dict[str, Any]:
            return strace_counts(old, size, 2, here / "calls")

        def many_calls() -> dict[str, Any]:
            return strace_counts(old, size, max(size.clients), here / "calls")

        found["D2"] = attempt("D2, strace", calls, say)
        found["D2_most_clients"] = attempt("D2, strace, most clients", many_calls, say)
        found["D4"] = attempt(
            "D4, stacks",
            lambda: thread_dumps(old, size, here, round(usual * 2, 4)),
            say,
        )
        found["D5"] = attempt("D5, gdb", lambda: gdb_waits(old, size, here), say)
    described["load_after"] = machine()["load_before"]
    return found


def picked(growth: dict[str, Any], variant: str, clients: str) -> dict[str, Any]:
    """The row of one variant with that many clients."""
    if growth["status"] != "ran":
        return {"status": growth["status"], "why": growth["why"]}
    if growth[variant].get("status") == "skipped":
        return dict(growth[variant])
    if clients not in growth[variant]:
        return {"status": "failed", "why": "no test ended within the budget"}
    return {"status": "ran", **growth[variant][clients]}


def read_versions(program: Program) -> dict[str, str]:
    done = run(program.command("versions"), timeout=60, env=quiet_environ())
    return {str(k): str(v) for k, v in parsed(done).items()}


# ------------------------------------------------------------------ the table


def milliseconds(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def cell(figures: dict[str, Any] | None) -> str:
    if not figures or "median" not in figures:
        return "-"
    low, high = figures["quartiles"]
    return (
        f"{milliseconds(figures['median'])} [{milliseconds(low)}..{milliseconds(high)}]"
    )


def row(label: str, part: dict[str, Any], say: Callable[[dict[str, Any]], str]) -> str:
    what = say(part) if part["status"] == "ran" else f"{part['status']}: {part['why']}"
    return f"{label:<34} {what}"


def table(found: dict[str, Any]) -> str:
    """The figures as lines of text, at most 79 columns wide where nothing failed."""
    m, old = found["machine"], found["versions"]["old"]
    new = found["versions"].get("new")
    names = ("fastapi", "starlette", "anyio")
    lines = [
        f"old: {', '.join(f'{n} {old[n]}' for n in names)}",
        f"new: {', '.join(f'{n} {new[n]}' for n in names)}" if new else "new: not made",
        f"Python {m['python']} {m['build']}, {m['system']} {m['kernel']}, "
        f"{m['cores']} core{'s' if m['cores'] != 1 else ''}",
        m["processor"],
        f"load {m['load_before']} before, {m['load_after']} after",
        "",
        "milliseconds of one test: median [quartiles], least..most",
    ]

    def timing(part: dict[str, Any]) -> str:
        ends = f"{milliseconds(part['least'])}..{milliseconds(part['most'])}"
        return f"{cell(part)}, {ends}, {part['tests']} tests"

    lines += [
        row("D1 two sockets at once, old", found["D1"], timing),
        row(
            "   first test of a process",
            found["D1"],
            lambda p: milliseconds(p["first"]),
        ),
        row("D3 the same on one core", found["D3"], timing),
        row("D6 the same, sleep(0.001)", found["D6"], timing),
        row("   the same, new libraries", picked(found["growth"], "new", "2"), timing),
        "",
    ]

    def calls(part: dict[str, Any]) -> str:
        return (
            f"futex {part['futex_percent']:.1f} % of system time, "
            f"{milliseconds(part['median'])} ms a test"
        )

    def waits(part: dict[str, Any]) -> str:
        return (
            f"main in {part['main_waiting']}, any thread in {part['any_waiting']} "
            f"of {part['attaches']}"
        )

    lines += [
        row("D2 strace -c, two sockets", found["D2"], calls),
        row("   most sockets", found["D2_most_clients"], calls),
        row("D4 dumps: first; second; main", found["D4"], lambda p: p["usual"]),
        row("   main thread in", found["D4"], lambda p: counted(p["main"])),
        row("   loop threads in", found["D4"], lambda p: counted(p["loops"])),
        row("   interpreter crashed in", found["D4"], lambda p: str(p["crashed"])),
        row("D5 gdb: Waiting for the GIL", found["D5"], waits),
        "",
    ]
    for side, part in found["idle"].items():
        lines.append(
            row(
                f"four idle sessions, {side}",
                part,
                lambda p: (
                    f"{p['turns']:,} loop turns in {p['seconds']:.2f} s, "
                    f"{p['cpu'] / p['seconds']:.0%} of a core"
                ),
            )
        )
    growth = found["growth"]
    if growth["status"] != "ran":
        return "\n".join([*lines, f"growth {growth['status']}: {growth['why']}"]) + "\n"
    ran = [v for v in ("old", "pinned", "slept", "new") if "status" not in growth[v]]
    lines += ["", "milliseconds by number of sockets: median [quartiles]"]
    lines.append("sockets " + "".join(f"{name:>18}" for name in ran).rstrip())
    counts = sorted({int(n) for name in ran for n in growth[name]})
    for count in counts:
        cells = [f"{cell(growth[name].get(str(count))):>18}" for name in ran]
        lines.append(f"{count:>7} " + "".join(cells))
    loud = sum(not p["quiet"] for name in ran for p in growth[name].values())
    lines.append(f"{loud} of the figures were taken while other programs were busy")
    return "\n".join(lines) + "\n"


def counted(found: dict[str, int]) -> str:
    parts = [f"{name} {count}" for name, count in list(found.items())[:4]]
    left = sum(list(found.values())[4:])
    return ", ".join([*parts, f"others {left}"] if left else parts)


def write(found: dict[str, Any], folder: Path) -> None:
    """Write ``real.json`` and ``real.txt``."""
    text = table(found)
    whole = {**found, "table": text}
    write_text(folder / "real.json", json.dumps(whole, indent=1) + "\n")
    write_text(folder / "real.txt", text)


def failed(found: dict[str, Any]) -> list[str]:
    """The parts that ran and failed: a reason to end with an error."""
    parts = {**found, **{f"idle {k}": v for k, v in found.get("idle", {}).items()}}
    return [
        name
        for name, part in parts.items()
        if isinstance(part, dict) and part.get("status") == "failed"
    ]


def skipped(found: dict[str, Any]) -> list[str]:
    """The parts that this machine does not allow."""
    parts = {**found, **{f"growth {k}": v for k, v in found["growth"].items()}}
    return [
        name
        for name, part in parts.items()
        if isinstance(part, dict) and part.get("status") == "skipped"
    ]
