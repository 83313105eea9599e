"""The pinned environments: the libraries of the article's time, and today's.

Each is a virtual environment made from a requirement file with exact versions.  It
carries a stamp that is written last.  No stamp, or another one, means that it is made
anew; a creation that fails or is interrupted removes what it had made.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from spinning_loop.programs import CaptureError, SkippedError, run

__all__ = ["SIDES", "cache_folder", "ensure", "pins", "python_of", "quiet_environ"]

HERE = Path(__file__).resolve().parent
SIDES = ("old", "new", "tools")
STAMP = "spinning-loop.stamp"
CREATION_TIMEOUT = 1800  # seconds: a busy machine needs many
MADE_WITH = (3, 12)  # the Python of the committed captures

# Settings of the user's shell that would change what runs inside.
UNWANTED = (
    "PIP_PREFIX",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_TARGET",
    "PIP_USER",
    "PYTHONASYNCIODEBUG",
    "PYTHONDEVMODE",
    "PYTHONFAULTHANDLER",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "VIRTUAL_ENV",
    "__PYVENV_LAUNCHER__",
)

# What pip says when it cannot reach the index, and when the index lacks a version.
NO_NETWORK = re.compile(
    r"Temporary failure in name resolution|Name or service not known"
    r"|nodename nor servname|getaddrinfo failed|NameResolutionError"
    r"|NewConnectionError|Connection refused|ConnectTimeout|ReadTimeout"
    r"|Network is unreachable|ProxyError|Cannot connect to proxy|Max retries exceeded"
    r"|SSLError|RemoteDisconnected|Connection aborted|Failed to establish"
)
NO_VERSION = re.compile(r"No matching distribution found for (\S+)")
CONFLICT = re.compile(r"ResolutionImpossible|conflicting dependencies")
NO_SPACE = re.compile(r"No space left on device|Disk quota exceeded")


def cache_folder() -> Path:
    """Where the environments lie unless the reader says otherwise."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData" / "Local") / "on-time-spinning-loop"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "on-time-spinning-loop"
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache") / "on-time-spinning-loop"


def quiet_environ() -> dict[str, str]:
    """The variables for a program that runs inside."""
    environ = {k: v for k, v in os.environ.items() if k not in UNWANTED}
    environ["PYTHONNOUSERSITE"] = "1"
    environ["PYTHONUTF8"] = "1"
    environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return environ


def python_of(venv: Path) -> Path:
    """The interpreter of an environment."""
    if os.name == "nt":
        return venv / "Scripts" / "python.exe"
    return venv / "bin" / "python"


def requirements(side: str) -> Path:
    return HERE / f"requirements-{side}.txt"


def pins(side: str) -> dict[str, str]:
    """The exact versions of one side: name to version.

    Raises:
        CaptureError: The file is missing, or a line of it has no exact version.
    """
    path = requirements(side)
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise CaptureError(f"{path.name} cannot be read: {error.strerror}") from None
    found = {}
    for line in text.splitlines():
        wanted = line.split("#")[0].split(";")[0].strip()
        if not wanted:
            continue
        name, equal, version = wanted.partition("==")
        if not equal or not version.strip():
            raise CaptureError(
                f"{path.name}: {wanted!r} is not of the form name==1.2.3"
            )
        found[name.strip()] = version.strip()
    return found


