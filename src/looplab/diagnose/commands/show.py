"""The command ``looplab show``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from pathlib import Path

from ..page import page
from . import stop, uncollected
from .who import add_file, read_recording

_LONG = 20_000  # callbacks: the page of more takes a while
ABOUT = """\
Show a recording as a page: what was waited for, the worst moment, what if.

The page is one file that needs no other and asks no host for anything. Without --html
it is opened in a browser.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add_file(parser)
    text = "write the page to this file"
    parser.add_argument("--html", type=Path, metavar="OUT", help=text)


@uncollected()
def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Write or open the page."""
    recording, _ = read_recording(options)
    if len(recording) > _LONG:
        many = f"{len(recording):,} callbacks"
        print(f"looplab: a page of {many} …", file=sys.stderr, flush=True)
    text = page(recording, file=options.file)
    folder = tempfile.mkdtemp(prefix="looplab-") if options.html is None else ""
    path = options.html or Path(folder, "recording.html")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        stop(f"cannot write {path}: {exc.strerror}")
    if folder:
        print(path)
        webbrowser.open(path.as_uri())
    return 0
