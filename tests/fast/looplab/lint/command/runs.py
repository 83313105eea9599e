"""One run of `looplab lint`, and what it is given."""

from __future__ import annotations

import re
from pathlib import Path

from looplab.cli import main

BAD = "import asyncio\nq = asyncio.Queue()\n"
POLLS = "import asyncio\nasync def f():\n    while x: await asyncio.sleep(0)\n"
STRAIGHT = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n"


def write(name: str, text: str | bytes = BAD) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def settings(text: str, name: str = "pyproject.toml") -> None:
    write(name, f"[tool.looplab.lint]\n{text}\n")


class Run:
    """One run of the command."""

    def __init__(self, capsys, *words):
        try:
            self.status = main(["lint", *map(str, words)])
        except SystemExit as exit_:
            self.status = exit_.code
        self.out, self.err = capsys.readouterr()
        self.places = re.findall(r"^(.*?:\d+:\d+: LAG\d+)", self.out, re.MULTILINE)
        self.errors = re.findall(r"^(.*?:\d+:\d+: error: .*)", self.err, re.MULTILINE)
