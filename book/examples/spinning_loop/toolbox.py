"""Each tool at work on the distilled case, and the table of what each is good for.

A capture is a text file with the command and what it printed, cleaned of folders and
numbers of processes.  ``captures.json`` holds what can be counted in it.  One that
cannot be renewed on this machine stays as it was, and the command says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import select
import struct
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spinning_loop.environments import ensure, python_of, quiet_environ
from spinning_loop.programs import (
    CaptureError,
    Running,
    SkippedError,
    clean,
    cores,
    find,
    machine,
    run,
    spawn,
    write_text,
)
from spinning_loop.realcase import parsed, pinned
from spinning_loop.watching import (
    APT,
    PTRACE,
    gdb_command,
    gdb_run,
    gdb_script,
    gdb_threads,
    parse_strace,
    spawn_tracer,
)

__all__ = ["TOOLS", "Capture", "Context", "capture", "read_table", "render", "rendered"]

HERE = Path(__file__).resolve().parent
SECONDS = 2.0
LOOPS = 3
MANY = 8
ATTACHES = 12  # of gdb: what a thread waits for at one moment is chance
RUNS = 10
MORE_THAN_ONE = 1.05  # CPU seconds a second


@dataclass(frozen=True, slots=True)
class Context:
    """What a capture may use."""

    #: Where the pinned environments lie (one of them holds py-spy).
    folder: Path
    #: Called with lines of progress.
    say: Callable[[str], None] = print


@dataclass(frozen=True, slots=True)
class Capture:
    """What a tool printed, and what was counted in it."""

    text: str
    figures: dict[str, Any] = field(default_factory=dict)


def victim(work: str, *, loops: int = LOOPS, seconds: float = SECONDS) -> list[str]:
    """The command of the distilled program."""
    script = str(HERE / "distilled.py")
    options = ["--loops", str(loops), "--seconds", str(seconds)]
    return [sys.executable, script, work, *options]


def shown(command: list[str]) -> str:
    """A command as a reader would type it."""
    names = {sys.executable: "python", str(HERE / "distilled.py"): "distilled.py"}
    parts = [names.get(part, part) for part in command]
    head = Path(parts[0]).name
    words = [f"'{part}'" if " " in part else part for part in parts[1:]]
    return clean("$ " + " ".join([head, *words])).strip()


def environ() -> dict[str, str]:
    """The variables of the victim: the package of this tree, and nothing else."""
    found = quiet_environ()
    source = HERE.parents[2] / "src"
    if source.is_dir():
        found["PYTHONPATH"] = str(source)
    return found


def told(work: str, **options: Any) -> dict[str, Any]:
    """Run the distilled program to its end; what it counted."""
    before = options.pop("before", [])
    with spawn([*before, *victim(work, **options)], env=environ()) as program:
        program.say("go")
        return parsed(program.wait(300))


@contextlib.contextmanager
def running_victim(seconds: float = 60) -> Iterator[Running]:
    """The distilled program at work, for tools that look at it from outside."""
    with spawn(victim("hops", seconds=seconds), env=environ()) as program:
        program.say("go")
        time.sleep(0.5)  # its loops start
        yield program


def numbers_of(pid: int) -> dict[int, str]:
    """Names for the numbers of a program and of its threads."""
    found = {pid: "PID"}
    with contextlib.suppress(OSError):
        others = sorted(int(p.name) for p in Path(f"/proc/{pid}/task").iterdir())
        for number, thread in enumerate((t for t in others if t != pid), start=1):
            found[thread] = f"TID{number}"
    return found


def lines(figures: dict[str, Any]) -> str:
    """Figures as ``name: value`` lines."""
    return "".join(f"{key}: {value}\n" for key, value in figures.items())


# ------------------------------------------------------------------ the tools


def strace(context: Context) -> Capture:
    """``strace -f -c``, attached when the imports are done."""
    tool = find("strace", APT.format("strace"))
    with spawn(victim("hops"), env=environ()) as traced:
        command = [tool, "-f", "-c", "-p", str(traced.pid)]
        with spawn_tracer(command) as tracer:
            traced.say("go")
            figures = parsed(traced.wait(300))
            words = tracer.wait(300).err
        numbers = {traced.pid: "PID"}
    rows = [line for line in words.splitlines() if " attached" not in line]
    words = "\n".join(rows)
    counted = parse_strace(words)
    return Capture(
        clean(f"{shown(command)}\n{words}", numbers),
        {
            "version": version([tool, "-V"]),
            "futex_percent": counted["futex_percent"],
            "calls": counted["calls"],
            "hop_median_ms": figures["median_ms"],
        },
    )


def strace_one(context: Context) -> Capture:
    """The same program with one call stopped by ``strace``, and with each of them.

    ``--seccomp-bpf`` lets all other calls pass.  Without it strace stops the program at
    each call, also at those that it does not show.
    """
    tool = find("strace", APT.format("strace"))
    poll = "epoll_wait" if platform.machine() in ("x86_64", "AMD64") else "epoll_pwait"
    quiet = ["-o", os.devnull]
    before: dict[str, list[str]] = {
        "nothing": [],
        "every call": [tool, "-f", *quiet],
        f"{poll} alone": [tool, "-f", "--seccomp-bpf", "-e", f"trace={poll}", *quiet],
        "futex alone": [tool, "-f", "--seccomp-bpf", "-e", "trace=futex", *quiet],
    }
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in before}
    for _ in range(3):  # in turns, so that the load of the machine meets all
        for name, tracer in before.items():
            try:
                done = told("hops", before=tracer, loops=MANY)
            except CaptureError as error:
                if re.search("not permitted|EPERM|denied", str(error), re.IGNORECASE):
                    raise SkippedError(PTRACE) from None
                raise
            found[name].append(done)
    text = "".join(
        shown([*tracer, *victim("hops", loops=MANY)]) + "\n"
        for tracer in before.values()
    )
    text += f"\n{'strace stops':<18}median of a hop, ms     hops in {SECONDS:g} s\n"
    for name, runs in found.items():
        medians = "".join(f"{one['median_ms']:>7.3f}" for one in runs)
        text += f"{name:<16}{medians}  " + "".join(f"{r['hops']:>7}" for r in runs)
        text += "\n"
    names = {"nothing": "nothing", "every call": "every", "futex alone": "futex"}
    figures: dict[str, Any] = {"version": version([tool, "-V"]), "loops": MANY}
    for name, runs in found.items():
        figures[names.get(name, "epoll")] = {
            "median_ms": [one["median_ms"] for one in runs],
            "hops": [one["hops"] for one in runs],
        }
    return Capture(text, figures)


def taskset(context: Context) -> Capture:
    """Hops with all cores and with one, in turns."""
    before = pinned()
    free: dict[int, list[float]] = {}
    one: dict[int, list[float]] = {}
    for _ in range(3):
        for loops in (1, 2, 4):
            free.setdefault(loops, []).append(told("hops", loops=loops)["median_ms"])
            kept = told("hops", loops=loops, before=before)["median_ms"]
            one.setdefault(loops, []).append(kept)
    table = "loops  median of a hop, ms, three runs each\n"
    for loops in free:
        for name, values in (("all cores", free), ("one core", one)):
            row = "".join(f"{value:>9.3f}" for value in values[loops])
            table += f"{loops:>5}  {name:<9}{row}\n"
    command = shown([*before, *victim("hops", loops=2)])
    figures = {
        "version": version([before[0], "--version"]),
        "cores": len(cores()),
        "free_ms": {str(loops): values for loops, values in free.items()},
        "pinned_ms": {str(loops): values for loops, values in one.items()},
    }
    return Capture(f"{command}\n{table}", figures)


def faulthandler(context: Context) -> Capture:
    """The stacks of all threads, from a watchdog inside the program."""
    for _ in range(5):  # the watchdog can crash the interpreter: then once more
        with spawn(victim("dump"), env=environ()) as program:
            program.say("go")
            done = program.wait(300)
        if done.code != -11:
            break
    figures = parsed(done)
    threads = done.err.count("most recent call first")
    return Capture(
        clean(f"{shown(victim('dump'))}\n{done.err}"),
        {"threads": threads, "hop_median_ms": figures["median_ms"]},
    )


def frames(context: Context) -> Capture:
    """``sys._current_frames`` a hundred times, from a thread inside the program."""
    figures = told("frames")
    text = f"{shown(victim('frames'))}\n"
    for name, seen in figures["innermost"].items():
        text += f"{name}\n"
        text += "".join(f"{count:>6}  {place}\n" for place, count in seen.items())
    return Capture(text, figures)


def py_spy(context: Context) -> str:
    """The path of py-spy: the reader's own, or the pinned one."""
    with contextlib.suppress(SkippedError):
        return find("py-spy", "pip install py-spy")
    python = ensure("tools", context.folder, context.say)
    return str(python_of(python.parent.parent).with_name("py-spy"))


