"""Make the captures of chapter 6 again: ``python capture.py [part ...]``.

Exit status: 0 all of it ran; 1 something failed; 2 wrong usage; 3 some parts cannot run
on this machine and were left out (each says why).
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

PARTS = {
    "fresh": (fresh.capture, "the published test, each time in a fresh process"),
    "real": (realcase.capture, "warm repeats with old and new libraries"),
    "guard": (guard.capture, "the guard on both"),
    "free": (free.capture, "hops without the GIL"),
    "yields": (free.capture_yields, "hops on one core without sched_yield"),
}


def say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that were asked for; the exit status is that of the module."""
    line = argparse.ArgumentParser(
        prog="capture.py", description="Make the captures of chapter 6 again."
    )
    words = "; ".join(f"{part}: {what}" for part, (_, what) in PARTS.items())
    line.add_argument("parts", nargs="*", metavar="part", help=f"{words}; or all")
    line.add_argument("--output", type=Path, default=HERE / "captures")
    options = line.parse_args(arguments)
    parts = options.parts or list(PARTS)
    if wrong := set(parts) - PARTS.keys():
        line.error(f"no part {', '.join(wrong)}: choose from {', '.join(PARTS)}")
    status = 0
    for part in parts:
        try:
            PARTS[part][0](options.output, cache_folder(), say)
        except SkippedError as error:
            print(f"capture.py: {part} left out: {error}", file=sys.stderr)
            status = status or 3
        except (CaptureError, OSError) as error:
            print(f"capture.py: {part} failed: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
