"""The page's scripts and styles, bundled by esbuild."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

__all__ = ["bundle_scripts", "find_esbuild"]

PAGE = Path(__file__).parents[1] / "page"


def find_esbuild(modules: Path, named: str) -> Path:
    """The program of the npm package esbuild, without Node in between.

    Raises:
        ExtensionError: it is not there.
    """
    for pattern in ("@esbuild/*/bin/esbuild", "@esbuild/*/esbuild.exe"):
        for program in sorted(modules.glob(pattern)):
            return program
    raise ExtensionError(
        f"livecells_node_modules is {named!r}, and {modules} has no esbuild: run "
        "npm ci, or set livecells_enabled to False for a book whose cells do not run"
    )


def bundle_scripts(esbuild: Path, modules: Path, pyodide: Path, out: Path) -> str:
    """Bundle and minify scripts and styles into ``out``.

    Returns:
        The hash of the frame's inline script, as a content policy names it.
    """
    # The frame of the worker gets its script as text, from the page's own.
    relay = out / "relay.txt"
    _esbuild(
        esbuild,
        modules,
        [str(PAGE / "relay.js"), "--format=iife", f"--outfile={relay}"],
    )
    # The worker and the slider's script share no part with the page's script: a shared
    # part would be one more file to fetch before the first click.
    jobs = [
        [
            "--format=esm",
            "--splitting",
            f"--alias:livecells-relay={relay}",
            "--loader:.txt=text",
            f"livecells={PAGE / 'page.js'}",
        ],
        [
            # A classic script, since a module does not start in a frame without an
            # origin. Pyodide's script lies in it: a worker needs no request.
            "--format=iife",
            '--define:import.meta.url="https://livecells.invalid/"',
            f"--alias:livecells-pyodide={(pyodide / 'pyodide.mjs').resolve()}",
            "--alias:livecells-pyodide-module="
            f"{(pyodide / 'pyodide.asm.mjs').resolve()}",
            "--external:node:*",
            "--external:ws",
            f"worker={PAGE / 'worker.js'}",
        ],
        ["--format=esm", f"explorable={PAGE / 'explorable.js'}"],
        [f"livecells={PAGE / 'livecells.css'}"],
        [f"explorable={PAGE / 'explorable.css'}"],
    ]
    for words in jobs:
        source = words[-1].partition("=")[2]
        if not Path(source).is_file():
            raise ExtensionError(
                f"{source} is missing: this copy of the extension is not whole, "
                "install it again"
            )
        _esbuild(esbuild, modules, [*words, f"--outdir={out}"])
    digest = hashlib.sha256(relay.read_bytes()).digest()
    relay.unlink()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _esbuild(esbuild: Path, modules: Path, words: list[str]) -> None:
    command = [
        str(esbuild),
        *words,
        "--bundle",
        "--minify",
        "--target=es2022",
        "--charset=utf8",
        "--legal-comments=none",
        "--chunk-names=[name]-[hash]",
        "--log-level=warning",
    ]
    environ = {**os.environ, "NODE_PATH": str(modules.resolve())}
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ExtensionError(f"esbuild failed:\n{done.stderr.strip()}")
