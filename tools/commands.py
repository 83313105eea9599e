"""The command line of the project; the Makefile's targets are its commands."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import site
from tools.browser import find_chromium
from tools.common import ROOT, ToolError, ended, say
from tools.environment import (
    clean_environ,
    ensure_node_modules,
    ensure_venv,
    venv_python,
)

__all__ = ["lab_venv", "lint_commands", "main"]

PROOF = ("tests/site", "notebooks", "tests/fast")  # the longest pieces first
MADE = (".venv", ".venv-bench", ".venv-lab", ".venv-lite", "_build", "node_modules")
MY_LABS = "my_labs"
LOCK = (
    "pip compile --universal --python-version 3.11 --no-config --no-header "
    "--no-annotate --no-emit-index-url --no-emit-find-links --upgrade --quiet"
)
LOCK_HEADER = """\
# Made by `make lock` from requirements.in; do not edit.
# Exact pins for Python 3.11 to 3.14 on Linux, macOS and Windows.
"""


def python(venv: Path, *words: str) -> None:
    """Run Python in the environment; its failure is ours, without more words."""
    command = [str(venv_python(venv)), *words]
    done = subprocess.run(command, cwd=ROOT, env=clean_environ(venv), check=False)
    if done.returncode:
        raise SystemExit(max(done.returncode, 1))


def built(*, node: bool = False) -> tuple[Path, Path]:
    """The environment, and the site that it has built.

    Args:
        node: whether a site whose cells do not run is not enough.
    """
    ensure_node_modules(required=node)
    venv = ensure_venv()
    return venv, site.build(venv)


def book(options: argparse.Namespace) -> None:
    """Build the site and serve it."""
    with site.claim(options.port, options.host) as server:
        site.serve(server, built()[1])


def build(_: argparse.Namespace) -> None:
    """Build the site into _build/html."""
    say(f"The site is in {built()[1].relative_to(ROOT)}.")


def lite(_: argparse.Namespace) -> None:
    """Build the site with a JupyterLite that has every lab, in _build/html/lite.

    Its parts are fetched into .venv-lite the first time. `make book` then serves both.
    """
    python(built()[0], "-m", "tools.lite_labs")


def test(options: argparse.Namespace) -> None:
    """Prove the book, or run the tests that the given pytest words select.

    Without words: the fast tests, the site in one browser, and the exact cells of the
    notebooks. Ends with the CPU time that it took, which no other program changes much.
    """
    proved(options.words or [*PROOF, *spread()])


def contract(options: argparse.Namespace) -> None:
    """Run the tests that touch the world: processes, signals, servers, real loops."""
    proved(["-m", "not slow", *(options.words or ["tests/contract", *spread()])])


def slow(options: argparse.Namespace) -> None:
    """Run the slow tests that touch the world; goes on where it was interrupted."""
    proved(["-m", "slow", *(options.words or ["tests/contract", *spread()])])


def proved(words: list[str]) -> None:
    """Run pytest on the built site."""
    with spending():
        venv, _ = built(node=True)
        python(venv, "-m", "pytest", "-p", "no:cacheprovider", *words)


def planted(options: argparse.Namespace) -> None:
    """Plant faults, and see which the fast tests miss; goes on where it was stopped."""
    with spending():
        python(ensure_venv(), "-m", "tools.planted", *options.words)


def spread() -> list[str]:
    """Words for pytest: a worker a core, and a notebook or a module is one piece."""
    return ["-n", str(cores()), "--dist", "loadfile", "--no-loadscope-reorder"]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def spending() -> Iterator[None]:
    """Print what a command took: CPU time, time, and how free the machine was."""
    ask = "from ontime.measuring.machine import free_cores; print(free_cores())"
    words = [str(venv_python(ensure_venv())), "-c", ask]
    free = float(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    started, before = time.monotonic(), os.times()
    try:
        yield
    finally:
        after = os.times()
        spent = after.children_user - before.children_user
        spent += after.children_system - before.children_system
        say(
            f"CPU time: {spent:.0f} s, in {time.monotonic() - started:.0f} s "
            f"on {cores()} cores, {free:.1f} free at the start."
        )


def execute(options: argparse.Namespace) -> None:
    """Run the notebooks again and refresh their outputs."""
    python(ensure_venv(), "-m", "tools.execute", *options.words)


def lab_venv() -> Path:
    """The environment of the labs, made where it is not there."""
    return ensure_venv(ROOT, ".venv-lab", "tools/lab_requirements.txt")


def lab(options: argparse.Namespace) -> None:
    """Open JupyterLab with copies of the labs; makes an environment, .venv-lab.

    Its kernels have all that the labs import. More words go to JupyterLab.
    """
    site.claim(options.port).server_close()  # a busy port is told before all else
    venv = lab_venv()
    python(venv, "-m", "ontime.handout", "all", "--solutions", "--to", MY_LABS)
    say(f"Your labs are in {MY_LABS}/; Ctrl-C ends it.")
    command = [str(venv_python(venv)), "-m", "jupyterlab", str(ROOT / MY_LABS)]
    command += [f"--port={options.port}", "--ServerApp.port_retries=0"]
    command += ["--ip=127.0.0.1", "--ServerApp.answer_yes=True"]  # Ctrl-C just ends it
    command.append("--log-level=WARN")  # what is left is the address to open
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container; it answers this machine only
    command += options.words
    with subprocess.Popen(command, cwd=ROOT, env=clean_environ(venv)) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            process.terminate()  # it ends its kernels first
            raise
    if status:
        raise SystemExit(max(status, 1))


def lint_commands(root: Path = ROOT) -> list[list[str]]:
    """The checks of ``make lint``, as words after ``python -m``."""
    code = ["benchmarks", "book/_ext", "src", "tests", "tools"]
    code = [name for name in code if any((root / name).rglob("*.py"))]
    checks = [
        ["ruff", "check", *code],
        ["ruff", "format", "--check", *code],
        ["mypy", "src/looplab", "src/ontime", "src/livecells"],
    ]
    if any((root / "notebooks").glob("*.ipynb")):
        # Not `ruff format`: its two blank lines make a cell longer than a screen.
        checks.append(["ruff", "check", "--line-length", "79", "notebooks"])
    return checks


def lint(_: argparse.Namespace) -> None:
    """Check style and types."""
    for words in lint_commands():
        say("$ " + " ".join(words))
        python(ensure_venv(), "-m", *words)


def fmt(_: argparse.Namespace) -> None:
    """Lay out code and notebooks as `lint` wants them."""
    for tool, verb, *words in lint_commands():
        if tool == "ruff":
            words = ["--fix", *words] if verb == "check" else words[1:]
            python(ensure_venv(), "-m", tool, verb, *words)


def bench(options: argparse.Namespace) -> None:
    """Run the benchmarks, which make an environment of their own, .venv-bench."""
    python(ensure_venv(), "-m", "benchmarks.loops", *options.words)


def screenshot(_: argparse.Namespace) -> None:
    """Take the picture of the site that the README shows."""
    python(built()[0], "-m", "tools.browser")


def pdf(_: argparse.Namespace) -> None:
    """Print the book and its exercises into _build/pdf; needs Chromium."""
    if find_chromium() is None:
        raise ToolError(
            "no Chromium was found, which prints the pages: install one, or name it "
            "with CHROMIUM=, for example: make pdf CHROMIUM=/usr/bin/chromium"
        )
    python(built()[0], "-m", "tools.pdf")


def lock(_: argparse.Namespace) -> None:
    """Resolve requirements.in into requirements.txt; needs uv."""
    uv = shutil.which("uv")
    if uv is None:
        raise ToolError("uv is needed for the lock: pip install uv.")
    command = [uv, *LOCK.split(), "requirements.in"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise ToolError("uv found no solution: see its words above.")
    text = LOCK_HEADER + done.stdout
    (ROOT / "requirements.txt").write_text(text, encoding="utf-8")


def clean(_: argparse.Namespace) -> None:
    """Remove everything that the other commands made."""
    for name in MADE:
        shutil.rmtree(ROOT / name, ignore_errors=True)


#: The commands that take more words, for the program that they start.
WITH_WORDS = (bench, contract, execute, lab, planted, slow, test)
OTHERS = (book, build, lite, screenshot, pdf, lint, fmt, lock, clean)
COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    action.__name__.replace("fmt", "format"): action
    for action in (*OTHERS, *WITH_WORDS)
}


def main(words: list[str]) -> int:
    """Run one command and return its exit status."""
    top = argparse.ArgumentParser(
        prog="python tools/run.py", description="Commands of the project."
    )
    parsers = top.add_subparsers(dest="command", required=True, metavar="command")
    for name, action in COMMANDS.items():
        command = parsers.add_parser(name, help=action.__doc__)
        if action in (book, lab):
            command.add_argument("--port", default="8000")
        if action is book:
            command.add_argument(
                "--host", default="", help="0.0.0.0 for all who reach it"
            )
    options, options.words = top.parse_known_args(words)
    action = COMMANDS[options.command]
    if options.words and action not in WITH_WORDS:
        top.error(f"{options.command} takes no {' '.join(options.words)}")
    return ended(lambda: action(options))
