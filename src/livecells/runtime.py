"""Runs the cells of one page: in the page's worker, and when a book is built.

The same code does both, so that a page shows what the build shows.  It needs the
standard library only.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import functools
import inspect
import io
import linecache
import symtable
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

__all__ = ["Session"]

# A copy: what a cell does to the builtins must not break what reports it.  Functions
# take the builtins that their module names when they are defined.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

Output = dict[str, Any]
Emit = Callable[[Output], None]

TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
PIECE = 8_000  # characters of a stream that are sent together
PROMPT = 40  # short pieces that are sent at once, before they are held back …
REFILL = 20  # … and how many more a second
RICH_LIMIT = 2_000_000  # characters of HTML or SVG in one cell …
RICH_TAGS = 20_000  # … and tags, since elements cost a page more than letters
DISPLAYS = 300  # outputs other than text in one cell
WHAT_IS_HERE = (
    "In the page there is the standard library, without what needs threads, processes "
    "or sockets, and the packages that this site brings along."
)
AROUND = 2  # lines of the cell above the marked one in a traceback


class Session:
    """A namespace and the cells that have run in it.

    Args:
        emit: is called with each output, a dictionary that JSON can hold: ``kind`` is
            ``"stream"`` (``name``, ``text``), ``"display"`` (``data`` by MIME type,
            ``result``), ``"error"`` (``name``, ``message``, ``text``, ``line``,
            ``cell``) or ``"cut"`` (``limit``).
        limit: how many characters of text one cell may show.  What is beyond is
            dropped here, so it costs the page nothing, and one ``"cut"`` says so.
    """

    def __init__(self, emit: Emit, *, limit: int = 100_000) -> None:
        self._writer = _Writer(emit, limit)
        self._builtins = dict(vars(builtins))
        self._files: dict[str, tuple[str, str, str]] = {}
        self._runs = 0
        self.reset()

    def reset(self) -> None:
        """Start with an empty namespace, as if no cell had run."""
        self._history: list[tuple[str, str, bool]] = []  # id, source, went well
        self._module = types.ModuleType("__main__")
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
        needed, live, aliases = _needed([source for _, source in above])
        order = sorted(needed)
        others = [source for _, source, _ in self._history]
        changes = _Changes([cell["source"] for cell in cells] + others, aliases)

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
        self._writer.begin()
        kept = sys.stdin, sys.stdout, sys.stderr, sys.modules.get("__main__")
        sys.stdin = _NoInput()
        sys.stdout = _Stream("stdout", self._writer)
        sys.stderr = _Stream("stderr", self._writer)
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
            sys.stdin, sys.stdout, sys.stderr, main = kept
            if main is not None:
                sys.modules["__main__"] = main
            self._writer.end()
        return "ok" if is_ok else "error"

    async def _execute(self, source: str, file: str) -> None:
        tree = ast.parse(source, file)
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

    async def _evaluate(self, code: types.CodeType) -> object:
        value = eval(code, vars(self._module))
        if code.co_flags & inspect.CO_COROUTINE:
            return await value
        return value

    def _show(self, value: object, *, result: bool) -> None:
        data = {}
        for mime, method in (
            ("text/html", "_repr_html_"),
            ("image/svg+xml", "_repr_svg_"),
        ):
            # Of the type: an object whose __getattr__ answers to everything has none.
            maker = getattr(type(value), method, None)
            if maker is None:
                continue
            text = maker(value)
            if isinstance(text, str):
                data[mime] = text
                break
        try:
            data["text/plain"] = repr(value)
        except Exception as error:
            name = type(value).__name__
            data["text/plain"] = f"<{name}: its repr() raised {_last_line(error)}>"
        self._writer.display(data, result)

    def _fail(self, error: BaseException, name: str) -> None:
        try:
            report = _Report(error, self._files)
            text, line, where = report.text(), report.line, report.cell
            message = _message(error)
        except BaseException:  # no error of a reader's may hinder its own report
            text = type(error).__name__
            message, line, where = "", None, None
        finally:
            _forget_frames(error)
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
        found = None
        for cell, _, source in self._files.values():
            if cell == name:
                found = source
        return found


def _is_silenced(source: str, node: ast.Expr) -> bool:
    """Whether a semicolon follows the expression, which keeps its value from view."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    line = source.split("\n")[node.end_lineno - 1].encode()
    return line[node.end_col_offset :].decode().lstrip().startswith(";")


