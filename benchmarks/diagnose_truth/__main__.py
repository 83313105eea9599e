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
from collections.abc import Iterator, Sequence
from itertools import product
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
AIMS = {"client": ("p90 near", 0.9), "what-if": ("holds", 0.85)}

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
#: The twins: a fault, what is asked of the replay, and how the program is fixed.
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
FRAMEWORKS = ("fastapi", "aiohttp")
Times = dict[str, list[float]]  # seconds, by path or endpoint


def run(
    python: Path,
    command: str,
    asked: Sequence[str],
    seconds: float,
    seed: int,
    **more: str,
) -> tuple[Recording, Times, Times]:
    """Serve with *command* under ``looplab trace``, ask ``METHOD:PATH:RATE`` for some
    *seconds*, and stop; *more* are variables for the service.

    Returns the recording, its latencies by endpoint, and the client's by path.
    """
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
        words = [str(python), str(HERE / "load.py")]
        words += [str(port), str(seconds), str(seed), *asked]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=PATIENCE, check=False
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
        recording, ours, theirs = load(file)[0], Times(), Times()
    for request in recording.requests():
        ours.setdefault(request.endpoint, []).append(request.latency)
    for line in done.stdout.splitlines():
        name, _, took = line.rpartition(",")
        theirs.setdefault(name, []).append(float(took))
    return recording, ours, theirs


def near(ours: float, theirs: float, least: float = NEAR_S) -> bool:
    """Whether two times agree, by the measure of this benchmark."""
    return abs(ours - theirs) <= max(least, NEAR * theirs)


def against_client(python: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Recorded p90 and p99 of each endpoint beside the client's."""
    for (name, (command, paths)), seed in product(SERVICES.items(), range(2)):
        asked = [f"GET:{path}:{rate}" for path, (_, rate) in paths.items()]
        _, recorded, client = run(python, command, asked, seconds, seed)
        for path, (endpoint, _) in paths.items():
            theirs = client[path]
            row = {"service": name, "endpoint": path, "seed": seed, "n": len(theirs)}
            # The first request waits for the service to be up.
            ours = recorded.get(endpoint, [])[-len(theirs) :]
            for what in (90, 99):
                pair = [percentile(of, what) for of in (ours, theirs) if ours]
                row |= {f"p{what}": pair, f"p{what} near": bool(pair and near(*pair))}
            yield row


def predicted(python: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Whether the range of what-if holds what was recorded after the change.

    The unchanged program is recorded twice, before and after the changed one, back to
    back.  A figure counts if the two agree: else the machine was another.
    """
    for framework, (fault, change, fixed) in product(FRAMEWORKS, TWINS):
        command = f"{HERE / 'planted.py'} {framework} {{port}}"
        asked = "GET:/ping:40", "GET:/work:5"
        runs = [
            run(python, command, asked, seconds, 1, FAULT=fault, **environ)
            for environ in ({}, fixed, {})
        ]
        row = {"framework": framework, "fault": fault, "change": str(change)}
        try:
            prediction = predict(runs[0][0], change)
            figures = [prediction.figure("GET /ping", what) for what, _ in SHARES]
        except DisagreementError as exc:
            yield row | {"refused": str(exc), "counts": False, "holds": False}
            continue
        own, changed, twin = (latencies["GET /ping"] for _, latencies, _ in runs)
        for figure, (what, share) in zip(figures, SHARES, strict=True):
            then, again = (percentile(of, 100 * share) for of in (changed, twin))
            low, high = by_chance(own, share)
            yield row | {
                "what": what,
                "before": [figure.recorded, again],
                "range": [figure.low, figure.high],
                "measured": then,
                "counts": near(again, figure.recorded, 0),
                "holds": figure.low <= then <= figure.high,
                "unlike": max(0.0, low - again, again - high),
            }


def farthest(rows: Sequence[dict[str, Any]]) -> tuple[int, float, float]:
    """Of how many pairs of recordings of unchanged programs, and the farthest that one
    lay outside of the range of chance: a share, of long times, and seconds, of those
    below :data:`SHORT`."""
    pairs = [(row["before"][1], row["unlike"]) for row in rows if "before" in row]
    shares = [beyond / value for value, beyond in pairs if value >= SHORT]
    seconds = [beyond for value, beyond in pairs if value < SHORT]
    return len(pairs), max(shares, default=0.0), max(seconds, default=0.0)


def _ms(*seconds: float, to: str = " / ") -> str:
    return to.join(f"{1000 * s:.{1 if s >= 0.01 else 2}f}" for s in seconds) or "–"


def _client(row: dict[str, Any]) -> list[str]:
    agree = " and ".join(what for what in ("p90", "p99") if row[f"{what} near"])
    names = row["service"], f"`{row['endpoint']}`", str(row["n"])
    return [*names, _ms(*row["p90"]), _ms(*row["p99"]), agree or "no"]


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
        "Recorded latency and the client's, ms; near is within 15 % or 10 ms",
        "Service|Endpoint|Requests|p90|p99|near",
        _client,
    ),
    "what-if": (
        "What a change would bring to `/ping`, and what it brought, ms. A row counts "
        "if two recordings of the unchanged program agree within 15 %",
        "Framework|Fault|Change||Unchanged, twice|Predicted|After|Holds",
        _what_if,
    ),
}


def table(results: dict[str, Any]) -> str:
    """All that was measured, in Markdown."""
    parts = [f"{results['cores']} cores. {results['python']}."]
    for name, (title, heads, cells) in TABLES.items():
        (what, aim), rows = AIMS[name], results[name]
        counted = [row[what] for row in rows if row.get("counts", True)]
        met = "Met" if sum(counted) >= aim * len(counted) else "Not met"
        lines = [heads.split("|"), ["---"] * len(heads.split("|")), *map(cells, rows)]
        parts += [
            "\n".join([f"**{title}**", "", *map(readme.line, lines)]),
            f"Aim: {aim:.0%} of the rows that count. {met}: {sum(counted)} of "
            f"{len(counted)}. Load average {results['loads'][name]:.1f}.",
        ]
    many, share, seconds = farthest(results["what-if"])
    parts.append(
        f"Of {many} pairs of recordings of an unchanged program, the farthest lay "
        f"outside of the range of chance by {share:.1%} of the time, or, of times "
        f"below {1000 * SHORT:.0f} ms, by {1000 * seconds:.2f} ms. A prediction widens "
        f"that range by {UNLIKE:.1%} or {1000 * UNLIKE_S:.2f} ms, whichever is more."
    )
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=AIMS, help="the rest stays as it was")
    only = parser.parse_args().only
    made = common.environment(name=".venv-bench-diagnose", pins=PINS)
    python = Path(made)
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for key, rows in (
        ("client", against_client(python, 30)),
        ("what-if", predicted(python, 10)),
    ):
        if only in (None, key):
            results["loads"][key] = os.getloadavg()[0]
            results[key] = []
            for row in rows:
                results[key].append(row)
                say(f"  {row}")
    results |= {"cores": len(os.sched_getaffinity(0))}
    results["python"] = common.about(made)["python"]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    readme.write(TABLE, table(results))


if __name__ == "__main__":
    sys.exit(common.status(main))
