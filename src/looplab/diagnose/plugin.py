"""The pytest plugin: ``pytest --late-max=50ms`` fails a test that held its loop longer.

The failure names the callback and its line.  Loops on the virtual clock are left alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

__all__: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting of the same name."""
    group = parser.getgroup("looplab")
    group.addoption(
        "--late-max",
        metavar="TIME",
        help="fail a test in which a callback held the event loop longer, such as 50ms",
    )
    parser.addini("late_max", "the same, for every run", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the loops of tests if that is asked for."""
    wanted = config.getoption("--late-max") or config.getini("late_max")
    if not wanted:
        return
    from .options import seconds_of

    try:
        limit = seconds_of(wanted)
    except ValueError as exc:
        raise pytest.UsageError(f"--late-max: {exc}") from None
    config.pluginmanager.register(_Watch(limit), "looplab-late-max")


class _Watch:
    """Records the loops of each test, and fails it if one was held too long."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        from . import hook
        from .options import Options

        if hook.session() is not None:
            raise pytest.UsageError("--late-max cannot be used under looplab trace")
        with tempfile.TemporaryDirectory(prefix="looplab-") as folder:
            path = Path(folder) / "test.jsonl"
            sample = min(0.005, self.limit / 4)
            hook.install(Options(str(path), sample=sample, uvloop="tasks"))
            try:
                result = yield
            finally:
                hook.uninstall()
            said = self._judge(path)
        if said:
            pytest.fail(said, pytrace=False)
        return result

    def _judge(self, path: Path) -> str:
        """What to say about a test that held its loop too long; else nothing."""
        from .fileformat import NotATraceError, load
        from .naming import own_line

        try:
            recordings = load(path)
        except (OSError, NotATraceError):
            return ""  # no loop ran
        lines = []
        for recording in recordings:
            for one in recording.callbacks:
                if one.held_ns <= self.limit * 1e9:
                    continue
                place = one.code.place
                where: dict[str, int] = {}
                for sample in recording.samples:
                    at = own_line(sample.stack)
                    if sample.callback == one.index and at is not None:
                        where[at.place] = where.get(at.place, 0) + sample.weight_ns
                if where:
                    place = max(where, key=lambda text: where[text])
                lines.append((one.held_ns, one.code.name, place))
        lines.sort(reverse=True)
        shown = [
            f"  {held / 1e6:.0f} ms  {name}" + (f"  {place}" if place else "")
            for held, name, place in lines[:5]
        ]
        if len(lines) > 5:
            shown.append(f"  and {len(lines) - 5} more")
        if not shown:
            return ""
        limit = f"{self.limit * 1000:g} ms"
        return "\n".join([f"the event loop was held longer than {limit}:", *shown])
