"""Runs the scenarios (``scenarios/*.mjs``) in a browser, through Node and Puppeteer.

One process of Node and one browser serve all scenarios of that browser; each scenario
has its own browser context and its own server. A scenario that hangs costs the process,
which is then started anew for the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

import pytest

from tools.browser import QUIET, find_chromium

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"
START = 330.0  # seconds for a browser to start; run.mjs gives up before


class MissingError(Exception):
    """Something that the scenarios need is not installed; the message says what."""


class BrokenError(Exception):
    """The process that runs the scenarios ended or does not answer."""


def find_node(root: Path) -> str:
    """The path of Node.

    Raises:
        MissingError: There is no Node, or no puppeteer-core.
    """
    node = shutil.which("node")
    if node is None:
        raise MissingError("Node is not installed")
    if not (root / "node_modules" / "puppeteer-core").is_dir():
        raise MissingError("puppeteer-core is not installed: run npm ci")
    return node


def find_browser(kind: str) -> str:
    """The path of a browser; the variables CHROMIUM and FIREFOX name one.

    Raises:
        MissingError: None is installed.
    """
    if kind == "chrome":
        found = find_chromium()
    else:
        names = (os.environ.get("FIREFOX") or "firefox", "firefox-esr")
        found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise MissingError(f"no {kind} was found")
    return found


def scenarios(folder: Path = SCENARIOS) -> list[str]:
    """The names of the scenarios in a folder: its modules export nothing else."""
    found = re.compile(r"^export async function (\w+)", re.M)
    texts = (path.read_text("utf-8") for path in sorted(folder.glob("*.mjs")))
    return [name for text in texts for name in found.findall(text)]


class Driver:
    """A process of Node with one browser.

    Args:
        kind: ``"chrome"`` or ``"firefox"``, Puppeteer's words.
        control: the address of the control of the servers.
        pictures: the folder for the pictures of what failed.
        root: the project's folder.
        scenarios: the folder with the scenarios.
    """

    def __init__(
        self,
        kind: str,
        control: str,
        pictures: Path,
        root: Path,
        scenarios: Path,
    ) -> None:
        arguments: list[str] = []
        if kind == "chrome":
            arguments += [*QUIET, "--force-prefers-reduced-motion"]
            # A page that is slow to enter the cache of the history is let in.
            arguments.append("--disable-features=BackForwardCacheEntryTimeout")
            if hasattr(os, "geteuid") and os.geteuid() == 0:
                arguments.append("--no-sandbox")  # Chromium refuses it to root
        self.kind = kind
        self.command = [find_node(root), str(HERE / "run.mjs"), str(scenarios), kind]
        self.command += [find_browser(kind), control, str(pictures), *arguments]
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        self.version = ""
        self.browser: int | None = None

    def start(self) -> None:
        self.lines, self.errors = queue.Queue(), []
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for pipe, take in (
            (self.process.stdout, self._line),
            (self.process.stderr, self.errors.append),
        ):
            threading.Thread(target=_pump, args=(pipe, take), daemon=True).start()
        ready = self._answer(START)
        self.version, self.browser = str(ready["ready"]), ready["pid"]

    def _line(self, line: str | None) -> None:
        self.lines.put(line)

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            line = None
        if line is None:
            self.kill()
            said = "".join(map(str, filter(None, self.errors)))[-2000:]
            raise BrokenError(f"no answer from the browser in {seconds:g} s\n{said}")
        return dict(json.loads(line))

    def run(self, name: str, limit: float) -> dict[str, Any]:
        """Run one scenario.

        Args:
            name: of the scenario.
            limit: its seconds.

        Returns:
            What ``run.mjs`` answers.

        Raises:
            BrokenError: The process ended, or answered nothing in time.
        """
        if self.process is None or self.process.poll() is not None:
            self.start()
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"name": name, "limit": limit}) + "\n")
        self.process.stdin.flush()
        return self._answer(limit + 30)

    def tell(self, name: str, limit: float = 3600) -> dict[str, Any]:
        """Run one scenario, print its notes, and fail with the whole report.

        A scenario awaits a state of the page and never a time; after *limit* seconds
        it is said to hang.
        """
        answer = self.run(name, limit)
        for key, value in answer["notes"].items():
            print(f"{key}: {value}")
        if answer["ok"]:
            return answer
        lines = [answer["message"]]
        if answer.get("step"):
            lines.append(f"It was {answer['step']}.")
        if answer.get("picture"):
            lines.append(f"The page then: {answer['picture']}")
        lines += ["The console:", *(f"  {line}" for line in answer["console"])]
        pytest.fail("\n".join(lines), pytrace=False)

    def kill(self) -> None:
        """End the process and its browser, which has a group of its own."""
        if self.process is None:
            return
        self.process.terminate()  # Puppeteer then ends the browser
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            if self.browser and hasattr(os, "killpg"):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.browser, signal.SIGKILL)
        self.process = None

    def close(self) -> None:
        """Let the browser end in peace; else end it."""
        if self.process is None:
            return
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self.process.stdin.close()
            self.process.wait(10)
        self.kill()


def _pump(pipe: IO[str] | None, take: Any) -> None:
    assert pipe is not None
    for line in pipe:
        take(line)
    take(None)