def traced(command: list[str], *, timeout: float = 300) -> str:
    """What a tool that reads another process printed."""
    done = run(command, timeout=timeout, env=quiet_environ())
    words = done.out + done.err
    if done.code and re.search("permi|denied|EPERM", words, re.IGNORECASE):
        raise SkippedError(PTRACE)
    if done.code:
        last = (words.strip() or "no words").splitlines()[-1]
        raise CaptureError(f"{Path(command[0]).name} failed: {last}")
    return words


def pyspy_dump(context: Context) -> Capture:
    """``py-spy dump``: the stacks at one moment."""
    tool = py_spy(context)
    main: Counter[str] = Counter()
    loops: Counter[str] = Counter()
    with running_victim() as program:
        command = [tool, "dump", "--pid", str(program.pid)]
        for _ in range(10):
            words = traced(command)
            states = re.findall(
                r'^Thread \d+ \(([\w+]+)\): "(\w+)', words, re.MULTILINE
            )
            main.update(state for state, name in states if name == "MainThread")
            loops.update(state for state, name in states if name != "MainThread")
        numbers = numbers_of(program.pid)
    if not main:
        raise CaptureError("py-spy dump did not show the main thread")
    return Capture(
        clean(f"{shown(command)}\n{words}", numbers),
        {
            "version": version([tool, "--version"]),
            "dumps": sum(main.values()),
            "main": dict(main.most_common()),
            "loops": dict(loops.most_common()),
        },
    )


