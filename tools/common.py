"""What the commands share: the paths, the one-line error, a digest of files."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["ROOT", "ToolError", "alone", "digest", "ended", "say"]

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
    sys.stderr.flush()


def ended(run: Callable[[], object], interrupted: str) -> int:
    """Run a command and return its exit status; an error is one line.

    Args:
        run: The command.
        interrupted: What is said where the user stops it.
    """
    try:
        run()
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


@contextmanager
def alone(lock: Path, what: str) -> Iterator[None]:
    """Hold a lock that one process at a time can have; others wait and say so once.

    The system lets go of it when the process ends, however it ends, so there is no
    stale lock to remove. Where files cannot be locked nobody waits.

    Args:
        lock: The file to lock. It is made, stays, and is always empty.
        what: What the other process is doing, for the line that is said.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        if not _locked(file):
            say(f"Waiting: another command is {what}.")
            while not _locked(file):
                time.sleep(0.2)
        yield


def _locked(file: IO[str]) -> bool:
    """Whether nobody else has the lock of a file; it is ours then."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # POSIX's word for it, and Windows'
        return False
    except OSError:
        pass  # this file system has no locks
    return True


def digest(paths: Iterable[Path], *notes: str) -> str:
    """A hash of the contents of files and of some notes beside them.

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
