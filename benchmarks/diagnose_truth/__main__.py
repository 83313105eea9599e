"""Is ``looplab trace`` right?  ``python -m benchmarks.diagnose_truth``.

Recordings are held against a client, against planted faults, and against what changes
brought that were predicted.  :mod:`.load` is the client, :mod:`.planted` the services.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import Any

from benchmarks import common, readme
from looplab._numbers import percentile
from looplab.diagnose import (
    Change,
    DisagreementError,
    Recording,
    faster,
    load,
    move,
    predict,
    requests,
    workers,
)
from looplab.diagnose.prediction import SHARES, UNLIKE, UNLIKE_S, by_chance
from tools.common import ROOT, ToolError, say

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "results.md"
PINS = common.FOLDER / "diagnose_requirements.txt"
NEAR, NEAR_S = 0.15, 0.010
PATIENCE = 300  # seconds for a client
STOP = 20  # seconds for a service to end; a recording survives a kill
SHORT = 0.005  # seconds; of shorter times a share would be large and say little
#: What counts, by the key of the rows, and the least that we aim at of them.
COUNTED = {"client": "p90 near", "culprits": "right", "what-if": "holds"}
AIMS = {"client": 0.9, "culprits": 1.0, "what-if": 0.8}

#: For each service its command, and by path its endpoint and requests a second.
SERVICES: dict[str, tuple[list[str], dict[str, tuple[str, int]]]] = {
    "FastAPI": (
        ["uvicorn", "--factory", "fastapi:FastAPI", "--port", "{port}"],
        {"/docs": ("GET /docs", 12), "/openapi.json": ("GET /openapi.json", 12)},
    ),
    "jupyter-server": (
        [
            *["jupyter-server", "--no-browser", "--allow-root", "--port={port}"],
            *["--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="],
            "--ServerApp.root_dir={folder}",
        ],
        {
            "/api": ("GET jupyter_server.base.handlers.APIVersionHandler", 12),
            "/api/status": (
                "GET jupyter_server.services.api.handlers.APIStatusHandler",
                12,
            ),
        },
    ),
    "dask scheduler": (
        [
            *["dask", "scheduler", "--host", "127.0.0.1", "--port", "0"],
            *["--dashboard-address", "127.0.0.1:{port}"],
        ],
        {"/health": ("GET distributed.http.health.HealthHandler", 20)},
    ),
    "datasette": (
        ["datasette", "--memory", "--port", "{port}"],
        {"/-/versions.json": ("GET /-/versions.json", 12), "/": ("GET /", 12)},
    ),
    "aiohttp": (
        ["adev", "serve", "--port", "{port}", "{folder}"],
        {"/": ("GET /", 20)},
    ),
}
FAULTS = {
    "hash": ("hash_it",),
    "json": ("dump_it",),
    "sleep": ("sleep_it",),
    "storm": ("job", "spin"),
    "poll": ("poll",),
    "lock": ("wait_for_lock",),
}
#: The faults of the programs that are recorded again and again; one has none.
REPEATED = ("", "hash", "sleep", "storm")
#: The mends: what is asked of the replay, and how the program is mended.
MENDS: list[tuple[str, Change, dict[str, str]]] = [
    ("hash", move("GET /work", 32), {"MENDED": "thread"}),
    ("sleep", move("GET /work", 32), {"MENDED": "thread"}),
    ("json", faster("GET /work", 2), {"SIZE": "0.5"}),
    ("hash", faster("GET /work", 4), {"SIZE": "0.25"}),
    ("storm", workers("job", 1), {"MENDED": "workers"}),
]
PLANTED = ("GET:/ping:40", "GET:/work:5")
FRAMEWORKS = ("fastapi", "aiohttp")


# -- one run ----------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """What was recorded, and what the client saw: seconds by path."""

    recording: Recording
    client: dict[str, list[float]]


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def run(
    python: Path,
    command: Sequence[str],
    asked: Sequence[str],
    *,
    seconds: float,
    seed: int,
    environ: Mapping[str, str] | None = None,
) -> Run:
    """Serve with *command*, ask, stop.

    Args:
        python: of the environment of the benchmark.
        command: words after ``looplab trace``; ``{port}`` and ``{folder}`` are filled.
        asked: ``METHOD:PATH:RATE`` for the client.
        seconds: how long it asks.
        seed: of its schedule.
        environ: more variables for the service.

    Raises:
        ToolError: if the client fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        words = [word.format(port=port, folder=folder) for word in command]
        path = Path(folder, "t.jsonl")
        trace = [str(python), "-m", "looplab", "trace", "-o", str(path)]
        service = subprocess.Popen(
            [*trace, *words],
            cwd=folder,
            env=_environ(python) | dict(environ or {}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            done = subprocess.run(
                [python, HERE / "load.py", str(port), str(seconds), str(seed), *asked],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        finally:
            os.killpg(service.pid, signal.SIGINT)
            try:
                service.wait(timeout=STOP)
            except subprocess.TimeoutExpired:
                os.killpg(service.pid, signal.SIGKILL)
                service.wait()
        if done.returncode:
            raise ToolError(f"the client of {words[0]} failed: {done.stderr[-500:]}")
        client: dict[str, list[float]] = {}
        for line in done.stdout.splitlines():
            name, _, took = line.rpartition(",")
            client.setdefault(name, []).append(float(took))
        return Run(load(path)[0], client)


def _environ(python: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(python.parent), kept.get("PATH", "")])
    return kept | {"PYTHONPATH": str(ROOT / "src"), "PATH": path}


# -- what is held against what ----------------------------------------------------


def near(ours: float, theirs: float) -> bool:
    """Whether two times agree, by the measure of this benchmark."""
    return abs(ours - theirs) <= max(NEAR_S, NEAR * theirs)


def latencies(made: Run) -> dict[str, list[float]]:
    """Seconds by endpoint, as recorded."""
    of: dict[str, list[float]] = {}
    for request in requests(made.recording):
        of.setdefault(request.endpoint, []).append(request.latency)
    return of


def against_client(
    python: Path, rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """Recorded p90 and p99 of each endpoint beside the client's."""
    for name, (command, paths) in SERVICES.items():
        asked = [f"GET:{path}:{rate}" for path, (_, rate) in paths.items()]
        for seed in range(rounds):
            made = run(python, command, asked, seconds=seconds, seed=seed)
            ours = latencies(made)
            for path, (endpoint, _) in paths.items():
                theirs = made.client[path]
                row: dict[str, Any] = {
                    "service": name,
                    "endpoint": path,
                    "seed": seed,
                    "n": len(theirs),
                }
                for what, percent in (("p90", 90), ("p99", 99)):
                    # The first request waits for the service to be up.
                    recorded = ours.get(endpoint, [])[-len(theirs) :]
                    if not recorded:
                        row |= {what: None, f"{what} near": False}
                        continue
                    mine, client = (
                        percentile(recorded, percent),
                        percentile(theirs, percent),
                    )
                    row |= {what: [mine, client], f"{what} near": near(mine, client)}
                say(f"  {row}")
                yield row


def planted(python: Path, framework: str, environ: dict[str, str], **how: Any) -> Run:
    """A run of a service with a planted fault."""
    command = [str(HERE / "planted.py"), framework, "{port}"]
    return run(python, command, PLANTED, environ=environ, **how)


def first_culprits(python: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Whether the planted fault is named first."""
    for framework in FRAMEWORKS:
        for fault, functions in FAULTS.items():
            made = planted(python, framework, {"FAULT": fault}, seconds=seconds, seed=1)
            first = made.recording.blame()[0]
            right = first.function.endswith(functions)
            row = {
                "framework": framework,
                "fault": fault,
                "first": first.name,
                "place": first.place.rpartition("/")[2],
                "function": first.function,
                "right": right,
            }
            say(f"  {row}")
            yield row


def repeated(python: Path, seconds: float, rounds: int) -> Iterator[dict[str, Any]]:
    """What is recorded of programs in which nothing changes."""
    programs = list(product(FRAMEWORKS, REPEATED))
    recorded: dict[tuple[str, str], list[dict[str, list[float]]]] = {}
    for _ in range(rounds):  # a program is not recorded twice in a row
        for framework, fault in programs:
            how: dict[str, Any] = {"seconds": seconds, "seed": 1}
            times = latencies(planted(python, framework, {"FAULT": fault}, **how))
            recorded.setdefault((framework, fault), []).append(times)
            say(f"  {framework} {fault}: p90 {percentile(times['GET /ping'], 90)}")
    for program, runs in recorded.items():
        yield row(*program, runs)


def predicted(python: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Whether the range of what-if holds the p90 that was recorded after the change.

    The client's p90 stands beside it.  It has more in it, which no change of a service
    moves: to connect, and what the client's own loop takes.
    """
    for framework in FRAMEWORKS:
        for fault, change, mended in MENDS:
            how: dict[str, Any] = {"seconds": seconds, "seed": 1}
            before = planted(python, framework, {"FAULT": fault}, **how)
            row: dict[str, Any] = {
                "framework": framework,
                "fault": fault,
                "change": str(change),
            }
            try:
                figure = predict(before.recording, change).figure("GET /ping")
            except DisagreementError as exc:
                row |= {"refused": str(exc), "holds": False}
            else:
                environ = {"FAULT": fault, **mended}
                after = planted(python, framework, environ, **how)
                measured = percentile(latencies(after)["GET /ping"], 90)
                row |= {
                    "before": figure.recorded,
                    "range": [figure.low, figure.high],
                    "measured": measured,
                    "client": [
                        percentile(made.client["/ping"], 90) for made in (before, after)
                    ],
                    "holds": figure.low <= measured <= figure.high,
                }
            say(f"  {row}")
            yield row


# -- how far recordings of one unchanged program differ ---------------------------


def row(
    framework: str, fault: str, recorded: Sequence[Mapping[str, Sequence[float]]]
) -> dict[str, Any]:
    """What is kept of the recordings of one program.

    Args:
        framework: what it serves with.
        fault: what is planted in it.
        recorded: for each recording, seconds by endpoint.

    Returns:
        By endpoint and percentile, of each recording the range in which another one is
        likely, and the value.
    """
    times = {}
    for endpoint in recorded[0]:
        of = [seconds[endpoint] for seconds in recorded]
        times[endpoint] = {
            what: [[*by_chance(own, share), percentile(own, 100 * share)] for own in of]
            for what, share in SHARES
        }
    return {"framework": framework, "fault": fault, "times": times}


def needed(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """What the ranges lack to hold 19 of 20 pairs of recordings.

    Returns:
        As a share of the time, of times from :data:`SHORT` on; and in seconds, of
        shorter ones, of which a share would be large and say little.
    """
    shares, seconds = [], []
    for low, high, value in _pairs(rows):
        lacking = max(0.0, low - value, value - high)
        if value >= SHORT:
            shares.append(lacking / (low if value < low else high))
        else:
            seconds.append(lacking)
    return percentile(shares or [0.0], 95), percentile(seconds or [0.0], 95)


def _pairs(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, float, float]]:
    """The range of each recording, and the value of each other one of the program."""
    for program in rows:
        for by_share in program["times"].values():
            for recordings in by_share.values():
                for (low, high, _), (_, _, value) in permutations(recordings, 2):
                    yield low, high, value


# -- the tables of the page -------------------------------------------------------


def table(results: dict[str, Any]) -> str:
    """All that was measured, in Markdown."""
    parts = [
        f"{results['cores']} cores, load {results['load']:.1f} at the beginning. "
        f"{results['python']}."
    ]
    for name, (title, heads, cells) in TABLES.items():
        rows = results[name]
        right = sum(row[COUNTED[name]] for row in rows)
        met = "Met" if right >= AIMS[name] * len(rows) else "Not met"
        parts += [
            _lines(title, heads, [cells(row) for row in rows]),
            f"Aim: {AIMS[name]:.0%} of the rows. {met}: {right} of {len(rows)}.",
        ]
    return "\n\n".join([*parts, _repeats(results["repeats"])]) + "\n"


def _ms(*seconds: float | None, to: str = " / ") -> str:
    return to.join(
        "–" if each is None else f"{1000 * each:.{1 if each >= 0.01 else 2}f}"
        for each in seconds
    )


def _lines(title: str, heads: str, rows: list[list[str]]) -> str:
    cells = [head.strip() for head in heads.split("|")]
    lines = [cells, ["---"] * len(cells), *rows]
    return "\n".join([f"**{title}**", "", *map(readme.line, lines)])


def _client(row: dict[str, Any]) -> list[str]:
    times = [each for what in ("p90", "p99") for each in row[what] or (None, None)]
    near = " and ".join(what for what in ("p90", "p99") if row[f"{what} near"])
    names = [row["service"], f"`{row['endpoint']}`", str(row["n"])]
    return [*names, *map(_ms, times), near or "no"]


def _culprit(row: dict[str, Any]) -> list[str]:
    right = "yes" if row["right"] else "no"
    return [row["framework"], row["fault"], f"`{row['function']}`", right]


def _what_if(row: dict[str, Any]) -> list[str]:
    times = ["refused", "–", "–", "–"]
    if "refused" not in row:
        times = [
            _ms(row["before"]),
            _ms(*row["range"], to=" to "),
            _ms(row["measured"]),
            _ms(*row["client"], to=" to "),
        ]
    names = [row["framework"], row["fault"], row["change"]]
    return [*names, *times, "yes" if row["holds"] else "no"]


TABLES: dict[str, tuple[str, str, Callable[[dict[str, Any]], list[str]]]] = {
    "client": (
        "Recorded latency beside the client's, ms; near is within 15 % or 10 ms",
        "Service | Endpoint | Requests | p90 | p90, client | p99 | p99, client | near",
        _client,
    ),
    "culprits": (
        "Who is named first where a person planted a fault",
        "Framework | Fault | Named first | Right",
        _culprit,
    ),
    "what-if": (
        "What a change would bring, and what it brought: p90 of `/ping`, ms",
        "Framework | Fault | Change | Before | Predicted | After | Client | Holds",
        _what_if,
    ),
}


def _repeats(rows: list[dict[str, Any]]) -> str:
    share, seconds = needed(rows)
    count = len(next(iter(rows[0]["times"].values()))["p90"])
    cells = [
        [
            row["framework"],
            row["fault"] or "none",
            f"`{endpoint}`",
            ", ".join(_ms(value) for _, _, value in times["p90"]),
        ]
        for row in rows
        for endpoint, times in row["times"].items()
    ]
    title = f"p90 of {count} recordings of one program, ms"
    return (
        f"{_lines(title, 'Framework | Fault | Endpoint | p90', cells)}\n\n"
        "Of p50, p90 and p99 of all pairs of them, 19 of 20 lie in the "
        f"range that chance gives, widened by {share:.1%} of the time, or, of times "
        f"below {1000 * SHORT:.0f} ms, by {1000 * seconds:.2f} ms. A prediction widens "
        f"it by {UNLIKE:.1%} or {1000 * UNLIKE_S:.2f} ms, whichever is more."
    )


# -- the command ---------------------------------------------------------------------


def core_times() -> list[int]:
    """What the system counted for its cores; empty where it does not tell."""
    path = Path("/proc/stat")
    if not path.exists():
        return []
    return [int(word) for word in path.read_text(encoding="ascii").split()[1:9]]


def is_quiet(load_before: float, before: list[int], cores: int) -> bool:
    """Whether neither other programs nor other machines of the host had the cores."""
    took = [b - a for a, b in zip(before, core_times(), strict=True)]
    stolen = took[7] / sum(took) if took and sum(took) else 0.0
    say(
        f"Load {load_before:.1f} at the beginning; others had {stolen:.1%} of the time."
    )
    return load_before <= cores - 1.5 and stolen <= 0.02


def run_all(words: list[str] | None = None) -> None:
    """Measure, print, write."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.diagnose_truth", description=__doc__
    )
    top.add_argument("--only", choices=("client", "culprits", "repeats", "what-if"))
    top.add_argument("--quick", action="store_true", help="short; writes no file")
    top.add_argument("--python", default=sys.executable, help="makes the environment")
    options = top.parse_args(words)
    cores, busy, before = len(os.sched_getaffinity(0)), os.getloadavg()[0], core_times()
    made = common.environment(options.python, ".venv-bench-diagnose", PINS)
    python, seconds = Path(made), 6.0 if options.quick else 30.0
    rounds = (
        {"client": 1, "repeats": 2} if options.quick else {"client": 2, "repeats": 4}
    )
    parts = {
        "client": lambda: against_client(python, rounds["client"], seconds),
        "culprits": lambda: first_culprits(python, min(seconds, 10)),
        "repeats": lambda: repeated(python, min(seconds, 20), rounds["repeats"]),
        "what-if": lambda: predicted(python, min(seconds, 20)),
    }
    name = common.about(made, "")["python"]
    results: dict[str, Any] = {"cores": cores, "load": busy, "python": name}
    for key, part in parts.items():
        if options.only in (None, key):
            results[key] = rows = list(part())
            if key in COUNTED:
                right = sum(row[COUNTED[key]] for row in rows)
                say(f"{key}: {right} of {len(rows)}")
    if options.quick or not is_quiet(busy, before, cores):
        say("Short, or not quiet: no results are written.")
        return
    if options.only:  # the other parts stay as they are
        results = json.loads(RESULTS.read_text(encoding="utf-8")) | results
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    TABLE.write_text(table(results), encoding="utf-8")
    readme.follow(TABLE)


if __name__ == "__main__":
    sys.exit(common.status(run_all))