def pyspy_record(context: Context) -> Capture:
    """``py-spy record``: who runs, and with ``--gil`` who holds the lock."""
    tool = py_spy(context)
    text = ""
    figures: dict[str, Any] = {"version": version([tool, "--version"])}
    with running_victim() as program:
        for name, extra in (("running", []), ("gil", ["--gil"]), ("idle", ["--idle"])):
            file = Path(f"{context.folder}") / f"record-{os.getpid()}.txt"
            command = [tool, "record", *extra, "--threads", "--format", "raw"]
            command += ["--rate", "200", "--duration", "3", "--output"]
            options = ["--pid", str(program.pid)]
            try:
                context.folder.mkdir(parents=True, exist_ok=True)
                traced([*command, str(file), *options])
                folded = file.read_text("utf-8")
            finally:
                with contextlib.suppress(OSError):
                    file.unlink()
            rows = leaves(folded)
            threads: Counter[str] = Counter()
            for (thread, _), count in rows.items():
                threads[thread] += count
            figures[name] = dict(threads.most_common())
            line = shown([*command, "record.txt", *options])
            text += line + "\n# samples by thread and innermost function\n"
            for (thread, leaf), count in rows.most_common(6):
                text += f"{count:>6}  {thread:<12} {leaf}\n"
            text += "\n"
        numbers = numbers_of(program.pid)
    return Capture(clean(text, numbers), figures)


def leaves(folded: str) -> Counter[tuple[str, str]]:
    """Samples by thread and innermost function, from py-spy's folded stacks."""
    found: Counter[tuple[str, str]] = Counter()
    for line in folded.splitlines():
        stack, _, count = line.rpartition(" ")
        parts = stack.split(";")
        thread = next((p for p in parts if p.startswith("thread (")), "thread ()")
        name = re.sub(r"^thread \([^)]*\):? ?", "", thread)
        leaf = re.sub(r":\d+\)$", ")", parts[-1])
        found[name or "?", clean(leaf).strip()] += int(count)
    return found


def pyspy_top(context: Context) -> Capture:
    """``py-spy top`` in a terminal of our own; its last full screen."""
    tool = py_spy(context)
    with running_victim() as program:
        command = [tool, "top", "--pid", str(program.pid)]
        screen = last_screen(terminal(command, seconds=4))
        numbers = numbers_of(program.pid)
    if "GIL" not in screen:
        raise SkippedError(f"py-spy top showed nothing here; {PTRACE}")
    gil = re.search(r"GIL: ([\d.]+)%, Active: ([\d.]+)%, Threads: (\d+)", screen)
    figures: dict[str, Any] = {"version": version([tool, "--version"])}
    if gil:
        figures |= {
            "gil_percent": float(gil[1]),
            "active_percent": float(gil[2]),
            "threads": int(gil[3]),
        }
    return Capture(clean(f"{shown(command)}\n{screen}", numbers), figures)


def terminal(command: list[str], *, seconds: float) -> str:
    """What a program draws in a terminal of 24 lines of 90 columns; it is ended."""
    try:
        import fcntl
        import pty
        import signal
        import termios
    except ImportError:
        raise SkippedError("a terminal of our own needs Unix") from None

    pid, handle = pty.fork()
    if pid == 0:  # pragma: no cover - the child
        with contextlib.suppress(OSError):
            os.environ["TERM"] = "xterm"
            os.execv(command[0], command)
        os._exit(127)
    found = b""
    try:
        fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([handle], [], [], left)[0]:
                try:
                    found += os.read(handle, 65536)
                except OSError:  # the program has ended
                    break
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(handle)
    return found.decode("utf-8", "replace")


