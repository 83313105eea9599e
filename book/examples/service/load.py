"""The client: it sends requests by a schedule, whether answers have come or not.

``python -m service.load PORT --seconds 3 --rate basket=20 login=2`` prints the
latencies as CSV, and their percentiles to standard error.  A latency runs from the
moment when the request was *due*, so that a late service cannot slow the client down
and look better.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["KINDS", "Answer", "send_all", "summary"]

#: What can be asked: the endpoint as the service names it, and the path.
KINDS = {
    "basket": ("GET /basket/{lines:int}", "/basket/300"),
    "login": ("POST /login", "/login"),
    "report": ("POST /report", "/report"),
    "order": ("POST /orders", "/orders"),
}
PATIENCE = 600  # seconds


@dataclass(frozen=True, slots=True)
class Answer:
    """One request and what came of it.

    Attributes:
        endpoint: what was asked.
        due_at: when it was to be sent, in seconds since the start.
        seconds: from then to the end of the answer.
        status: the answer's; 0 if there was none.
    """

    endpoint: str
    due_at: float
    seconds: float
    status: int


def schedule(rates: Mapping[str, float], seconds: float) -> list[tuple[float, str]]:
    """When to send what: each kind in even steps, and no two kinds in the same one.

    Args:
        rates: requests in a second, by kind.
        seconds: for how long.

    Raises:
        ValueError: there is no such kind, or a rate is not above 0.
    """
    plan = []
    for place, (kind, rate) in enumerate(rates.items()):
        if kind not in KINDS:
            raise ValueError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
        if not rate > 0:
            raise ValueError(f"the rate of {kind} is {rate}: give one above 0")
        first = (place + 1) / (len(rates) + 1) / rate
        count = int(seconds * rate)
        plan += [(first + number / rate, kind) for number in range(count)]
    return sorted(plan)


async def send_all(
    port: int, rates: Mapping[str, float], seconds: float
) -> list[Answer]:
    """Send requests by the schedule, each on a connection of its own."""
    plan = schedule(rates, seconds)
    start = time.monotonic()

    async def send(number: int, due_at: float, kind: str) -> Answer:
        await asyncio.sleep(start + due_at - time.monotonic())
        endpoint, path = KINDS[kind]
        try:
            async with asyncio.timeout(PATIENCE):
                status = await ask(port, endpoint.split()[0], path, str(number))
        except (OSError, TimeoutError):
            status = 0
        return Answer(endpoint, due_at, time.monotonic() - start - due_at, status)

    async with asyncio.TaskGroup() as tasks:
        sent = [
            tasks.create_task(send(number, due_at, kind))
            for number, (due_at, kind) in enumerate(plan)
        ]
    return [task.result() for task in sent]


def summary(answers: Sequence[Answer]) -> list[str]:
    """A line for each endpoint: its p50, p90 and p99 in ms, by nearest rank.

    A percentile that needs more answers than there are is a dash: the p99 of eighty
    is their slowest.  Requests that got no answer are counted, and not ranked.
    """
    lines = []
    for endpoint in dict.fromkeys(answer.endpoint for answer in answers):
        asked = [answer for answer in answers if answer.endpoint == endpoint]
        ranked = sorted(answer.seconds for answer in asked if answer.status)
        cells = []
        for percent in (50, 90, 99):
            enough = len(ranked) * (100 - percent) >= 100
            rank = -(-len(ranked) * percent // 100)  # rounded up
            text = f"{ranked[rank - 1] * 1000:.1f} ms" if enough else "-"
            cells.append(f"p{percent} {text}")
        failed = len(asked) - len(ranked)
        lines.append(
            f"{endpoint}: {', '.join(cells)} ({len(ranked)} answers, {failed} without)"
        )
    return lines


async def ask(port: int, method: str, path: str, body: str) -> int:
    """The status of one answer; 0 if the connection ended without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        answer = await reader.read()
    finally:
        writer.close()
    words = answer.split(maxsplit=2)
    return int(words[1]) if len(words) > 1 else 0


def main() -> None:
    """Send what the command line says, and print the latencies."""
    parser = argparse.ArgumentParser(prog="python -m service.load")
    parser.add_argument("port", type=int)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rate", nargs="+", default=["basket=20"], metavar="KIND=RATE")
    options = parser.parse_args()
    try:
        pairs = (word.split("=", 1) for word in options.rate)
        rates = {kind: float(rate) for kind, rate in pairs}
        schedule(rates, options.seconds)
    except ValueError as error:
        parser.error(f"--rate takes words such as basket=20: {error}")
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["endpoint", "due_at", "seconds", "status"])
    answers = asyncio.run(send_all(options.port, rates, options.seconds))
    for answer in answers:
        table.writerow(
            [
                answer.endpoint,
                f"{answer.due_at:.6f}",
                f"{answer.seconds:.6f}",
                answer.status,
            ]
        )
    print(*summary(answers), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
