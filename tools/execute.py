"""Run the notebooks in a real kernel and refresh their outputs.

``python -m tools.execute`` runs all of them, ``python -m tools.execute 04`` those whose
name begins with 04.  The files are replaced only after every one of them ran to its
end: a failed or interrupted run leaves each notebook byte for byte as it was.

A cell with the tag ``measured`` shows real time, and a figure from a busy machine says
more about the other programs than about the experiment.  So the share of the cores that
is free is asked before and after each such cell; a busy run is repeated for as long as
the patience lasts, and then refused.  The share stays in the cell's metadata under
``free_cores``, where the scoreboard reads it.  Two options change that:

``--busy``
    take the figure of a machine that is never quiet, with its share of the cores;
``--keep-measured``
    leave measured outputs as they are committed, for a change that measures nothing
    else than before, such as another name of a module.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import (
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)

from ontime.measuring.machine import free_cores, usable_cores
from tools.common import ROOT, ToolError, ended, say
from tools.kernels import AsyncFileKernelManager

__all__ = ["Quiet", "execute", "main", "normalise", "only_defines", "refresh", "select"]

CELL_TIMEOUT = 900  # seconds: sweeps of measured cells take minutes on a busy machine
MEASURED = "measured"  # the tag of a cell whose outputs depend on the machine
SHARE = "free_cores"  # in the metadata of such a cell
QUIET = 0.9  # the share of the usable cores that is free on a quiet machine
PATIENCE = 300.0  # seconds that one measured cell may wait for it
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}


def select(folder: Path, prefix: str = "") -> list[Path]:
    """The notebooks whose name begins with a prefix, in order of name.

    Raises:
        ToolError: There is none.
    """
    # "notebooks/04_late_heartbeat.ipynb" and "04" name the same notebook.
    stem = prefix.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".ipynb")
    selected = sorted(folder.glob(f"{stem}*.ipynb"))
    if not selected:
        raise ToolError(f"no notebook in {folder.name}/ begins with {stem!r}.")
    return selected


def normalise(notebook: Any) -> None:
    """Remove what differs between two runs that gave the same results.

    That is: time stamps, the interpreter's version, how often a cell was repeated, and
    where a stream of text was cut into pieces.
    """
    notebook.metadata = nbformat.from_dict(METADATA)
    count = 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = list(_joined(cell.outputs))
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count


def _joined(outputs: list[Any]) -> Iterator[Any]:
    streams: dict[str, Any] = {}
    for output in outputs:
        if output.output_type != "stream":
            streams.clear()
            yield output
        elif output.name in streams:
            streams[output.name].text += output.text
        else:
            streams[output.name] = output
            yield output


def free_share() -> float:
    """The share of the usable cores that other programs leave free, at this moment."""
    return min(1.0, free_cores() / usable_cores())


def only_defines(source: str) -> bool:
    """Whether a cell runs nothing: it imports, and defines functions and classes.

    A cell that shows nothing may still take a time that a later cell shows.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a line for IPython
        return False
    kinds = (*DEFINITIONS, ast.Import, ast.ImportFrom)
    return all(isinstance(statement, kinds) for statement in body)


@dataclass(frozen=True, slots=True)
class Quiet:
    """When the outputs of a measured cell may be taken.

    Attributes:
        patience: seconds that one cell may wait for a quiet machine.
        busy: whether its outputs are taken all the same when that time is over.
        keep: whether committed outputs of measured cells stay as they are.
        share: asks what share of the cores is free.
    """

    patience: float = PATIENCE
    busy: bool = False
    keep: bool = False
    share: Callable[[], float] = free_share

    def __post_init__(self) -> None:
        if not 0 <= self.patience < float("inf"):
            raise ToolError(
                f"the patience is {self.patience:g}: give a number of seconds, 0 or "
                "more."
            )


class BusyMachineError(ToolError):
    """A measured cell found no quiet machine in time."""


class _Client(NotebookClient):  # type: ignore[misc]
    """Runs a measured cell again until the machine was quiet around it."""

    quiet: Quiet
    report: Callable[[str], None]

    async def async_execute_cell(self, cell: Any, *args: Any, **options: Any) -> Any:
        if MEASURED not in cell.metadata.get("tags", ()):
            return await super().async_execute_cell(cell, *args, **options)
        committed = list(cell.outputs)
        if cell.execution_count and self.quiet.keep:
            done = await super().async_execute_cell(cell, *args, **options)
            if bool(committed) == bool(done.outputs):
                done.outputs = committed
                return done
        elif only_defines(cell.source):
            cell.metadata.pop(SHARE, None)
            return await super().async_execute_cell(cell, *args, **options)
        share = self.quiet.share
        limit = time.monotonic() + self.quiet.patience
        while True:
            free = await asyncio.to_thread(share)
            while free < QUIET and time.monotonic() < limit:
                self.report(f"  {free:.0%} of the cores are free: waiting")
                await asyncio.sleep(2)  # to ask takes CPU time from the others
                free = await asyncio.to_thread(share)
            done = await super().async_execute_cell(cell, *args, **options)
            free = min(free, await asyncio.to_thread(share))
            if free >= QUIET or time.monotonic() >= limit:
                break
        if free < QUIET and not self.quiet.busy:
            raise BusyMachineError(
                f"only {free:.0%} of the cores were free around a measured cell for "
                f"{self.quiet.patience:g} s: close other programs and run again, or "
                "take its figures as those of a busy machine with --busy"
            )
        done.metadata[SHARE] = round(free, 2)
        return done


