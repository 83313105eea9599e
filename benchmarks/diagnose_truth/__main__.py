"""Is ``looplab trace`` right?  ``python -m benchmarks.diagnose_truth``.

Recordings are held against a client, and against what changes brought that were
predicted.  :mod:`.load` is the client, :mod:`.planted` the services that change.
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
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

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
    yields,
)
from looplab.diagnose.prediction import SHARES, UNLIKE, UNLIKE_S, by_chance
from tools.common import ROOT, ToolError, say

HERE = Path(__file__).parent
RESULTS, TABLE = HERE / "results.json", HERE / "results.md"
PINS = common.FOLDER / "diagnose_requirements.txt"
NEAR, NEAR_S = 0.15, 0.010
PATIENCE = 300  # seconds for a client
STOP = 20  # seconds for a service to end; a recording survives a kill
SHORT = 0.005  # seconds; of shorter times a share would be large and say little
#: What counts, by the key of the rows, and the least that we aim at of them.
COUNTED = {"client": "p90 near", "what-if": "holds"}
AIMS = {"client": 0.9, "what-if": 0.85}

JUPYTER = "GET jupyter_server."
#: For each service its command, and by path its endpoint and requests a second.
SERVICES = {
    "FastAPI": (
        "uvicorn --factory fastapi:FastAPI --port {port}",
        {"/docs": ("GET /docs", 12), "/openapi.json": ("GET /openapi.json", 12)},
    ),
    "jupyter-server": (
        "jupyter-server --no-browser --allow-root --port={port} "
        "--ServerApp.ip=127.0.0.1 --IdentityProvider.token= "
        "--ServerApp.root_dir={folder}",
        {
            "/api": (f"{JUPYTER}base.handlers.APIVersionHandler", 12),
            "/api/status": (f"{JUPYTER}services.api.handlers.APIStatusHandler", 12),
        },
    ),
    "dask scheduler": (
        "dask scheduler --host 127.0.0.1 --port 0 --dashboard-address 127.0.0.1:{port}",
        {"/health": ("GET distributed.http.health.HealthHandler", 20)},
    ),
    "datasette": (
        "datasette --memory --port {port}",
        {"/-/versions.json": ("GET /-/versions.json", 12), "/": ("GET /", 12)},
    ),
    "aiohttp": ("adev serve --port {port} {folder}", {"/": ("GET /", 20)}),
}
#: The twins: what is asked of the replay, and how the program is fixed.
TWINS: list[tuple[str, Change, dict[str, str]]] = [
    ("hash", move("GET /work", 32), {"FIXED": "thread"}),
    ("sleep", move("GET /work", 32), {"FIXED": "thread"}),
    ("json", move("GET /work", 32), {"FIXED": "thread"}),
    ("json", faster("GET /work", 2), {"SIZE": "0.5"}),
    ("hash", faster("GET /work", 4), {"SIZE": "0.25"}),
    ("sleep", faster("GET /work", 3), {"SIZE": "0.333"}),
    ("storm", yields("job"), {"FIXED": "workers"}),
    ("storm", workers("job", 4), {"FIXED": "semaphore"}),
]
PLANTED = ("GET:/ping:40", "GET:/work:5")
FRAMEWORKS = ("fastapi", "aiohttp")
Times = dict[str, list[float]]  # seconds, by path or endpoint
Rows = Iterator[dict[str, Any]]


# -- one run ----------------------------------------------------------------------


class Run(NamedTuple):
    """What was recorded, and what the client saw, by path."""

    recording: Recording
    client: Times

    @property
    def latencies(self) -> Times:
        """As recorded, by endpoint."""
        of: Times = {}
        for request in requests(self.recording):
            of.setdefault(request.endpoint, []).append(request.latency)
        return of


def run(
    python: Path,
    command: str,
    asked: Sequence[str],
    seconds: float,
    seed: int,
    **more: str,
) -> Run:
    """Serve with *command* under ``looplab trace``, ask ``METHOD:PATH:RATE`` for some
    *seconds*, and stop; *more* are variables for the service."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(python.parent), kept.get("PATH", "")])
    environ = kept | {"PYTHONPATH": str(ROOT / "src"), "PATH": path} | more
    with tempfile.TemporaryDirectory() as folder:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        file = Path(folder, "t.jsonl")
        trace = [str(python), "-m", "looplab", "trace", "-o", str(file)]
        service = subprocess.Popen(
            [*trace, *command.format(port=port, folder=folder).split()],
            cwd=folder,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        client = [python, HERE / "load.py", str(port), str(seconds), str(seed), *asked]
        try:
            done = subprocess.run(
                client, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        finally:
            os.killpg(service.pid, signal.SIGINT)
            try:
                service.wait(timeout=STOP)
            except subprocess.TimeoutExpired:
                os.killpg(service.pid, signal.SIGKILL)
                service.wait()
        if done.returncode:
            raise ToolError(f"the client of {command} failed: {done.stderr[-500:]}")
        times: Times = {}
        for line in done.stdout.splitlines():
            name, _, took = line.rpartition(",")
            times.setdefault(name, []).append(float(took))
        return Run(load(file)[0], times)


def planted(python: Path, framework: str, seconds: float, **environ: str) -> Run:
    """A run of a service with a planted fault."""
    command = f"{HERE / 'planted.py'} {framework} {{port}}"
    return run(python, command, PLANTED, seconds, 1, **environ)


# -- what is held against what ----------------------------------------------------


def near(ours: float, theirs: float, least: float = NEAR_S) -> bool:
    """Whether two times agree, by the measure of this benchmark."""
    return abs(ours - theirs) <= max(least, NEAR * theirs)


def against_client(python: Path, rounds: int, seconds: float) -> Rows:
    """Recorded p90 and p99 of each endpoint beside the client's."""
    for (name, (command, paths)), seed in product(SERVICES.items(), range(rounds)):
        asked = [f"GET:{path}:{rate}" for path, (_, rate) in paths.items()]
        made = run(python, command, asked, seconds, seed)
        for path, (endpoint, _) in paths.items():
            theirs = made.client[path]
            row = {"service": name, "endpoint": path, "seed": seed, "n": len(theirs)}
            # The first request waits for the service to be up.
            ours = made.latencies.get(endpoint, [])[-len(theirs) :]
            for what in (90, 99):
                pair = [percentile(of, what) for of in (ours, theirs) if ours]
                row |= {
                    f"p{what}": pair or None,
                    f"p{what} near": bool(pair and near(*pair)),
                }
            yield row


def predicted(python: Path, seconds: float) -> Rows:
    """Whether the range of what-if holds what was recorded after the change.

    The unchanged program is recorded twice, before and after the changed one, back to
    back.  A figure counts if the two agree: else the machine was another.
    """
    for framework, (fault, change, fixed) in product(FRAMEWORKS, TWINS):
        before, after, again = (
            planted(python, framework, seconds, FAULT=fault, **environ)
            for environ in ({}, fixed, {})
        )
        row = {"framework": framework, "fault": fault, "change": str(change)}
        try:
            prediction = predict(before.recording, change)
            figures = [prediction.figure("GET /ping", what) for what, _ in SHARES]
        except DisagreementError as exc:
            yield row | {"refused": str(exc), "counts": False, "holds": False}
            continue
        own, changed, twin = (r.latencies["GET /ping"] for r in (before, after, again))
        for figure, (what, share) in zip(figures, SHARES, strict=True):
            then, unchanged = (percentile(of, 100 * share) for of in (changed, twin))
            yield row | {
                "what": what,
                "before": [figure.recorded, unchanged],
                "range": [figure.low, figure.high],
                "measured": then,
                "counts": near(unchanged, figure.recorded, 0),
                "holds": figure.low <= then <= figure.high,
                "unlike": beyond(by_chance(own, share), unchanged),
            }


def beyond(ends: tuple[float, float], value: float) -> float:
    """How far a *value* lies outside of a range."""
    return max(0.0, ends[0] - value, value - ends[1])


def needed(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """What the ranges of chance lack to hold 19 of 20 of those recordings of unchanged
    programs that count: a share, of times from :data:`SHORT` on, and seconds."""
    shares, seconds = [0.0], [0.0]
    for row in rows:
        value = row["before"][1] if row["counts"] else 0.0
        if value >= SHORT:
            shares.append(row["unlike"] / value)
        elif row["counts"]:
            seconds.append(row["unlike"])
    return percentile(shares[1:] or shares, 95), percentile(seconds[1:] or seconds, 95)


# -- the tables of the page -------------------------------------------------------


def _ms(*seconds: float | None, to: str = " / ") -> str:
    return to.join(
        "–" if each is None else f"{1000 * each:.{1 if each >= 0.01 else 2}f}"
        for each in seconds
    )


def _client(row: dict[str, Any]) -> list[str]:
    times = [each for what in ("p90", "p99") for each in row[what] or (None, None)]
    agree = " and ".join(what for what in ("p90", "p99") if row[f"{what} near"])
    names = [row["service"], f"`{row['endpoint']}`", str(row["n"])]
    return [*names, *map(_ms, times), agree or "no"]


def _what_if(row: dict[str, Any]) -> list[str]:
    times = ["refused", "–", "–", "–"]
    if "refused" not in row:
        ends = _ms(*row["before"], to=" and "), _ms(*row["range"], to=" to ")
        times = [row["what"], *ends, _ms(row["measured"])]
    holds = "yes" if row["holds"] else "no"
    names = [row["framework"], row["fault"], row["change"]]
    return [*names, *times, holds if row["counts"] else f"{holds}, does not count"]


TABLES: dict[str, tuple[str, str, Any]] = {
    "client": (
        "Recorded latency beside the client's, ms; near is within 15 % or 10 ms",
        "Service | Endpoint | Requests | p90 | p90, client | p99 | p99, client | near",
        _client,
    ),
    "what-if": (
        "What a change would bring to `/ping`, and what it brought, ms. A row counts "
        "if two recordings of the unchanged program agree within 15 %",
        "Framework | Fault | Change | | Unchanged, twice | Predicted | After | Holds",
        _what_if,
    ),
}


def _lines(title: str, heads: str, rows: list[list[str]]) -> str:
    cells = [head.strip() for head in heads.split("|")]
    lines = [cells, ["---"] * len(cells), *rows]
    return "\n".join([f"**{title}**", "", *map(readme.line, lines)])


def score(name: str, rows: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """How many rows are as they should be, of how many that count."""
    counted = [row for row in rows if row.get("counts", True)]
    return sum(row[COUNTED[name]] for row in counted), len(counted)


def table(results: dict[str, Any]) -> str:
    """All that was measured, in Markdown."""
    parts = [f"{results['cores']} cores. {results['python']}."]
    for name, (title, heads, cells) in TABLES.items():
        right, count = score(name, results[name])
        met = "Met" if right >= AIMS[name] * count else "Not met"
        parts += [
            _lines(title, heads, [cells(row) for row in results[name]]),
            f"Aim: {AIMS[name]:.0%} of the rows that count. {met}: {right} of {count}. "
            f"Load average {results['loads'][name]:.1f}.",
        ]
    share, seconds = needed(results["what-if"])
    parts.append(
        "Of two recordings of the unchanged program, where they count, 19 of 20 lie "
        f"in the range of chance, widened by {share:.1%} of the time, or, of times "
        f"below {1000 * SHORT:.0f} ms, by {1000 * seconds:.2f} ms. A prediction widens "
        f"it by {UNLIKE:.1%} or {1000 * UNLIKE_S:.2f} ms, whichever is more."
    )
    return "\n\n".join(parts) + "\n"


def run_all(words: list[str] | None = None) -> None:
    """Measure, print, write."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.diagnose_truth", description=__doc__
    )
    top.add_argument("--only", choices=COUNTED)
    top.add_argument("--quick", action="store_true", help="short; writes no file")
    top.add_argument("--python", default=sys.executable, help="makes the environment")
    options = top.parse_args(words)
    made = common.environment(options.python, ".venv-bench-diagnose", PINS)
    python, long = Path(made), not options.quick
    parts = {
        "client": lambda: against_client(python, 1 + long, 30 if long else 6),
        "what-if": lambda: predicted(python, 10 if long else 6),
    }
    # What is not measured now stays as it was.
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for key, part in parts.items():
        if options.only in (None, key):
            results["loads"][key] = os.getloadavg()[0]
            results[key] = []
            for row in part():
                results[key].append(row)
                say(f"  {row}")
            say("{}: {} of {}".format(key, *score(key, results[key])))
    if options.quick:
        return
    results |= {"cores": len(os.sched_getaffinity(0))}
    results["python"] = common.about(made)["python"]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    TABLE.write_text(table(results), encoding="utf-8")
    readme.follow(TABLE)


if __name__ == "__main__":
    sys.exit(common.status(run_all))