# ---------------------------------------------------------------- output


class _Writer:
    """Takes what a cell shows, keeps it within bounds, and sends it in pieces."""

    def __init__(self, emit: Emit, limit: int) -> None:
        self._emit = emit
        self._limit = limit
        self._open = False

    def begin(self) -> None:
        self._open = True
        self._left = self._limit
        self._rich = RICH_LIMIT
        self._tags = RICH_TAGS
        self._displays = DISPLAYS
        self._is_cut = False
        self._pieces: dict[str, list[str]] = {}
        self._length = 0
        self._prompt = float(PROMPT)
        self._since = time.monotonic()

    def end(self) -> None:
        self.flush()
        self._open = False

    def write(self, name: str, text: str) -> None:
        # Text that arrives when no cell runs, from a task that a cell left behind, has
        # no place on the page.
        if not text or not self._open or self._is_cut:
            return
        if self._pieces and name not in self._pieces:
            self.hurry()  # in a flood the two streams may lose their order
        piece = self._take(text)
        self._pieces.setdefault(name, []).append(piece)
        self._length += len(piece)
        if self._length >= PIECE or self._is_cut:
            self.flush()
        else:
            self.hurry()
        if self._is_cut:
            self._say_cut()

    def hurry(self) -> None:
        """Send what is held back, unless too much has been sent of late.

        What is printed ahead of a long computation has to be seen during it, and a loop
        that prints for ever must not send a million messages, flushed or not.
        """
        now = time.monotonic()
        self._prompt = min(PROMPT, self._prompt + (now - self._since) * REFILL)
        self._since = now
        if self._pieces and self._prompt >= 1:
            self._prompt -= 1
            self.flush()

    def flush(self) -> None:
        pieces, self._pieces, self._length = self._pieces, {}, 0
        for name, texts in pieces.items():
            self._emit({"kind": "stream", "name": name, "text": "".join(texts)})

    def display(self, data: dict[str, str], result: bool) -> None:
        if not self._open or self._is_cut:
            return
        self.flush()
        self._displays -= 1
        for mime in data.keys() - {"text/plain"}:
            size, tags = len(data[mime]), data[mime].count("<")
            self._rich -= size
            self._tags -= tags
            if self._rich < 0 or self._tags < 0:
                data = {
                    "text/plain": f"<not shown: {size:,} characters with {tags:,} tags "
                    f"of {mime}; all of a cell may have {RICH_LIMIT:,} and "
                    f"{RICH_TAGS:,}>"
                }
                self._is_cut = True
                break
        else:
            data = dict(data)
        data["text/plain"] = self._take(data["text/plain"])
        self._emit({"kind": "display", "data": data, "result": result})
        if self._displays <= 0:
            self._is_cut = True
        if self._is_cut:
            self._say_cut()

    def error(self, output: Output) -> None:
        """Errors are always sent: they end the cell."""
        self.flush()
        for key in ("message", "text"):
            if len(output[key]) > 20_000:
                half = output[key][:10_000], output[key][-10_000:]
                output[key] = "\n… left out …\n".join(half)
        self._emit(output)

    def _take(self, text: str) -> str:
        if len(text) > self._left:
            text = text[: self._left]
            self._is_cut = True
        self._left -= len(text)
        # Half a surrogate pair cannot leave Python as UTF-8.
        return text.encode("utf-8", "replace").decode("utf-8")

    def _say_cut(self) -> None:
        self.flush()
        self._emit({"kind": "cut", "limit": self._limit})


