"""The command line of the project; the Makefile's targets are its commands."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import environment, site
from tools.browser import find_chromium
from tools.common import ROOT, ToolError, ended, say

__all__ = ["lab_venv", "lint_commands", "main"]

PROOF = ("tests/site", "notebooks", "tests/fast")  # the longest pieces first
CONTRACT = "tests/contract"
TAKE_WORDS = ("bench", "contract", "execute", "lab", "planted", "slow", "test")
LAB_VENV = ".venv-lab"
MY_LABS = "my_labs"
LAB_REQUIREMENTS = "tools/lab_requirements.txt"
LOCK = (
    "pip compile --universal --python-version 3.11 --no-config --no-header "
    "--no-annotate --no-emit-index-url --no-emit-find-links --upgrade"
)
LOCK_HEADER = """\
# Made by `make lock` from requirements.in; do not edit.
# Exact pins for Python 3.11 to 3.14 on Linux, macOS and Windows.
"""


def run(venv: Path, *words: str) -> None:
    """Run Python in the environment; its failure is ours, without more words."""
    command = [str(environment.venv_python(venv)), *words]
    environ = environment.clean_environ(venv)
    done = subprocess.run(command, cwd=ROOT, env=environ, check=False)
    if done.returncode:
        raise SystemExit(done.returncode if done.returncode > 0 else 1)


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


def book(options: argparse.Namespace) -> None:
    """Build the site and serve it."""
    server = site.Server(site.read_port(options.port), options.host or site.HOST)
    with server:
        environment.offer_node_modules()
        folder = site.build(environment.ensure_venv())
        server.serve(folder)


def build(_: argparse.Namespace) -> None:
    """Build the site into _build/html."""
    environment.offer_node_modules()
    folder = site.build(environment.ensure_venv())
    say(f"The site is in {folder.relative_to(ROOT)}.")


def lite(_: argparse.Namespace) -> None:
    """Build the site with a JupyterLite that has every lab, in _build/html/lite.

    Its parts are fetched into .venv-lite the first time. `make book` then serves both.
    """
    environment.offer_node_modules()
    run(environment.ensure_venv(), "-m", "tools.lite_labs")


def test(options: argparse.Namespace) -> None:
    """Prove the book, or run the tests that the given pytest words select.

    Without words: the fast tests, the site in one browser, and the exact cells of the
    notebooks. Ends with the CPU time that it took, which no other program changes much.
    """
    environment.ensure_node_modules()
    venv = environment.ensure_venv()
    with spending(venv):
        site.build(venv)
        run_pytest(venv, options.words or [*PROOF, *spread()])


def contract(options: argparse.Namespace) -> None:
    """Run the tests that touch the world: processes, signals, servers, real loops."""
    prove_contract("not slow", options.words)


def slow(options: argparse.Namespace) -> None:
    """Run the slow tests that touch the world; goes on where it was interrupted."""
    prove_contract("slow", options.words)


def planted(options: argparse.Namespace) -> None:
    """Plant faults, and see which the fast tests miss; goes on where it was stopped."""
    venv = environment.ensure_venv()
    with spending(venv):
        run(venv, "-m", "tools.planted", *options.words)


def prove_contract(marked: str, words: list[str]) -> None:
    """Run the tests of tests/contract with a mark, or those that the words select."""
    environment.ensure_node_modules()
    venv = environment.ensure_venv()
    with spending(venv):
        site.build(venv)
        run_pytest(venv, ["-m", marked, *(words or [CONTRACT, *spread()])])


def run_pytest(venv: Path, words: list[str]) -> None:
    """Run pytest in the environment."""
    run(venv, "-m", "pytest", "-p", "no:cacheprovider", *words)


def spread() -> list[str]:
    """Words for pytest: a worker a core, and a notebook or a module is one piece."""
    return ["-n", str(cores()), "--dist", "loadfile", "--no-loadscope-reorder"]


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def spending(venv: Path) -> Iterator[None]:
    """Print what a command took: CPU time, time, and how free the machine was."""
    ask = "from ontime.measuring.cores import free_cores; print(free_cores())"
    python = str(environment.venv_python(venv))
    asked = subprocess.run(
        [python, "-c", ask], stdout=subprocess.PIPE, text=True, check=False
    )
    free = f", {float(asked.stdout):.1f} free" if asked.returncode == 0 else ""
    started, before = time.monotonic(), os.times()
    try:
        yield
    finally:
        after = os.times()
        spent = after.children_user - before.children_user
        spent += after.children_system - before.children_system
        say(
            f"CPU time: {spent:.0f} s, in {time.monotonic() - started:.0f} s "
            f"on {cores()} cores{free} at the start."
        )


def execute(options: argparse.Namespace) -> None:
    """Run the notebooks again and refresh their outputs."""
    venv = environment.ensure_venv()
    run(venv, "-m", "tools.execute", *options.words)


def lab_venv() -> Path:
    """The environment of the labs, made where it is not there."""
    return environment.ensure_venv(name=LAB_VENV, extra=(LAB_REQUIREMENTS,))


def lab(options: argparse.Namespace) -> None:
    """Open JupyterLab with copies of the labs; makes an environment, .venv-lab.

    Its kernels have all that the labs import. More words go to JupyterLab.
    """
    port = site.read_port(options.port)
    with site.Server(port):
        pass  # a busy port is said before the environment is made
    venv = lab_venv()
    labs = ROOT / MY_LABS
    run(venv, "-m", "ontime.handout", "all", "--solutions", "--to", MY_LABS)
    say(f"Your labs are in {MY_LABS}/; Ctrl-C ends it.")
    command = [str(environment.venv_python(venv)), "-m", "jupyterlab", str(labs)]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--ip=127.0.0.1"]
    command += ["--ServerApp.answer_yes=True"]  # Ctrl-C ends it without a question
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container; it answers this machine only
    command += options.words
    environ = environment.clean_environ(venv)
    process = subprocess.Popen(command, cwd=ROOT, env=environ)
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.terminate()  # it ends its kernels first
        process.wait()
        raise
    if status:
        raise SystemExit(status if status > 0 else 1)


def lint(_: argparse.Namespace) -> None:
    """Check style and types."""
    venv = environment.ensure_venv()
    for words in lint_commands():
        say("$ " + " ".join(words))
        run(venv, "-m", *words)


def fmt(_: argparse.Namespace) -> None:
    """Lay out code and notebooks as `lint` wants them."""
    venv = environment.ensure_venv()
    for words in lint_commands():
        if words[0] == "ruff":
            mend = [word for word in words if word != "--check"]
            if mend[1] == "check":
                mend.insert(2, "--fix")
            run(venv, "-m", *mend)


def bench(options: argparse.Namespace) -> None:
    """Run the benchmarks, which make an environment of their own, .venv-bench."""
    command = [sys.executable, "-m", "benchmarks", *options.words]
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.returncode if done.returncode > 0 else 1)


def screenshot(_: argparse.Namespace) -> None:
    """Take the picture of the site that the README shows."""
    environment.offer_node_modules()
    venv = environment.ensure_venv()
    site.build(venv)
    run(venv, "-m", "tools.screenshot")


def pdf(_: argparse.Namespace) -> None:
    """Print the book and its exercises into _build/pdf; needs Chromium."""
    if find_chromium() is None:
        raise ToolError(
            "no Chromium was found, which prints the pages: install one, or name it "
            "with CHROMIUM=, for example: make pdf CHROMIUM=/usr/bin/chromium"
        )
    environment.offer_node_modules()
    venv = environment.ensure_venv()
    site.build(venv)
    run(venv, "-m", "tools.pdf")


def lock(_: argparse.Namespace) -> None:
    """Resolve requirements.in into requirements.txt; needs uv."""
    uv = shutil.which("uv")
    if uv is None:
        raise ToolError("uv is needed for the lock: pip install uv.")
    target = ROOT / "requirements.txt"
    command = [uv, *LOCK.split(), "--quiet", "requirements.in"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise ToolError("uv found no solution: see its words above.")
    target.write_text(LOCK_HEADER + done.stdout, encoding="utf-8")


def clean(_: argparse.Namespace) -> None:
    """Remove everything that the other commands made."""
    for name in (
        ".venv",
        ".venv-bench",
        ".venv-lab",
        ".venv-lite",
        "_build",
        "node_modules",
    ):
        shutil.rmtree(ROOT / name, ignore_errors=True)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python tools/run.py", description="Commands of the project."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, action: object) -> argparse.ArgumentParser:
        about = str(getattr(action, "__doc__", ""))
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(action=action)
        return command

    served = add("book", book)
    served.add_argument("--port", default="8000")
    served.add_argument("--host", default="", help="0.0.0.0 for all who reach it")
    add("lab", lab).add_argument("--port", default="8000")
    add("build", build)
    add("lite", lite)
    add("test", test)
    add("contract", contract)
    add("slow", slow)
    add("planted", planted)
    add("execute", execute)
    add("bench", bench)
    add("lint", lint)
    add("format", fmt)
    add("screenshot", screenshot)
    add("pdf", pdf)
    add("lock", lock)
    add("clean", clean)
    return top


def main(words: list[str]) -> int:
    """Run one command and return its exit status."""
    top = parser()
    options, options.words = top.parse_known_args(words)
    if options.words and options.command not in TAKE_WORDS:
        top.error(f"{options.command} takes no {' '.join(options.words)}")
    return ended(lambda: options.action(options), "interrupted")
