"""A namespace, and the cells that run in it."""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import inspect
import linecache
import sys
import time
import types
from collections.abc import Callable, Sequence
from typing import Any

from ._guard import own_builtins
from .complete import complete
from .needs import Changes, needed_cells
from .output import CELL, NoInput, Stream, Writer
from .report import Report, forget_frames, message_of
from .show import bundle_of

__all__ = ["Session"]

__builtins__ = own_builtins  # type: ignore[assignment]

Output = dict[str, Any]
Emit = Callable[[Output], None]

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class Session:
    """A namespace and the cells that have run in it.

    Args:
        emit: is called with each output, a dictionary that JSON can hold: ``kind`` is
            ``"stream"`` (``name``, ``text``), ``"display"`` (``data`` by MIME type,
            ``result``), ``"error"`` (``name``, ``message``, ``text``, ``line``,
            ``cell``) or ``"cut"`` (``limit``).
        limit: how many characters of text one cell may show.  What is beyond is
            dropped here, so it costs the page nothing, and one ``"cut"`` says so.
        packages: what a cell can import beside the standard library, for the message
            of an import that fails.
        late: whether the text of tasks that outlive their cell is emitted too, with
            ``late``, the cell's id.  Then ``sys.stdout`` and ``sys.stderr`` stay those
            of the session from the first cell on.
        clock: the time in seconds, by which short pieces of text are paced.
    """

    def __init__(
        self,
        emit: Emit,
        *,
        limit: int = 100_000,
        packages: Sequence[str] = (),
        late: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._packages = tuple(packages)
        self._writer = Writer(emit, limit, late=late, clock=clock)
        self._late = late
        self._builtins = dict(vars(builtins))
        self._files: dict[str, tuple[str, str, str]] = {}
        self._runs = 0
        self.reset()

    def reset(self) -> None:
        """Start with an empty namespace, as if no cell had run."""
        self._history: list[tuple[str, str, bool]] = []  # id, source, went well
        self._module = types.ModuleType("__main__")
        self._worth: object = None  # what the name _ was given
        vars(self._module)["display"] = self.display

    def forget(self, name: str) -> None:
        """Treat a cell as not run: it runs again when another one needs it."""
        self._history = [(n, s, ok and n != name) for n, s, ok in self._history]

    def plan(self, cells: Sequence[dict[str, str]], target: str) -> list[str]:
        """The cells that have to run for ``target``, in order, ``target`` last.

        What it needs runs again when anything has come in between that may have changed
        what they left: a cell shows the same whatever a reader ran before.

        Args:
            cells: all cells of the page in order, each with ``id`` and ``source``.
            target: the id of the one to run.

        Raises:
            KeyError: No cell has that id.
        """
        place = next((i for i, c in enumerate(cells) if c["id"] == target), None)
        if place is None:
            raise KeyError(f"no cell is called {target!r}")
        above = [(cell["id"], cell["source"]) for cell in cells[: place + 1]]
        needed, live, aliases = needed_cells([source for _, source in above])
        order = sorted(needed)
        others = [source for _, source, _ in self._history]
        changes = Changes([cell["source"] for cell in cells] + others, aliases)

        def is_kept(count: int) -> bool:
            """Whether the namespace is as the first ``count`` needed cells left it."""
            at = count - 1
            names = live[order[count] if count < len(order) else place]
            for name, source, ok in reversed(self._history):
                if at < 0:
                    return True
                if ok and (name, source) == above[order[at]]:
                    names = live[order[at]]
                    at -= 1
                elif changes.affects(source, names):
                    return False
            return at < 0

        kept = next(n for n in range(len(order), -1, -1) if is_kept(n) or n == 0)
        return [above[i][0] for i in order[kept:]] + [target]

    def flush(self) -> None:
        """Emit what tasks have printed since, and is held back."""
        self._writer.flush()

    def display(self, *values: object) -> None:
        """Show values as a cell shows its last one."""
        for value in values:
            self._show(value, result=False)

    async def run_cell(self, name: str, label: str, source: str) -> str:
        """Run one cell.

        Args:
            name: the cell's id.
            label: what a reader calls it, such as ``"Cell 7"``.
            source: its code.

        Returns:
            ``"ok"`` or ``"error"``; what went wrong has been emitted then.
        """
        self._runs += 1
        file = f"<{label}, run {self._runs}>"
        self._files[file] = (name, label, source)
        lines = source.splitlines(keepends=True)
        linecache.cache[file] = (len(source), None, lines, file)
        self._writer.begin(name)
        CELL.set(name)
        kept = sys.stdin, sys.stdout, sys.stderr, sys.modules.get("__main__")
        sys.stdin = NoInput()
        sys.stdout = Stream("stdout", self._writer)
        sys.stderr = Stream("stderr", self._writer)
        sys.modules["__main__"] = self._module
        is_ok = False
        try:
            try:
                await self._execute(source, file)
            finally:
                # Builtins that the cell changed are back; what it added stays.
                builtins.__dict__.update(self._builtins)
                await _take_back_cancel()
            is_ok = True
        except BaseException as error:
            self._fail(error, name)
        finally:
            self._history.append((name, source, is_ok))
            if not self._late:
                sys.stdin, sys.stdout, sys.stderr = kept[:3]
            main = kept[3]
            if main is not None:
                sys.modules["__main__"] = main
            self._writer.end()
        return "ok" if is_ok else "error"

    async def _execute(self, source: str, file: str) -> None:
        try:
            tree = ast.parse(source, file)
        except SyntaxError as error:
            _explain(error, source)
            raise
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            node = tree.body[-1]
            if not _is_silenced(source, node):
                tree.body.pop()
                last = ast.Expression(node.value)
        await self._evaluate(compile(tree, file, "exec", TOP_LEVEL_AWAIT, True))
        if last is not None:
            code = compile(last, file, "eval", TOP_LEVEL_AWAIT, True)
            value = await self._evaluate(code)
            if value is not None:
                self._show(value, result=True)
                names = vars(self._module)
                # A reader's own name stays what it is.
                if names.get("_", self._worth) is self._worth:
                    names["_"] = self._worth = value

    async def _evaluate(self, code: types.CodeType) -> object:
        value = eval(code, vars(self._module))
        if code.co_flags & inspect.CO_COROUTINE:
            return await value
        return value

    def _show(self, value: object, *, result: bool) -> None:
        self._writer.display(bundle_of(value), result)

    def complete(self, before: str) -> dict[str, Any]:
        """What could stand at the end of some code; see :func:`complete.complete`."""
        return complete(vars(self._module), before)

    def _fail(self, error: BaseException, name: str) -> None:
        try:
            report = Report(error, self._files, self._packages)
            text, line, where = report.text(), report.line, report.cell
            message = message_of(error)
        except BaseException:  # no error of a reader's may hinder its own report
            text = type(error).__name__
            message, line, where = "", None, None
        finally:
            forget_frames(error)
        if where is not None and self._source_of(where) != report.source:
            line = None  # of a text that the cell no longer has
        self._writer.error(
            {
                "kind": "error",
                "name": type(error).__name__,
                "message": message,
                "text": text,
                "line": line,
                "cell": where or name,
            }
        )

    def _source_of(self, name: str) -> str | None:
        latest = None
        for cell, _, source in self._files.values():
            if cell == name:
                latest = source
        return latest


def _is_silenced(source: str, node: ast.Expr) -> bool:
    """Whether a semicolon follows the expression, which keeps its value from view."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    line = source.split("\n")[node.end_lineno - 1].encode()
    return line[node.end_col_offset :].decode().lstrip().startswith(";")


def _explain(error: SyntaxError, source: str) -> None:
    """Say so where a line is a command of notebooks and no Python."""
    lines = source.split("\n")
    if not error.lineno or error.lineno > len(lines):
        return
    line = lines[error.lineno - 1].strip()
    asked = line.strip("?")
    if asked != line and asked.replace(".", "").isidentifier():
        error.msg = (
            f"{line} is a question to a notebook, and a page runs Python only: write "
            f"help({asked})"
        )
    if line.startswith(("%", "!")):
        error.msg = (
            f"{line.split()[0]} is a command of notebooks, and a page runs Python only"
        )


async def _take_back_cancel() -> None:
    """Undo a cell's cancelling of the task that runs it."""
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        return
    while task.cancelling():
        task.uncancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(0)  # before 3.13 the exception still comes
