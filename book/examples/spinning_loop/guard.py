"""The guard on both libraries: it must fail with the old ones and pass with today's."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spinning_loop.environments import ensure, environ_with_ours
from spinning_loop.programs import (
    CaptureError,
    clean,
    parsed,
    remember,
    run,
    write_text,
)

HERE = Path(__file__).resolve().parent
PASSES = {"old": False, "new": True}
# The two guards, by what their results begin with.
GUARDS = {"": "looplab.idle.assert_idle", "short_": "idle_guard.assert_idle"}


def check(side: str, folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """Run the guarded test with one side's libraries; what ``idle_sessions.py`` says.

    Raises:
        SkippedError: The environment cannot be made here.
        CaptureError: The test did something else than pass or fail.
    """
    command = [str(ensure(side, folder, say)), str(HERE / "idle_sessions.py")]
    return parsed(run(command, environ_with_ours()))


def capture(output: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Write ``guard_old.txt`` and ``guard_new.txt``.

    Raises:
        SkippedError: An environment cannot be made here.
        CaptureError: The guard passed where it must fail, or the other way round.
    """
    results = {}
    for side, wanted in PASSES.items():
        say(f"guard, {side} libraries")
        results[side] = check(side, folder, say)
        for start in GUARDS:
            if results[side][f"{start}passed"] is not wanted:
                words = results[side][f"{start}words"]
                verb = f"failed ({words})" if words else "passed"
                raise CaptureError(f"{GUARDS[start]} {verb} with the {side} libraries")
    for side, result in results.items():
        names = ", ".join(f"{n} {v}" for n, v in result["versions"].items())
        text = f"# {names}\n"
        for start, name in GUARDS.items():
            words = clean(result[f"{start}words"]).strip()
            words = f"AssertionError: {words}" if words else "passed"
            text += f"\n# {name}\n{wrapped(words)}\n"
        write_text(output / f"guard_{side}.txt", text)
        remember(output, f"guard_{side}", result)


def wrapped(words: str) -> str:
    """Each line in lines of at most 79 columns; what belongs to it is set in."""
    rows: list[str] = []
    for line in words.splitlines():
        inner = " " * (len(line) - len(line.lstrip()) + 2)
        rows += textwrap.wrap(line, 79, break_long_words=False, subsequent_indent=inner)
    return "\n".join(rows)