class _Stream(io.TextIOBase):
    """sys.stdout or sys.stderr while a cell runs."""

    def __init__(self, name: str, writer: _Writer) -> None:
        self.name = f"<{name}>"
        self._stream = name
        self._writer = writer

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"write() argument must be str, not {kind}")
        self._writer.write(self._stream, text)
        return len(text)

    def flush(self) -> None:
        if self._writer._open:
            self._writer.hurry()


class _NoInput(io.TextIOBase):
    """sys.stdin while a cell runs: nobody can type into it."""

    def readable(self) -> bool:
        return True

    def readline(self, *_: Any) -> str:  # type: ignore[override]
        raise OSError("a cell cannot read input: write the value into the code")

    read = readline


# ---------------------------------------------------------------- errors


class _Report:
    """An exception as a short text, with the last line of the reader's own code marked.

    Attributes:
        line: the marked line, counted from 1 in its cell, or None.
        cell: the id of that cell, or None.
        source: the code of that cell as it ran.
    """

    def __init__(
        self, error: BaseException, files: dict[str, tuple[str, str, str]]
    ) -> None:
        self._error = error
        self._files = files
        self._seen: set[int] = set()
        self.line: int | None = None
        self.cell: str | None = None
        self.source: str | None = None
        leaf = error
        while isinstance(leaf, BaseExceptionGroup) and leaf.exceptions:
            leaf = leaf.exceptions[0]
        for candidate in (leaf, error):
            found = [f for f in self._frames(candidate) if f[0] in files]
            if found:
                file, line, _, _ = found[-1]
                self.cell, _, self.source = files[file]
                self.line = line
                self._marked = (file, line)
                break
        else:
            self._marked = ("", 0)

    def text(self) -> str:
        return "\n".join(self._lines(self._error))

    def _lines(self, error: BaseException) -> Iterator[str]:
        self._seen.add(id(error))
        before = error.__cause__
        link = "That error was the cause of the next one:"
        if before is None and not error.__suppress_context__:
            before = error.__context__
            link = "While that error was being dealt with, there was another one:"
        if before is not None and id(before) not in self._seen:
            yield from self._lines(before)
            yield from ("", link, "")
        hidden: list[str] = []
        frames = self._frames(error)
        for repeated, (file, line, function, module) in _folded(frames):
            if file not in self._files:
                hidden.extend([module] * repeated)
                continue
            if hidden:
                yield self._hidden(hidden)
                hidden = []
            _, label, source = self._files[file]
            inside = "" if function == "<module>" else f", in {function}"
            yield f"{label}, line {line}{inside}"
            marked = (file, line) == self._marked
            yield from _excerpt(source, line, AROUND if marked else 0, marked, error)
            if repeated > 1:
                yield f"  … {repeated - 1} times more"
        if hidden:
            yield self._hidden(hidden)
        yield _last_line(error)
        notes = getattr(error, "__notes__", None)
        for note in notes if isinstance(notes, (list, tuple)) else ():
            yield _text_of(note)
        if isinstance(error, ModuleNotFoundError):
            yield WHAT_IS_HERE
        if isinstance(error, BaseExceptionGroup):
            count = len(error.exceptions)
            for i, inner in enumerate(error.exceptions[:10], 1):
                yield ""
                yield f"  {i} of {count}:"
                if id(inner) not in self._seen:
                    yield from (f"    {line}".rstrip() for line in self._lines(inner))
            if count > 10:
                yield f"  … {count - 10} more"

    def _frames(self, error: BaseException) -> list[tuple[str, int, str, str]]:
        out = []
        for frame, line in traceback.walk_tb(error.__traceback__):
            module = str(frame.f_globals.get("__name__", "?")).partition(".")[0]
            if frame.f_globals is globals() or module == "ast":
                continue  # the machinery around a cell
            code = frame.f_code
            name = getattr(code, "co_qualname", code.co_name)
            out.append(
                (code.co_filename, line, name.rpartition("<locals>.")[2], module)
            )
        if isinstance(error, SyntaxError) and error.filename in self._files:
            line = error.lineno if isinstance(error.lineno, int) else 1
            out.append((error.filename, line, "<module>", "__main__"))
        return out

    @staticmethod
    def _hidden(modules: list[str]) -> str:
        names = ", ".join(dict.fromkeys(modules))
        calls = "1 call" if len(modules) == 1 else f"{len(modules)} calls"
        return f"  … {calls} inside {names}"


