"""The command: ``python -m benchmarks.diagnose_truth``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import environment, readme
from benchmarks.diagnose_truth.repeats import needed, row
from benchmarks.diagnose_truth.runs import Run, run
from benchmarks.diagnose_truth.tables import COUNTED, table
from looplab._numbers import percentile
from looplab.diagnose import (
    Change,
    DisagreementError,
    faster,
    move,
    predict,
    requests,
    workers,
)
from tools.common import ToolError, say

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
TABLE = HERE / "results.md"
PINS = Path("benchmarks", "diagnose_requirements.txt")
NEAR, NEAR_S = 0.15, 0.010
STOLEN = 0.02  # of the time of the cores; above it, what was measured is of others

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
PLANTED = ["/ping:GET /ping:40", "/work:GET /work:5"]
FRAMEWORKS = ("fastapi", "aiohttp")


def near(ours: float, theirs: float) -> bool:
    """Whether two times agree, by the measure of this benchmark."""
    return abs(ours - theirs) <= max(NEAR_S, NEAR * theirs)


def latencies(found: Run) -> dict[str, list[float]]:
    """Seconds by endpoint, as recorded."""
    of: dict[str, list[float]] = {}
    for one in requests(found.recording):
        of.setdefault(one.endpoint, []).append(one.latency)
    return of


def against_client(
    python: Path, rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """Recorded p90 and p99 of each endpoint beside the client's."""
    for name, (command, paths) in SERVICES.items():
        asked = [f"GET:{path}:{rate}" for path, (_, rate) in paths.items()]
        for seed in range(rounds):
            found = run(python, command, asked, seconds=seconds, seed=seed)
            ours = latencies(found)
            for path, (endpoint, _) in paths.items():
                theirs = found.client[path]
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
    asked = [f"GET:{one.split(':')[0]}:{one.rpartition(':')[2]}" for one in PLANTED]
    return run(python, command, asked, environ=environ, **how)


def first_culprits(python: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Whether the planted fault is named first."""
    for framework in FRAMEWORKS:
        for fault, functions in FAULTS.items():
            found = planted(
                python, framework, {"FAULT": fault}, seconds=seconds, seed=1
            )
            first = found.recording.blame()[0]
            right = any(first.function.endswith(one) for one in functions)
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
            found = latencies(planted(python, framework, {"FAULT": fault}, **how))
            recorded.setdefault((framework, fault), []).append(found)
            say(f"  {framework} {fault}: p90 {percentile(found['GET /ping'], 90)}")
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
                        percentile(one.client["/ping"], 90) for one in (before, after)
                    ],
                    "holds": figure.low <= measured <= figure.high,
                }
            say(f"  {row}")
            yield row


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.diagnose_truth",
        description="Hold recordings against a client, planted faults and mends.",
    )
    top.add_argument("--only", choices=("client", "culprits", "repeats", "what-if"))
    top.add_argument("--quick", action="store_true", help="short; writes no file")
    top.add_argument("--python", default=sys.executable, help="makes the environment")
    top.add_argument("--output", type=Path, help="write here, whatever was measured")
    return top


def core_time() -> list[int]:
    """What the system counted for its cores, as in ``/proc/stat``; empty elsewhere."""
    try:
        line = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return []
    return [int(word) for word in line.split()[1:]]


def stolen_share(before: list[int], after: list[int]) -> float:
    """The part of the time of the cores that other machines on the host had."""
    took = [b - a for a, b in zip(before, after, strict=True)][:8]
    return took[7] / sum(took) if len(took) == 8 and sum(took) else 0.0


def main(words: list[str] | None = None) -> int:
    """Run the benchmark; return its exit status."""
    options = parser().parse_args(words)
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    before = core_time()
    path: Path | None = options.output
    if path is None and not options.quick:
        if load > cores - 1.5:
            say(f"The machine is busy (load {load:.1f}): no results will be written.")
        else:
            path = RESULTS
    try:
        python = environment.ensure(
            options.python, name=".venv-bench-diagnose", requirements=PINS
        )
        seconds = 6.0 if options.quick else 30.0
        results: dict[str, Any] = {"cores": cores, "load": load}
        results["python"] = environment.about(str(python))["name"]
        if options.only in (None, "client"):
            rounds = 1 if options.quick else 2
            results["client"] = list(against_client(python, rounds, seconds))
        if options.only in (None, "culprits"):
            results["culprits"] = list(first_culprits(python, min(seconds, 10)))
        if options.only in (None, "repeats"):
            rounds = 2 if options.quick else 4
            rows = list(repeated(python, min(seconds, 20), rounds))
            results["repeats"] = rows
            more = needed(rows)
            say(f"repeats: 19 of 20 within {more[0]:.3f} or {1000 * more[1]:.3f} ms")
        if options.only in (None, "what-if"):
            results["what-if"] = list(predicted(python, min(seconds, 20)))
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    for name, key in COUNTED.items():
        rows = results.get(name)
        if rows:
            say(f"{name}: {sum(row[key] for row in rows)} of {len(rows)}")
    stolen = stolen_share(before, core_time())
    if path == RESULTS and stolen > STOLEN:
        say(f"Others had {stolen:.1%} of the cores: no results are written.")
        path = None
    if path is not None:
        if options.only and path.exists():  # the other parts stay as they are
            results = json.loads(path.read_text(encoding="utf-8")) | results
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if path == RESULTS and {*COUNTED, "repeats"} <= set(results):
        TABLE.write_text(table(results), encoding="utf-8")
        readme.follow(TABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