async def execute(
    path: Path,
    report: Callable[[str], None],
    label: str,
    quiet: Quiet | None = None,
) -> Any:
    """Run one notebook from its first cell to its last and return it.

    Args:
        path: the notebook.
        report: takes each piece of a line of progress.
        label: what the line begins with.
        quiet: when the outputs of a measured cell may be taken.

    Raises:
        ToolError: A cell failed, took too long, or the kernel died; the message
            names the notebook, the cell and the error.
        asyncio.CancelledError: The run was interrupted.
    """
    notebook = nbformat.read(path, as_version=4)
    code = [i for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    numbers = {index: n for n, index in enumerate(code, start=1)}
    place, begun = f"{path.name}: no cell", 0.0
    interrupted: list[bool] = []

    def started(cell: Any, cell_index: int) -> None:
        nonlocal place, begun
        if cell_index in numbers:
            _cancel_on_signal(interrupted)
            number, begun = numbers[cell_index], time.monotonic()
            place = f"{path.name}: cell {number} of {len(code)}"
            report(f"{label}  cell {number} of {len(code)}")

    def finished(cell: Any, cell_index: int, execute_reply: Any) -> None:
        report(f"  {time.monotonic() - begun:.1f} s\n")

    client = _Client(
        notebook,
        timeout=CELL_TIMEOUT,
        startup_timeout=600,
        iopub_timeout=300,  # no output may be lost
        raise_on_iopub_timeout=True,
        kernel_name="python3",
        kernel_manager_class=AsyncFileKernelManager,
        record_timing=False,
        shutdown_kernel="immediate",
        extra_arguments=["--log-level=CRITICAL"],  # its log is not ours
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_execute=started,
        on_cell_executed=finished,
    )
    client.quiet = quiet or Quiet()
    client.report = report
    try:
        await client.async_execute()
    except BusyMachineError as error:
        reason = str(error)
    except CellExecutionError as error:
        reason = f"{error.ename}: {error.evalue or _failed_line(error.traceback)}"
    except CellTimeoutError:
        reason = f"it ran for more than {CELL_TIMEOUT} s"
    except DeadKernelError:
        if interrupted:  # nbclient takes the cancellation for a death
            raise asyncio.CancelledError from None
        reason = "the kernel died"
    else:
        normalise(notebook)
        nbformat.validate(notebook)
        return notebook
    report("\n")
    raise ToolError(f"{place}: {reason}; no notebook was changed.")


def _failed_line(traceback: str) -> str:
    """The line of the cell that a traceback points to: an assert has no other words."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", traceback)
    lines = re.findall(r"^-+>\s*\d+\s+(.*)$", plain, flags=re.MULTILINE)
    return lines[0].strip() if lines else "no message"


def _cancel_on_signal(interrupted: list[bool]) -> None:
    """Let Ctrl-C and a polite kill cancel the run, and note that they did.

    nbclient puts its own handlers there when a kernel starts, which end the kernel and
    then report its death as an error.  Its tasks that watch the kernel are cancelled as
    well: one that looks for a kernel after its end dies of that, with a traceback.
    """
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        interrupted.append(True)
        for task in asyncio.all_tasks(loop):
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, cancel)


def refresh(
    paths: list[Path],
    report: Callable[[str], None] = print,
    quiet: Quiet | None = None,
) -> None:
    """Run notebooks and, when all of them succeeded, replace their files.

    Raises:
        ToolError: A notebook failed or the run was interrupted; no file was changed.
    """
    texts: dict[Path, str] = {}
    for count, path in enumerate(paths, start=1):
        label = f"[{count}/{len(paths)}] {path.stem}"
        try:
            notebook = asyncio.run(execute(path, report, label, quiet))
        except (KeyboardInterrupt, asyncio.CancelledError):
            report("\n")
            raise ToolError(
                f"{path.name}: interrupted; no notebook was changed.", 130
            ) from None
        texts[path] = nbformat.writes(notebook).rstrip("\n") + "\n"
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")


def main(words: list[str]) -> int:
    """Refresh the notebooks that the words select."""
    parser = argparse.ArgumentParser(prog="execute", description=main.__doc__)
    add = parser.add_argument
    add("notebook", nargs="?", default="", help="how its name begins")
    about = "seconds that a measured cell may wait for free cores (%(default)g)"
    add("--patience", type=float, default=PATIENCE, metavar="S", help=about)
    add = parser.add_mutually_exclusive_group().add_argument
    about = "take figures of a machine that is never quiet; they say so"
    add("--busy", action="store_true", help=about)
    about = "leave the committed outputs of measured cells as they are"
    add("--keep-measured", action="store_true", help=about)
    options = parser.parse_args(words)

    def run() -> None:
        quiet = Quiet(options.patience, options.busy, options.keep_measured)
        paths = select(ROOT / "notebooks", options.notebook)
        refresh(paths, lambda text: say(text, end=""), quiet)
        say(f"{len(paths)} refreshed.")

    return ended(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