def _folded(frames: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Frames with equal neighbours as one, and the middle of a long pile left out."""
    folded: list[list[Any]] = []
    for frame in frames:
        if folded and folded[-1][1] == frame:
            folded[-1][0] += 1
        else:
            folded.append([1, frame])
    if len(folded) > 30:
        folded = folded[:10] + folded[-10:]
    for count, frame in folded:
        yield count, frame


def _excerpt(
    source: str, line: int, around: int, marked: bool, error: BaseException
) -> Iterator[str]:
    lines = source.split("\n")
    if not 1 <= line <= len(lines):
        return
    width = len(str(line))
    for number in range(max(1, line - around), line + 1):
        arrow = "→" if marked and number == line else " "
        yield f"{arrow} {number:>{width}}  {lines[number - 1]}".rstrip()
    is_here = isinstance(error, SyntaxError) and error.lineno == line
    if is_here and marked and error.offset and error.offset > 0:  # type: ignore[attr-defined]
        yield " " * (width + 3 + error.offset) + "^"  # type: ignore[attr-defined]


def _message(error: BaseException) -> str:
    is_syntax = isinstance(error, SyntaxError) and error.msg
    return _text_of(error.msg if is_syntax else error)  # type: ignore[attr-defined]


def _text_of(value: object) -> str:
    try:
        return str(value)
    except BaseException as other:  # even SystemExit: nobody meant to leave here
        return f"<its str() raised {type(other).__name__}>"


def _last_line(error: BaseException) -> str:
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    message = _message(error)
    return f"{name}: {message}" if message else name


async def _take_back_cancel() -> None:
    """Undo a cell's cancelling of the task that runs it."""
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        return
    while task.cancelling():
        task.uncancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(0)  # before 3.13 the exception still comes


def _forget_frames(error: BaseException) -> None:
    """Let go of the values that the frames of an error keep alive."""
    try:
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None
    except Exception:
        pass


# ---------------------------------------------------------------- what a cell needs


class _Step:
    """One statement at the top level of a cell.

    Attributes:
        binds: names that it gives an object that may change, or changes the object of.
        mentions: names that it reads outside of function bodies.
    """

    def __init__(self, binds: set[str], mentions: set[str]) -> None:
        self.binds = binds
        self.mentions = mentions


class _Names(ast.NodeVisitor):
    """The names of a cell: what it binds, reads, and may change.

    Attributes:
        binds: names that it binds, or whose object it changes by assignment.
        kills: names that it binds before it can have read them.
        imports: those of them that an import binds: to an object that is there already
            if a cell above has imported it, too.
        reads: global names that it reads, in functions too.
        commands: names of which an attribute is called for its effect alone, as in
            ``random.seed(1)``.
        defines: function or class -> the global names that its body reads or sets.
        steps: its statements.
        is_opaque: nothing can be said, so the cell counts as needed.
    """

    def __init__(self, source: str) -> None:
        self.binds: set[str] = set()
        self.kills: set[str] = set()
        self.imports: set[str] = set()
        self.reads: set[str] = set()
        self.commands: set[str] = set()
        self.defines: dict[str, set[str]] = {}
        self.steps: list[_Step] = []
        self.is_opaque = False
        try:
            self._analyse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.is_opaque = True
            self.kills.clear()

    def _analyse(self, source: str) -> None:
        tree = ast.parse(source)
        table = symtable.symtable(source, "cell", "exec")
        self.reads = _read_globally(table)
        for scope in table.get_children():
            inside = _read_globally(scope) | _set_globally(scope)
            name = scope.get_name()
            self.defines[name] = self.defines.get(name, set()) | inside
        if self.reads & {"exec", "eval", "globals", "vars", "locals", "setattr"}:
            self.is_opaque = True
        seen: set[str] = set()
        hidden = _set_globally(table)
        for statement in tree.body:
            self._pure: set[str] = set()
            self._impure: set[str] = set()
            self._mentions: set[str] = set()
            self.visit(statement)
            bound = self._pure | self._impure
            self.binds |= bound
            self.steps.append(_Step(self._impure, self._mentions))
            inside = _names_in(statement)
            if _is_plain(statement):
                self.kills |= bound - seen - self._mentions
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self.imports |= bound
            seen |= inside | bound
        self.binds |= hidden
        if hidden:
            self.steps.append(_Step(hidden, set()))

    def _define(self, node: Any) -> None:
        (self._impure if _holds_state(node) else self._pure).add(node.name)
        # Decorators, defaults and bases are evaluated here and now.
        for part in node.decorator_list:
            self.visit(part)
        if isinstance(node, ast.ClassDef):
            for part in (*node.bases, *node.keywords, *node.body):
                kept = set(self._pure), set(self._impure)
                self.visit(part)
                if part in node.body:  # what a class body binds is its own
                    self._pure, self._impure = kept
        else:
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self.visit(default)

    visit_FunctionDef = _define  # noqa: N815
    visit_AsyncFunctionDef = _define  # noqa: N815
    visit_ClassDef = _define  # noqa: N815

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._pure.add(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.is_opaque = True
            self._pure.add(alias.asname or alias.name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._mentions.add(node.id)
        else:
            self._impure.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):  # read too, which no table of names says
            self._mentions.add(node.target.id)
            self.reads.add(node.target.id)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        self._mentions |= _names_in(node)
        self.reads |= _names_in(node)
        self.generic_visit(node)

    def _changed(self, node: Any) -> None:
        if not isinstance(node.ctx, ast.Load):
            root = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name):
                self._impure.add(root.id)
        self.generic_visit(node)

    visit_Attribute = _changed  # noqa: N815
    visit_Subscript = _changed  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            root: ast.expr = call
            while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
                root = root.func if isinstance(root, ast.Call) else root.value
            if isinstance(root, ast.Name) and root is not call.func:
                self.commands.add(root.id)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._impure.add(node.name)
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        # match patterns hold names as plain text
        name = getattr(node, "rest", None) or getattr(node, "name", None)
        if isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)) and name:
            self._impure.add(name)
        super().generic_visit(node)


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _holds_state(node: ast.AST) -> bool:
    """Whether this is a class with an attribute of its own that could be changed."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(part, (ast.Assign, ast.AnnAssign))
        and part.value is not None
        and not isinstance(part.value, (ast.Constant, ast.Tuple))
        for part in node.body
    )


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement binds what it binds in any case, and wholly anew."""
    if isinstance(statement, ast.Assign):
        targets = [
            part
            for target in statement.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        ]
        return all(isinstance(target, ast.Name) for target in targets)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(statement, (*kinds, ast.Import, ast.ImportFrom))


