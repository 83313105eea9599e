"""Build the site with warnings as errors, and serve it on this machine only."""

from __future__ import annotations

import errno
import http.server
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

from tools.common import ROOT, ToolError, alone, digest, say
from tools.environment import clean_environ, has_node_modules, venv_python

__all__ = ["Server", "build", "read_port"]

HOST = "127.0.0.1"
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
READ = ".doctrees/environment.pickle"  # what a build has kept of its reading
# What may change without a whole build. Sphinx knows which of these a page is made of,
# but not, for example, that an extension has changed.
PAGES = (
    "CHANGELOG.md",
    "book/*.md",
    "book/*/*.md",
    "book/_static/*",
    "notebooks/*.ipynb",
)


def source_files(root: Path) -> Iterator[Path]:
    """Every file that the built site depends on."""
    for name in SOURCES:
        path = root / name
        if path.is_dir():
            for file in path.rglob("*"):
                hidden = any(part.startswith(".") for part in file.parts[-2:])
                cache = "__pycache__" in file.parts or ".egg-info" in str(file)
                if file.is_file() and not cache and not hidden:
                    yield file
        else:
            yield path


def state(root: Path, live: bool) -> dict[str, str]:
    """What the site is built from: a hash of each page, and one of all the rest."""
    pages = {path for pattern in PAGES for path in root.glob(pattern)}
    rest = (file for file in source_files(root) if file not in pages)
    found = {str(page.relative_to(root)): digest([page]) for page in sorted(pages)}
    return {**found, "": digest(rest, "live" if live else "plain")}


def read_stamp(stamp: Path) -> dict[str, str]:
    """What the last build was made from; empty when there is none to go by."""
    try:
        kept = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def may_read_less(kept: dict[str, str], wanted: dict[str, str], stamp: Path) -> bool:
    """Whether Sphinx will see by itself what has changed since the last build.

    It goes by times: a page that was put back with an old one would stay as it was.
    """
    if kept.keys() != wanted.keys() or kept.get("") != wanted[""]:
        return False
    built = stamp.stat().st_mtime_ns
    root = stamp.parent.parent
    changed = (name for name in wanted if kept[name] != wanted[name])
    return all((root / name).stat().st_mtime_ns > built for name in changed)


def processes() -> int:
    """How many processes build the site; more than one where a fork is safe."""
    return min(os.cpu_count() or 1, 8) if sys.platform == "linux" else 1


def build(venv: Path, root: Path = ROOT) -> Path:
    """Build the site unless the one at hand was built from the same sources.

    Without the Node packages its cells show their outputs and do not run.

    Two commands do not build at the same time: the second one waits, and then finds the
    first one's site.

    After a build without a warning, if nothing but pages has changed, only these are
    read again. All are written, or a link to what another page has lost would pass
    without its warning. After a build that failed all are read too: Sphinx does not
    repeat the warnings of a page that it does not read.

    Returns:
        The folder with the finished site.

    Raises:
        ToolError: The build failed or gave a warning.
    """
    with alone(root / "_build" / "site.lock", "building the site"):
        return _build(venv, root)


def _build(venv: Path, root: Path) -> Path:
    """Build the site; nobody else does."""
    out = root / "_build"
    html = out / "html"
    stamp = out / "on-time.stamp"
    live = has_node_modules(root)
    wanted = state(root, live)
    kept = read_stamp(stamp)
    if kept == wanted and html.joinpath("index.html").exists():
        return html

    again = out.joinpath(READ).exists() and may_read_less(kept, wanted, stamp)
    say("Building the site again." if again else "Building the site.")
    started = time.monotonic()
    stamp.unlink(missing_ok=True)
    shutil.rmtree(html, ignore_errors=True)
    if not again:
        shutil.rmtree(out / ".doctrees", ignore_errors=True)
        shutil.rmtree(out / "jupyter_execute", ignore_errors=True)
    out.mkdir(exist_ok=True)
    options = f"jobs={processes()}, force_all={again}"
    command = [str(venv_python(venv)), "-c", START.format(options=options)]
    command += ["build", str(root), "--path-output", str(root), "-W", "--keep-going"]
    if not again:
        command.append("--all")
    environ = clean_environ(venv)
    if not live:
        environ["LIVECELLS_ENABLED"] = "0"
    done = subprocess.run(
        command,
        cwd=root,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    out.joinpath("build.log").write_text(log, encoding="utf-8")
    if done.returncode or not html.joinpath("index.html").exists():
        pattern = r"WARNING|ERROR|CRITICAL|Error:|Exception"
        lines = [line for line in log.splitlines() if re.search(pattern, line)]
        say("\n".join(lines or log.splitlines()[-30:]))
        raise ToolError("the site was not built; the whole log is _build/build.log.")
    stamp.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")
    say(f"Built in {time.monotonic() - started:.0f} s.")
    return html


def read_port(text: str) -> int:
    """A port number from the words of the user.

    Raises:
        ToolError: It is no number from 1 to 65535.
    """
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise ToolError(f"PORT={text} is no port: give a number from 1 to 65535.", 2)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line for each, with types no registry can change."""

    extensions_map = {  # noqa: RUF012 - the base class has it so
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".css": "text/css",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Stay quiet."""

    def end_headers(self) -> None:
        """A page built again must not be hidden by the browser's copy."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


class Server(http.server.ThreadingHTTPServer):
    """A server that claims its port at once and answers when told.

    The port is claimed before the site is built, so that a busy port is known before
    the wait and not after it.

    Raises:
        ToolError: The port is taken, or this user may not use it.
    """

    allow_reuse_address = os.name != "nt"  # on Windows it would share a busy port

    def __init__(self, port: int, host: str = HOST) -> None:
        super().__init__((host, port), Handler, bind_and_activate=False)
        try:
            self.server_bind()
            self.server_activate()
        except OSError as error:
            self.server_close()
            other = port + 1 if port < 65535 else 8001
            if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
                raise ToolError(
                    f"this machine has no address {host!r}: HOST=0.0.0.0 serves on all "
                    "of its addresses, and without HOST only this machine is served"
                ) from None
            if isinstance(error, PermissionError):
                other = 8001
                reason = "is not open to this user"
            else:
                reason = "is busy"
            raise ToolError(
                f"port {port} {reason}: choose another, "
                f"for example: make book PORT={other}"
            ) from None

    def server_bind(self) -> None:
        """Bind without the base class's look-up of the machine's name."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]

    @property
    def address(self) -> str:
        """The address for the browser."""
        every = self.server_name in ("0.0.0.0", "")
        host = socket.gethostname() if every else self.server_name
        return f"http://{host}:{self.server_port}/"

    def serve_folder(self, folder: Path) -> None:
        """Answer requests until another thread calls ``shutdown()``."""
        self.RequestHandlerClass = partial(Handler, directory=str(folder))
        self.serve_forever(poll_interval=0.1)

    def serve(self, folder: Path) -> None:
        """Answer requests for the files of a folder until Ctrl-C."""

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        signal.signal(signal.SIGTERM, stop)
        try:
            say(f"The book is at {self.address} (Ctrl-C stops the server).")
            self.serve_folder(folder)
        except KeyboardInterrupt:
            say("")
        finally:
            self.server_close()