def last_screen(drawn: str) -> str:
    """The last whole screen in what a program drew."""
    parts = re.split(r"\x1b\[(?:2J|H|1;1H|\?25l)", drawn)
    whole = [part for part in parts if "Total Samples" in part and "GIL" in part]
    screen = clean((whole or [""])[-1].replace("\r", ""))
    kept = [line for line in screen.splitlines() if line.strip()]
    return "\n".join(kept[:16]) + "\n"


def gdb(context: Context) -> Capture:
    """``gdb`` with Python's script: the stacks, and who waits for the lock."""
    source = f"source {gdb_script()}"
    best, most, counts = "", (False, 0), Counter[str]()
    command: list[str] = []
    with running_victim() as program:
        numbers = numbers_of(program.pid)
        for _ in range(ATTACHES):
            command = gdb_command(source, "thread apply all py-bt")
            command += ["-p", str(program.pid)]
            words = gdb_run(command)
            threads = gdb_threads(words)
            counts["attaches"] += 1
            counts["main_waiting"] += threads.get("1") == "Waiting for the GIL"
            counts["any_waiting"] += "Waiting for the GIL" in threads.values()
            waits = (
                threads.get("1") == "Waiting for the GIL",  # the main thread is told
                list(threads.values()).count("Waiting for the GIL"),
            )
            if not best or waits > most:
                best, most = words, waits
    if not counts["any_waiting"] and "py-bt" not in best and "File " not in best:
        raise CaptureError("gdb printed no Python stacks")
    start = best.find("\nThread ")
    short = "$ gdb -q -batch -ex 'source python-gdb.py' "
    short += "-ex 'thread apply all py-bt' -p PID"
    text = clean(f"{short}\n{best[max(start, 0) :]}", numbers)
    first = version([command[0], "--version"])
    return Capture(text, {"version": first, **counts})


def getrusage(context: Context) -> Capture:
    """``resource.getrusage``: the switches of the caller, its CPU and that of all.

    Where other programs take a core, the kernel keeps all threads of ours on the other
    one, and that is the case of the last block.  So the runs with all cores are made
    again until they had more than one.  (One loop and its caller cannot use more: only
    one of them has the interpreter.)
    """
    text = ""
    figures: dict[str, Any] = {}
    if len(cores()) < 2:
        raise SkippedError("only one core may be used here: two are compared")
    for loops in (2, 4):
        found = on_several_cores(loops)
        figures[str(loops)] = found
        text += f"{shown(victim('hops', loops=loops))}\n{lines(found)}\n"
    with contextlib.suppress(SkippedError):
        found = told("hops", loops=2, before=pinned())
        figures["2_pinned"] = found
        command = [*pinned(), *victim("hops", loops=2)]
        text += f"{shown(command)}\n{lines(found)}\n"
    return Capture(text.rstrip() + "\n", figures)


def on_several_cores(loops: int) -> dict[str, Any]:
    """Hops of a run in which the program used more than one core.

    Raises:
        CaptureError: It did so in none of :data:`RUNS` runs.
    """
    for _ in range(RUNS):
        found = told("hops", loops=loops)
        if found["process_cpu_share"] > MORE_THAN_ONE:
            return found
    raise CaptureError(
        f"in {RUNS} runs with {loops} loops the program had no more than one core: "
        "other programs use the rest; wait until they are done"
    )


def time_v(context: Context) -> Capture:
    """``/usr/bin/time -v``: what a whole run cost."""
    tool = "/usr/bin/time"
    if not os.access(tool, os.X_OK):
        raise SkippedError(f"/usr/bin/time is not installed ({APT.format('time')})")
    command = [tool, "-v", *victim("hops")]
    with spawn(command, env=environ()) as program:
        program.say("go")
        done = program.wait(300)
    parsed(done)
    wanted: tuple[str, ...] = (
        "Command",
        "User time",
        "System time",
        "Percent",
        "Elapsed",
        "Maximum",
    )
    wanted += ("Voluntary", "Involuntary")
    rows = [line.strip() for line in done.err.splitlines()]
    kept = [line for line in rows if line.startswith(wanted)]
    switches = re.search(r"Voluntary context switches: (\d+)", done.err)
    if switches is None:
        raise SkippedError("this /usr/bin/time has no -v (GNU time is needed)")
    rest = [line for line in kept if not line.startswith("Command")]
    return Capture(
        f"{shown(command)}\n" + "\n".join(rest) + "\n",
        {"voluntary_switches": int(switches[1])},
    )


