"""Runs the scenarios (``scenarios/*.mjs``) in a browser, through Node and Puppeteer.

One process of Node and one browser serve all scenarios of that browser; each scenario
has its own browser context and its own server.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.browser import QUIET, find_chromium

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"
#: Seconds after which a scenario hangs. Each of its steps has a limit of its own:
#: STEP in harness.mjs.
LIMIT = 1800


class MissingError(Exception):
    """Something that the scenarios need is not installed; the message says what."""


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
        self.command = [find_node(root), str(HERE / "run.mjs"), str(scenarios), kind]
        self.command += [find_browser(kind), control, str(pictures), str(LIMIT)]
        self.command += arguments
        self.process: subprocess.Popen[str] | None = None

    def run(self, name: str) -> dict[str, Any]:
        """What ``run.mjs`` answers after this scenario."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the process of the browser has ended"
        return dict(json.loads(line))

    def tell(self, name: str) -> dict[str, Any]:
        """Run one scenario, print its notes, and fail with the whole report."""
        answer = self.run(name)
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

    def close(self) -> None:
        """Let the browser end in peace; else end it."""
        if self.process is None:
            return
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self.process.stdin.close()
            self.process.wait(30)
        self.process.terminate()  # Puppeteer then ends the browser
        self.process.wait()
