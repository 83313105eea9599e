"""The command ``looplab show``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from pathlib import Path

from ..page import page
from .who import add_file, read_recording

__all__ = ["add_arguments", "run"]

_LONG = 20_000  # callbacks: the page of more takes a while
_ABOUT = """\
Show a recording as a page: what was waited for, the worst moment, what if.

The page is one file that needs no other and asks no host for anything. Without --html
it is opened in a browser.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    add_file(parser)
    add = parser.add_argument
    add("--html", type=Path, metavar="OUT", help="write the page to this file")
    add(
        "--no-what-if",
        dest="changes",
        action="store_false",
        help="leave out what changes would bring, which takes longest",
    )


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Write or open the page."""
    recording, _ = read_recording(options)
    path: Path | None = options.html
    if len(recording) > _LONG:
        many = f"{len(recording):,} callbacks"
        print(f"looplab: a page of {many} …", file=sys.stderr, flush=True)
    text = page(recording, changes=options.changes, file=options.file)
    try:
        if path is None:
            path = Path(tempfile.mkdtemp(prefix="looplab-")) / "recording.html"
            path.write_text(text, encoding="utf-8")
            print(path)
            webbrowser.open(path.as_uri())
        else:
            path.write_text(text, encoding="utf-8")
    except OSError as exc:
        print(f"looplab: cannot write {path}: {exc.strerror}", file=sys.stderr)
        return 2
    return 0