def debug_mode(context: Context) -> Capture:
    """asyncio's debug mode: it warns of slow callbacks, and none is slow."""
    command = victim("debug")
    with spawn(command, env={**environ(), "PYTHONASYNCIODEBUG": "1"}) as program:
        program.say("go")
        done = program.wait(300)
    found = parsed(done)
    if not found["debug"]:
        raise CaptureError("the loops were not in debug mode")
    found["lines"] = [clean(line).strip() for line in found["lines"]]
    logged = "\n".join(found["lines"] or ["(no line was logged)"])
    text = f"$ PYTHONASYNCIODEBUG=1 {shown(command)[2:]}\n{logged}\n"
    figures = {k: v for k, v in found.items() if k != "lines"}
    return Capture(text + lines(figures), found)


def lag_monitor(context: Context) -> Capture:
    """A heartbeat on every loop, while the caller waits."""
    text = ""
    figures: dict[str, Any] = {}
    for loops in (1, 2):
        found = told("lag", loops=loops)
        figures[str(loops)] = found
        text += f"{shown(victim('lag', loops=loops))}\n{lines(found)}\n"
    return Capture(text.rstrip() + "\n", figures)


def version(command: list[str]) -> str:
    """The number in the first line of what a tool says of itself."""
    done = run(command, timeout=300)
    match = re.search(r"\d+(?:\.\d+)+", done.out + done.err)
    return match.group() if match else "unknown"


TOOLS: dict[str, Callable[[Context], Capture]] = {
    "strace": strace,
    "strace_one": strace_one,
    "taskset": taskset,
    "faulthandler": faulthandler,
    "frames": frames,
    "pyspy_dump": pyspy_dump,
    "pyspy_record": pyspy_record,
    "pyspy_top": pyspy_top,
    "gdb": gdb,
    "getrusage": getrusage,
    "time": time_v,
    "debug_mode": debug_mode,
    "lag_monitor": lag_monitor,
}


# ------------------------------------------------------------------ all of them


def capture(
    output: Path,
    folder: Path,
    say: Callable[[str], None],
    only: list[str] | None = None,
) -> int:
    """Make the captures; the exit status: 1 where one failed, 3 where one is missing.

    Args:
        output: Where the files are written.
        folder: Where the pinned environments lie.
        say: Called with lines of progress.
        only: Names of :data:`TOOLS`; all of them where None.
    """
    status = 0
    for name in only or list(TOOLS):
        say(name)
        try:
            done = TOOLS[name](Context(folder, say))
        except SkippedError as error:
            print(f"capture.py: {name} left out: {error}", file=sys.stderr)
            status = status or 3
            continue
        except CaptureError as error:
            print(f"capture.py: {name} failed: {error}", file=sys.stderr)
            status = 1
            continue
        write_text(output / f"{name}.txt", done.text)
        remember(output, name, done.figures)
    return status


def remember(output: Path, name: str, figures: dict[str, Any]) -> None:
    """Put the figures of one capture into ``captures.json``."""
    path = output / "captures.json"
    try:
        known = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        known = {}
    except (OSError, ValueError) as error:
        raise CaptureError(f"{path} is not readable: remove it ({error})") from None
    known[name] = {**figures, "machine": machine()}
    ordered = {key: known[key] for key in sorted(known)}
    write_text(path, json.dumps(ordered, indent=1) + "\n")


# ------------------------------------------------------------------ the table


def read_table(path: Path = HERE / "tools.toml") -> list[dict[str, str]]:
    """The rows of ``tools.toml``.

    Raises:
        CaptureError: It cannot be read, or a row lacks one of the columns.
    """
    try:
        rows = tomllib.loads(path.read_text("utf-8"))["tool"]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise CaptureError(f"{path.name} cannot be read: {error}") from None
    for row in rows:
        for key in ("name", "capture", "needs", "shows", "misses"):
            if not isinstance(row.get(key), str) or not row[key].strip():
                raise CaptureError(f"{path.name}: {row.get('name', '?')} lacks {key!r}")
    return list(rows)


def rendered(rows: list[dict[str, str]]) -> str:
    """The table as Markdown."""
    text = "| Tool | Needs | Shows | Misses |\n| --- | --- | --- | --- |\n"
    for row in rows:
        cells = [row[key].replace("|", "\\|") for key in ("needs", "shows", "misses")]
        text += f"| {row['name']} | {' | '.join(cells)} |\n"
    return text


def render(output: Path) -> None:
    """Write ``tools.md``."""
    write_text(output / "tools.md", rendered(read_table()))
