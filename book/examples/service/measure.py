"""Measure the service from outside: it, and its client, in processes of their own."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from .load import Answer
from .settings import FAULTS, check_faults

__all__ = ["LOADS", "Service", "Visit", "visit"]

HERE = Path(__file__).resolve().parent
PATIENCE = 600  # seconds
SHOWN = "most_waiting", "done", "lost"

#: What to ask, in requests a second, so that a fault shows.
LOADS: Mapping[str, Mapping[str, float]] = {
    "hash": {"basket": 20, "login": 3},
    "gather": {"basket": 60},
    "storm": {"basket": 20, "report": 1},
    "unbounded": {"order": 1_000},
    "poll": {"basket": 20},
    "leases": {"order": 100},
}


class Service:
    """The service in a process of its own; a context manager that ends it.

    If this process dies, the service sees its standard input closed and stops.

    Args:
        faults: those that it has; all others are fixed.
        before: words to put before the module, such as those of ``looplab trace``.
        quiet: show what it writes to its standard error only if it does not start.
        lease: seconds for which it hands out an order; without it those of
            :class:`service.settings.Settings`.
    """

    def __init__(
        self,
        faults: Collection[str] = tuple(FAULTS),
        before: Sequence[str] = (),
        *,
        quiet: bool = False,
        lease: float | None = None,
    ) -> None:
        check_faults(faults)
        self._quiet = quiet
        self._command = [
            *(sys.executable, *before, "-m", "service", "--until-closed"),
            *("--fault", *faults),
            *(() if lease is None else ("--lease", str(lease))),
        ]

    def __enter__(self) -> Service:
        self._process = subprocess.Popen(
            self._command,
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if self._quiet else None,
        )
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                printed = self._process.stderr.read() if self._process.stderr else b""
                raise RuntimeError(
                    f"the service did not start: {printed.decode() or 'see above'}"
                )
            self.port = int(line)
            self.figures()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()

    def figures(self) -> dict[str, Any]:
        """What the service says of itself."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/state")
            answer: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return answer

    def send(self, rates: Mapping[str, float], seconds: float) -> list[Answer]:
        """Let the client send requests for so long; see :mod:`service.load`."""
        words = [f"{kind}={rate}" for kind, rate in rates.items()]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "service.load", str(self.port)),
                *("--seconds", str(seconds), "--rate", *words),
            ],
            cwd=HERE.parent,
            capture_output=True,  # its percentiles belong to no cell
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"the client failed: {done.stderr.strip()}")
        return [
            Answer(
                row["endpoint"],
                float(row["due_at"]),
                float(row["seconds"]),
                int(row["status"]),
            )
            for row in csv.DictReader(io.StringIO(done.stdout))
        ]

    def settle(self, name: str, seconds: float = PATIENCE) -> dict[str, Any]:
        """Wait until the figure *name* has not changed for half a second.

        Raises:
            TimeoutError: it goes on changing for longer than *seconds*.
        """
        end = time.monotonic() + seconds
        last = self.figures()
        while time.monotonic() < end:
            time.sleep(0.5)
            figures = self.figures()
            if figures[name] == last[name]:
                return figures
            last = figures
        raise TimeoutError(f"{name} was {last[name]} and still changing")


@dataclass(frozen=True, slots=True)
class Visit:
    """What a client and the service saw in one run.

    Attributes:
        answers: those of the client.
        before: figures of the service before the client came.
        after: and when it had gone.
    """

    answers: list[Answer]
    before: dict[str, Any]
    after: dict[str, Any]

    @property
    def cpu(self) -> float:
        """CPU seconds of the service."""
        return float(self.after["cpu"] - self.before["cpu"])

    @property
    def share(self) -> float:
        """Of one core, over the run."""
        return self.cpu / float(self.after["at"] - self.before["at"])

    @property
    def worst(self) -> float:
        """The greatest lateness of the service's heartbeat, in seconds."""
        return float(self.after["worst"])

    def seconds(self, kind: str, share: float = 0.9) -> float:
        """The latency that *share* of the answers to *kind* do not exceed, in seconds.

        Raises:
            ValueError: there are no such answers.
        """
        asked = (answer for answer in self.answers if kind in answer.endpoint)
        times = sorted(answer.seconds for answer in asked)
        if not times:
            raise ValueError(f"no request was sent whose endpoint has {kind!r}")
        return times[min(len(times) - 1, int(share * len(times)))]

    def statuses(self, status: int) -> int:
        """How many answers have this status."""
        return sum(answer.status == status for answer in self.answers)


def visit(
    fault: str, *, fixed: bool = False, seconds: float = 3.0, settle: str = ""
) -> Visit:
    """Run the service with *fault* alone, or without, under the load that shows it.

    Args:
        fault: one of :data:`service.settings.FAULTS`.
        fixed: run it without the fault.
        seconds: how long the client sends.
        settle: then wait until this figure of the service does not change.
    """
    check_faults([fault])
    with Service(() if fixed else (fault,)) as service:
        before = service.figures()
        answers = service.send(LOADS[fault], seconds)
        after = service.settle(settle) if settle else service.figures()
    return Visit(answers, before, after)


def main() -> None:
    """Measure the faults that are named, each before and after its fix."""
    for fault in sys.argv[1:] or FAULTS:
        for fixed in False, True:
            visited = visit(fault, fixed=fixed)
            late = sorted(answer.seconds for answer in visited.answers)
            figures = {name: visited.after[name] for name in SHOWN}
            print(
                f"{fault}, {'fixed' if fixed else 'with the fault'}: "
                f"{len(late)} answers, p90 {late[int(0.9 * len(late))]:.3f} s, "
                f"{visited.cpu:.2f} CPU s, worst lateness {visited.worst:.3f} s, "
                f"{figures}"
            )


if __name__ == "__main__":
    main()