def _read_globally(table: symtable.SymbolTable) -> set[str]:
    """The global names that a scope, or one inside it, reads."""
    at_top = table.get_type() == "module"
    out = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (at_top or symbol.is_global())
    }
    for inner in table.get_children():
        out |= _read_globally(inner)
    return out


def _set_globally(table: symtable.SymbolTable) -> set[str]:
    """The global names that a function sets by a ``global`` statement."""
    out = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_declared_global() and symbol.is_assigned()
    }
    for inner in table.get_children():
        out |= _set_globally(inner)
    return out


@functools.lru_cache(maxsize=1000)
def _names(source: str) -> _Names:
    return _Names(source)


class _Changes:
    """Tells whether running a cell may change what some names stand for."""

    def __init__(self, sources: Sequence[str], aliases: set[str]) -> None:
        cells = [_names(source) for source in dict.fromkeys(sources)]
        self._aliases = aliases
        self._impure = _impure(cells)
        self._known: dict[str, set[str]] = {}
        for cell in cells:
            for name, inside in cell.defines.items():
                self._known[name] = self._known.get(name, set()) | inside

    def affects(self, source: str, names: set[str]) -> bool:
        cell = _names(source)
        if cell.is_opaque or cell.binds & names or cell.commands & names:
            return True
        changing = (names | self._aliases) & self._impure
        own = {n: inside for n, inside in cell.defines.items() if n in cell.kills}
        known = {**self._known, **own}
        return any(_closure(step.mentions, known) & changing for step in cell.steps)