def ensure(side: str, folder: Path, say: object = print) -> Path:
    """Make an environment unless a finished one with the same pins is there.

    Args:
        side: ``old``, ``new`` or ``tools``.
        folder: Where the environments lie.
        say: Called with a line of progress.

    Returns:
        The environment's interpreter.

    Raises:
        SkippedError: The index cannot be reached, or lacks one of the versions.
        CaptureError: The folder cannot be written to, or the creation failed.
    """
    pins(side)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    tag = f"{side}-{version}{'t' if _is_free_threaded() else ''}"
    venv = folder.absolute() / tag
    stamp = venv / STAMP
    wanted = _digest(requirements(side).read_bytes(), sys.version, str(venv))
    if _read(stamp) == wanted and python_of(venv).exists():
        return python_of(venv)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(
            f"{folder} cannot be made ({error.strerror}): give another with --folder"
        ) from None
    with _alone(folder / f"{tag}.lock"):
        if _read(stamp) == wanted and python_of(venv).exists():
            return python_of(venv)  # another run has made it meanwhile
        if callable(say):
            say(f"making the environment {tag} (a minute, once)")
        try:
            _create(side, venv)
            stamp.write_text(wanted + "\n", "utf-8")
        except OSError as error:
            shutil.rmtree(venv, ignore_errors=True)
            raise CaptureError(
                f"{venv} cannot be written: {error.strerror}; "
                "give another folder with --folder"
            ) from None
        except BaseException:  # an interruption, too
            shutil.rmtree(venv, ignore_errors=True)
            raise
    return python_of(venv)


def _create(side: str, venv: Path) -> None:
    if venv.is_symlink():
        raise CaptureError(f"{venv} is a link: remove it, then run the command again")
    if venv.exists():
        (venv / STAMP).unlink(missing_ok=True)
        shutil.rmtree(venv)
    environ = quiet_environ()
    made = run(
        [sys.executable, "-m", "venv", str(venv)],
        timeout=CREATION_TIMEOUT,
        env=environ,
    )
    if made.code:
        words = made.out + made.err
        if "ensurepip" in words or "No module named venv" in words:
            raise SkippedError(
                "this Python cannot make environments: install its venv package "
                "(on Debian and Ubuntu: apt install python3-venv)"
            )
        raise CaptureError(f"python -m venv failed: {_last(words)}")
    pip = [str(python_of(venv)), "-m", "pip", "--disable-pip-version-check"]
    pip += ["--no-input", "--retries", "1", "--timeout", "15"]
    pip += ["install", "--quiet", "--only-binary", ":all:"]
    done = run(
        [*pip, "-r", str(requirements(side))], timeout=CREATION_TIMEOUT, env=environ
    )
    if done.code:
        raise _reason(side, done.out + done.err)


def _reason(side: str, words: str) -> CaptureError:
    """What pip's words mean, in one line."""
    if NO_SPACE.search(words):
        return CaptureError("the disk is full: give another folder with --folder")
    if NO_NETWORK.search(words):
        return SkippedError(
            "the package index cannot be reached: connect to the network, or point "
            "PIP_INDEX_URL at a mirror"
        )
    missing = NO_VERSION.search(words)
    if missing:
        here = tuple(sys.version_info[:2])
        fix = "point PIP_INDEX_URL at an index that has it"
        if here != MADE_WITH:
            fix = "use Python {}.{}, or {}".format(*MADE_WITH, fix)
        return SkippedError(
            f"the package index has no {missing.group(1)} for Python "
            "{}.{} on this system ".format(*here)
            + f"(wanted by requirements-{side}.txt): {fix}"
        )
    if CONFLICT.search(words):
        return CaptureError(
            f"the pins of requirements-{side}.txt contradict each other"
        )
    return CaptureError(
        f"pip could not install requirements-{side}.txt: {_last(words)}"
    )


def _last(words: str) -> str:
    lines = [line for line in words.strip().splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it said nothing"])[-1].strip()


def _is_free_threaded() -> bool:
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def _digest(*parts: bytes | str) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update((part.encode() if isinstance(part, str) else part) + b"\0")
    return total.hexdigest()


def _read(stamp: Path) -> str:
    try:
        return stamp.read_text("utf-8").strip()
    except OSError:
        return ""


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock on a file, so that two runs do not make one environment."""
    try:
        import fcntl
    except ImportError:  # Windows: two runs at once are not guarded there
        yield
        return
    try:
        stream = path.open("w")
    except OSError as error:
        raise CaptureError(
            f"{path.parent} cannot be written to ({error.strerror}): "
            "give another folder with --folder"
        ) from None
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
