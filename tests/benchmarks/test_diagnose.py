"""The benchmarks of the diagnosis: their client, their measure, what they plant."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from benchmarks import diagnose_cost, diagnose_truth
from benchmarks.diagnose_cost import __main__ as cost
from benchmarks.diagnose_truth import __main__ as truth
from benchmarks.diagnose_truth import planted
from benchmarks.diagnose_truth.runs import HERE


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        (0.100, 0.114, True),
        (0.100, 0.118, False),
        (0.001, 0.010, True),
        (0.001, 0.012, False),
        (0.118, 0.100, False),
    ],
)
def test_what_is_near(ours, theirs, agree):
    assert truth.near(ours, theirs) is agree


def test_the_client_asks_when_it_is_due_though_the_server_stalls():
    seen = []

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        first = not seen
        seen.append(head.split()[1].decode())
        if not first:
            await asyncio.sleep(0.3)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        words = [sys.executable, str(HERE / "load.py"), str(port), "1", "7"]
        process = await asyncio.create_subprocess_exec(
            *words, "GET:/a:20", "GET:/b:10", stdout=subprocess.PIPE
        )
        out, _ = await process.communicate()
        server.close()
        return out.decode().splitlines()

    lines = asyncio.run(main())
    assert len(lines) == len(seen) - 1  # one more asked whether the server is up
    took = [float(line.rpartition(",")[2]) for line in lines]
    # One after another they would have taken many times as long.
    assert min(took) >= 0.3
    assert {line.rpartition(",")[0] for line in lines} == {"/a", "/b"}


def test_every_fault_has_a_function_and_every_mend_a_fault():
    for functions in truth.FAULTS.values():
        assert all(hasattr(planted, name) for name in functions)
    assert {fault for fault, _, _ in truth.MENDS} <= set(truth.FAULTS)
    assert len(truth.FAULTS) * len(truth.FRAMEWORKS) == 12
    assert len(truth.MENDS) * len(truth.FRAMEWORKS) == 10
    assert len(truth.SERVICES) >= 5


def test_a_lock_that_is_free_again_is_no_reason_to_wait():
    async def main():
        await asyncio.wait_for(planted.wait_for_lock(), 60)

    asyncio.run(main())


def test_the_aims_are_of_tools_that_are_measured():
    assert set(cost.AIMS) <= set(cost.TOOLS)
    assert diagnose_cost.__doc__
    assert diagnose_truth.__doc__


@pytest.mark.parametrize("name", ["diagnose_truth", "diagnose_cost"])
def test_committed_results_are_whole(name):
    path = HERE.parent / name / "results.json"
    if not path.exists():
        pytest.skip("not measured yet: make the benchmark on a quiet machine")
    assert json.loads(path.read_text(encoding="utf-8"))
