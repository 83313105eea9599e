"""The command ``looplab show``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from pathlib import Path

from ..page import page
from ..perfetto import write_chrome_trace
from .who import add_file, read_recording

__all__ = ["add_arguments", "run"]

_ABOUT = """\
Show a recording as a page: culprits, endpoints, the worst moment, what if.

The page is one file that needs no other and asks no host for anything. Without --html
or --perfetto it is opened in a browser.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    add_file(parser)
    add = parser.add_argument
    add("--html", type=Path, metavar="OUT", help="write the page to this file")
    add(
        "--perfetto",
        type=Path,
        metavar="OUT",
        help="write a file for Perfetto or vizviewer",
    )
    add(
        "--no-what-if",
        dest="changes",
        action="store_false",
        help="leave out what changes would bring, which takes longest",
    )


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Write or open the page."""
    recording, _ = read_recording(options)
    path: Path = options.html or options.perfetto
    try:
        if options.perfetto is not None:
            path = options.perfetto
            with path.open("w", encoding="utf-8") as file:
                write_chrome_trace(recording, file)
        if options.html is not None:
            path = options.html
            path.write_text(page(recording, changes=options.changes), encoding="utf-8")
        elif options.perfetto is None:
            path = Path(tempfile.mkdtemp(prefix="looplab-")) / "recording.html"
            path.write_text(page(recording, changes=options.changes), encoding="utf-8")
            print(path)
            webbrowser.open(path.as_uri())
    except OSError as exc:
        print(f"looplab: cannot write {path}: {exc.strerror}", file=sys.stderr)
        return 2
    return 0
