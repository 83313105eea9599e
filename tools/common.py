"""What the commands share: the folder, the one-line error, a digest of files."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["ROOT", "ToolError", "digest", "ended", "say"]

ROOT = Path(__file__).resolve().parent.parent


class ToolError(Exception):
    """Something the user can fix; the message is one line and names the fix.

    Args:
        message: What went wrong and what to do.
        code: The exit status of the command.
    """

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


def say(text: str, end: str = "\n") -> None:
    """Print a line of progress at once, even into a pipe."""
    print(text, end=end, flush=True)


def ended(run: Callable[[], object], interrupted: str = "interrupted") -> int:
    """Run a command and return its exit status; an error is one line.

    Args:
        run: The command; its result is the status, and None is 0.
        interrupted: What is printed where the user stops it.
    """
    try:
        return int(run() or 0)  # type: ignore[call-overload, no-any-return]
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return 130


def digest(paths: Iterable[Path], *notes: str) -> str:
    """A hash of the names and contents of files, and of some notes beside them.

    A path that does not exist counts as such, so that its creation changes the hash.
    """
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(str(path).encode())
        if path.is_file():
            content = path.read_bytes()
            total.update(b"\0file %d\0" % len(content) + content)
        else:
            total.update(b"\0missing\0")
    for note in notes:
        total.update(b"\0note\0" + note.encode())
    return total.hexdigest()
