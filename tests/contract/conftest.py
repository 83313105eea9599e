"""What a test may use that has to touch the world: 60 s of CPU, and 300 s before it is
said to hang. A failure comes with the load of the machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest

from tools.common import ROOT, digest

HERE = Path(__file__).parent
CPU = 60.0  # seconds, with all processes that a test has started and waited for
HANG = 300.0
SLOW_HANG = 3600.0
#: What has passed of the slow tests, so that `make slow` goes on where it stopped.
DONE = ROOT / "_build" / "slow"


@cache
def passed() -> Path:
    """The list of the slow tests that have passed with the code as it is now."""
    folders = ("book", "notebooks", "src", "tests", "tools")
    files = (file for folder in folders for file in (ROOT / folder).rglob("*"))
    code = (file for file in files if "__pycache__" not in file.parts)
    return DONE / f"{digest(code)[:16]}.txt"


def pytest_configure(config: pytest.Config) -> None:
    """Note what passes where slow tests are run; the workers leave it to the first."""
    if config.option.markexpr == "slow" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Notes(passed()))


class Notes:
    """Adds each slow test that passes to the list."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with self.file.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Give each test its limit, where it names none; leave out what has passed."""
    if config.option.markexpr == "slow" and (file := passed()).is_file():
        done = set(file.read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid in done])
        items[:] = [item for item in items if item.nodeid not in done]
    for item in items:
        if item.path.is_relative_to(HERE) and not item.get_closest_marker("timeout"):
            slow = item.get_closest_marker("slow") is not None
            item.add_marker(pytest.mark.timeout(SLOW_HANG if slow else HANG))


@pytest.fixture(autouse=True)
def cpu_limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that used more CPU time than a test may, unless it is slow."""
    before = sum(os.times()[:4])
    yield
    used = sum(os.times()[:4]) - before
    if request.node.get_closest_marker("slow") is None:
        assert used <= CPU, f"{used:.0f} s of CPU: mark the test slow, or make it less"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the load of the machine to the report of a failure."""
    report = yield
    if report.failed and item.path.is_relative_to(HERE) and hasattr(os, "getloadavg"):
        load = ", ".join(f"{mean:.1f}" for mean in os.getloadavg())
        words = f"{load} in 1, 5 and 15 minutes, on {os.cpu_count()} cores"
        report.sections.append(("load of the machine", words))
    return report
