"""Measure the published work in a terminal: ``python -m ontime.cpu_models``.

That is 20 products of 1 to 39,999 in every model that this Python offers, which takes
some minutes.  ``--save FILE.json`` keeps the table, and as text in FILE.txt.  What this
command starts ends with it, also if it is killed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from ontime.measuring.cores import free_cores

from .compare import compare_models
from .models import KINDS, Model
from .work import product

__all__ = ["main"]

_MODELS = (
    *map(Model, ("chain", "at once", "threads", "to_thread")),
    *(Model("thread pool", workers) for workers in (2, 20)),
    *(Model("pool", workers) for workers in (1, 2, 4, 8, 20)),
    Model("process pool", 2),
    Model("process pool", 2, "spawn"),
    Model("interpreters", 2),
    Model("dask", 2),
)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 0 if it has measured, 1 if not."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.cpu_models", description=__doc__
    )
    add = parser.add_argument
    kinds = ", ".join(KINDS)
    add("--models", metavar="A,B", help=f"only these kinds, of {kinds}")
    add("--limit", type=int, default=40_000, metavar="N", help="multiply below N")
    add("--repeats", type=int, default=1, metavar="N", help="runs of each model")
    add(
        "--patience",
        type=float,
        metavar="S",
        help="count a run only if the cores were free; wait S seconds for it at most",
    )
    add("--save", metavar="FILE.json", help="keep the table, and as text beside it")
    options = parser.parse_args(words)
    models = [model for model in _MODELS if not model.unavailable()]
    say = partial(print, file=sys.stderr, flush=True)
    before = free_cores()
    try:
        if options.models:
            models = [Model(word.strip()) for word in options.models.split(",")]
        table = compare_models(
            product,
            (options.limit,),
            count=20,
            models=models,
            repeats=options.repeats,
            timeout=300,
            patience=options.patience,
            report=say,
        )
        table.machine["free"] = (
            "at least 0.9 of the cores free before and after each"
            if options.patience
            else f"{before:.1f} cores free before, {free_cores():.1f} after"
        )
        print(table)
        if options.save:
            table.save(options.save)
    except (ValueError, RuntimeError, OSError) as error:
        say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
