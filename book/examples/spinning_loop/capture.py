"""Make the captures of chapter 6 again: ``python capture.py [part ...]``.

Exit status: 0 all of it ran; 1 something failed; 2 wrong usage; 3 some parts cannot run
on this machine and were left out (each says why); 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

from spinning_loop import free, fresh, guard, realcase  # noqa: E402
from spinning_loop.environments import cache_folder  # noqa: E402
from spinning_loop.programs import CaptureError, SkippedError  # noqa: E402

__all__ = ["main"]

PARTS = {
    "fresh": fresh.capture,
    "real": realcase.capture,
    "guard": guard.capture,
    "free": free.capture,
    "yields": free.capture_yields,
}


def say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that were asked for; the exit status is that of the module."""
    line = argparse.ArgumentParser(
        prog="capture.py", description="Make the captures of chapter 6 again."
    )
    line.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help="fresh: the published test, each time in a fresh process; real: warm "
        "repeats with old and new libraries; guard: the guard on both; free: hops "
        "without the GIL; yields: hops on one core without sched_yield; all "
        "by default",
    )
    line.add_argument("--folder", type=Path, help="where the environments are kept")
    line.add_argument("--output", type=Path, default=HERE / "captures")
    options = line.parse_args(arguments)
    parts = options.parts or list(PARTS)
    for part in parts:
        if part not in PARTS:
            line.error(f"no part {part!r}: choose from {', '.join(PARTS)}")
    status = 0
    for part in parts:
        try:
            PARTS[part](options.output, options.folder or cache_folder(), say)
        except SkippedError as error:
            print(f"capture.py: {part} left out: {error}", file=sys.stderr)
            status = status or 3
        except (CaptureError, OSError) as error:
            print(f"capture.py: {part} failed: {error}", file=sys.stderr)
            status = 1
        except KeyboardInterrupt:
            print("capture.py: interrupted; nothing is left running", file=sys.stderr)
            return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
