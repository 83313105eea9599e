"""Build the site with warnings as errors, and serve it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.common import ROOT, ToolError, digest, say
from tools.environment import clean_environ, has_node_modules, venv_python
from tools.serving import HOST, Handler, Server

__all__ = ["build", "claim", "serve"]

# Jupyter Book has no option for two of Sphinx's own: how many processes read and write
# the pages, and (as with -a) that all are written where only what has changed is read.
START = (
    "import functools; from jupyter_book import sphinx; from jupyter_book.cli import "
    "main; sphinx.build_sphinx = functools.partial(sphinx.build_sphinx, {options}); "
    "main.main()"
)
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "benchmarks",
    "book",
    "notebooks",
    "package-lock.json",
    "pyproject.toml",
    "requirements.txt",
    "src",
)
# What may change without a whole build. Sphinx knows which of these a page is made of,
# but not, for example, that an extension has changed.
PAGES = (
    "CHANGELOG.md",
    "book/*.md",
    "book/*/*.md",
    "book/_static/*",
    "notebooks/*.ipynb",
)
READ = ".doctrees/environment.pickle"  # what a build has kept of its reading


def source_files(root: Path) -> Iterator[Path]:
    """Every file that the built site depends on."""
    for name in SOURCES:
        path = root / name
        for file in path.rglob("*") if path.is_dir() else [path]:
            parts = file.relative_to(root).parts
            unseen = any(part[0] == "." or "__pycache__" in part for part in parts)
            if not unseen and ".egg-info" not in str(file) and not file.is_dir():
                yield file


def state(root: Path, live: bool) -> dict[str, str]:
    """What the site is built from: a hash of each page, and one of all the rest."""
    pages = {path for pattern in PAGES for path in root.glob(pattern)}
    rest = (file for file in source_files(root) if file not in pages)
    hashes = {str(page.relative_to(root)): digest([page]) for page in sorted(pages)}
    return {**hashes, "": digest(rest, "live" if live else "plain")}


def may_read_less(kept: dict[str, str], wanted: dict[str, str], stamp: Path) -> bool:
    """Whether Sphinx will see by itself what has changed since the last build.

    It goes by times: a page that was put back with an old one would stay as it was.
    """
    if kept.keys() != wanted.keys() or kept[""] != wanted[""]:
        return False
    built, root = stamp.stat().st_mtime_ns, stamp.parent.parent
    changed = (name for name in wanted if kept[name] != wanted[name])
    return all((root / name).stat().st_mtime_ns > built for name in changed)


def build(venv: Path, root: Path = ROOT) -> Path:
    """Build the site unless the one at hand was built from the same sources.

    Without the Node packages its cells show their outputs and do not run.

    After a build without a warning, if nothing but pages has changed, only these are
    read again. All are written, or a link to what another page has lost would pass
    without its warning. After a build that failed all are read too: Sphinx does not
    repeat the warnings of a page that it does not read.

    Returns:
        The folder with the finished site.

    Raises:
        ToolError: The build failed or gave a warning.
    """
    out = root / "_build"
    html, stamp = out / "html", out / "on-time.stamp"
    live = has_node_modules(root)
    wanted = state(root, live)
    kept = json.loads(stamp.read_text(encoding="utf-8")) if stamp.is_file() else {}
    if kept == wanted and (html / "index.html").exists():
        return html

    again = (out / READ).exists() and may_read_less(kept, wanted, stamp)
    say("Building the site again." if again else "Building the site.")
    started = time.monotonic()
    stamp.unlink(missing_ok=True)
    for name in ("html",) if again else ("html", ".doctrees", "jupyter_execute"):
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(exist_ok=True)
    # More than one process only where a fork is safe.
    jobs = min(os.cpu_count() or 1, 8) if sys.platform == "linux" else 1
    start = START.format(options=f"jobs={jobs}, force_all={again}")
    words = ["build", str(root), "--path-output", str(root), "-W", "--keep-going"]
    words += [] if again else ["--all"]
    environ = clean_environ(venv) | ({} if live else {"LIVECELLS_ENABLED": "0"})
    done = subprocess.run(
        [str(venv_python(venv)), "-c", start, *words],
        cwd=root,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    (out / "build.log").write_text(log, encoding="utf-8")
    if done.returncode or not (html / "index.html").exists():
        pattern = r"WARNING|ERROR|CRITICAL|Error:|Exception"
        lines = [line for line in log.splitlines() if re.search(pattern, line)]
        say("\n".join(lines or log.splitlines()[-30:]))
        raise ToolError("the site was not built; the whole log is _build/build.log.")
    stamp.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    say(f"Built in {time.monotonic() - started:.0f} s.")
    return html


class FreshHandler(Handler):
    """A page built again must not be hidden by the browser's copy."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def claim(port: str, host: str = "") -> Server:
    """A server that has its port, before anything that takes a minute.

    Raises:
        ToolError: The port is no number, is taken, or is not open to this user, or the
            machine has no such address.
    """
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ToolError(f"PORT={port} is no port: give a number from 1 to 65535.", 2)
    try:
        return Server((host or HOST, int(port)), FreshHandler)
    except OSError as error:
        raise ToolError(
            f"{host or HOST} cannot be served on port {port} ({error.strerror}): "
            "choose another, as in PORT=8765; HOST=0.0.0.0 serves on every address of "
            "this machine."
        ) from None


def serve(server: Server, folder: Path) -> None:
    """Answer requests for the files of a folder until Ctrl-C."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    host = server.server_name
    host = socket.gethostname() if host == "0.0.0.0" else host
    say(
        f"The book is at http://{host}:{server.server_port}/ (Ctrl-C stops the server)."
    )
    server.RequestHandlerClass = partial(FreshHandler, directory=str(folder))  # type: ignore[assignment]
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        say("")