def _needed(
    sources: Sequence[str],
) -> tuple[set[int], dict[int, set[str]], set[str]]:
    """Which cells above the last one it needs, by place; see also :class:`_Changes`.

    A cell is needed if it binds a name that the last one, or another needed cell, reads
    from above; if it may change the object of such a name; or if nothing can be said of
    it.  This errs on the safe side: one run too many costs time, one too few gives a
    wrong answer.
    """
    cells = [_names(source) for source in sources]
    target = len(cells) - 1
    if cells[target].is_opaque:
        everything = {name for cell in cells for name in cell.binds | cell.reads}
        return set(range(target)), dict.fromkeys(range(target + 1), everything), set()
    impure = _impure(cells)
    # A module that some cell changes is not made anew by importing it again.
    kills = [cell.kills - (cell.imports & impure) for cell in cells]
    # What each function and class stands for where a cell begins, and the names that a
    # cell reads or touches with the help of those.
    known: dict[str, set[str]] = {}
    from_above: list[set[str]] = []
    touches: list[list[set[str]]] = []
    for cell, killed in zip(cells, kills, strict=True):
        foreign = cell.reads - killed
        from_above.append(foreign | _closure(foreign, known))
        known = {name: set(inside) for name, inside in known.items()}
        for name, inside in cell.defines.items():
            if name in cell.kills:
                known[name] = inside
            else:
                known[name] = known.get(name, set()) | inside
        touches.append([_closure(step.mentions, known) for step in cell.steps])

    aliases: set[str] = set()  # other names that the objects in question may have
    while True:
        live = set(from_above[target])
        ahead = {target: set(live)}
        needed: set[int] = set()
        more: set[str] = set()
        for i in reversed(range(target)):
            cell = cells[i]
            changing = (live | aliases) & impure
            if not (
                cell.is_opaque
                or cell.binds & live
                or cell.commands & live
                or any(touched & changing for touched in touches[i])
            ):
                continue
            needed.add(i)
            for step, touched in zip(cell.steps, touches[i], strict=True):
                if step.binds & (live | aliases):
                    more |= touched & impure
                if touched & changing:
                    more |= step.binds
            live = (live - kills[i]) | from_above[i]
            ahead[i] = set(live)
        if more <= aliases:
            return needed, ahead, aliases
        aliases |= more


def _impure(cells: Iterable[_Names]) -> set[str]:
    """Names whose objects may change where they are used.

    Some cell binds them to something that can change, or calls something of theirs for
    its effect alone.
    """
    bound = {name for cell in cells for step in cell.steps for name in step.binds}
    return bound | {name for cell in cells for name in cell.commands}


def _closure(names: set[str], known: dict[str, set[str]]) -> set[str]:
    """Names, and those that the functions and classes among them use."""
    out = set(names)
    fresh = list(names)
    while fresh:
        for inner in known.get(fresh.pop(), ()):
            if inner not in out:
                out.add(inner)
                fresh.append(inner)
    return out
