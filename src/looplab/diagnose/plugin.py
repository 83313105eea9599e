"""The pytest plugin: ``pytest --late-max=50ms`` fails a test whose loop ran late.

A test fails if something in it waited longer than that for others, or if a callback
held the loop longer, since whatever had come then would have waited.  The failure says
who caused it, as ``looplab who`` does.  ``@pytest.mark.late_max("200ms")`` gives one
test another limit, ``@pytest.mark.late_max(None)`` none, and the setting
``late_max_exempt`` lists patterns of tests that have none.  Loops on the virtual clock
are left alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from .options import Options, seconds_of


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting of the same name."""
    group = parser.getgroup("looplab")
    group.addoption(
        "--late-max",
        metavar="TIME",
        help="fail a test in which something ran later than this, such as 50ms",
    )
    parser.addini("late_max", "the same, for every run", default="")
    about = "patterns of tests, by path::name, that may run late"
    parser.addini("late_max_exempt", about, type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Watch the loops of tests if that is asked for."""
    config.addinivalue_line(
        "markers",
        "late_max(time): how late this test may run; None: as late as it does",
    )
    wanted = config.getoption("--late-max") or config.getini("late_max")
    if not wanted:
        return
    try:
        limit = seconds_of(wanted)
    except ValueError as exc:
        raise pytest.UsageError(f"--late-max: {exc}") from None
    exempt = config.getini("late_max_exempt")
    config.pluginmanager.register(_Watch(limit, exempt), "looplab-late-max")


class _Watch:
    """Records the loops of each test, and fails it if one ran too late."""

    def __init__(self, limit: float, exempt: list[str]) -> None:
        self.limit = limit
        self.exempt = exempt

    def limit_of(self, item: pytest.Item) -> float | None:
        """How late *item* may run, in seconds; None: it is exempt."""
        mark = item.get_closest_marker("late_max")
        if mark is None:
            exempt = any(fnmatchcase(item.nodeid, pattern) for pattern in self.exempt)
            return None if exempt else self.limit
        try:
            [time] = mark.args
            return None if time is None else seconds_of(str(time))
        except ValueError as exc:
            raise pytest.UsageError(
                f"{item.nodeid}: late_max takes one time such as '200ms', or None: "
                f"{exc}"
            ) from None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        from . import hook

        limit = self.limit_of(item)
        if limit is None:
            return (yield)
        if hook.session() is not None:
            raise pytest.UsageError("--late-max cannot be used under looplab trace")
        with tempfile.TemporaryDirectory(prefix="looplab-") as folder:
            path = Path(folder) / "test.jsonl"
            sample = min(0.005, limit / 4)
            hook.install(Options(str(path), sample=sample))
            try:
                result = yield
            finally:
                hook.uninstall()
            judgement = judge(path, limit)
        if judgement:
            pytest.fail(judgement, pytrace=False)
        return result


def judge(path: Path, limit: float) -> str:
    """What to say about a test that ran later than *limit* seconds; else nothing."""
    from .fileformat import NotATraceError, load
    from .report import described

    try:
        recordings = load(path)
    except (OSError, NotATraceError):
        return ""  # no loop ran
    limit_ns = round(limit * 1e9)
    late: list[tuple[int, str]] = []
    held: list[tuple[int, str]] = []
    for recording in recordings:
        ledger = recording.ledger
        for ns, whom, row in ledger.late(limit_ns):
            late.append((ns, f"{whom}, for {described(row)}"))
        for start, end, name, *_ in ledger.segments:
            if end - start > limit_ns:
                where = f"{name}  {ledger.callback(name).place}"
                held.append((end - start, where.rstrip()))
    lines = []
    for head, seen in ("these waited", late), ("the event loop was held", held):
        if seen:
            lines.append(f"{head} longer than {limit * 1000:g} ms:")
        for ns, text in sorted(seen, reverse=True)[:5]:
            lines.append(f"  {ns / 1e6:.0f} ms  {text}")
        if len(seen) > 5:
            lines.append(f"  and {len(seen) - 5} more")
    return "\n".join(lines)
