"""Measure the published work in a terminal: ``python -m ontime.cpu_models``.

That is 20 products of 1 to 39,999 in every model that this Python offers, which takes
some minutes.  What this command starts ends with it, also if it is killed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from ontime.measuring.machine import free_cores

from .compare import compare_models
from .models import KINDS, Model
from .work import product

__all__ = ["main"]

_LIMIT = 40_000
_MODELS = (
    *map(Model, ("chain", "at once", "threads", "to_thread")),
    *(Model("thread pool", workers) for workers in (2, 20)),
    *(Model("pool", workers) for workers in (1, 2, 4, 8, 20)),
    Model("process pool", 2),
    Model("process pool", 2, "spawn"),
    Model("interpreters", 2),
    Model("dask", 2),
)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.cpu_models", description=__doc__
    )
    add = parser.add_argument
    kinds = ", ".join(KINDS)
    add("--models", metavar="A,B", help=f"only these kinds, of {kinds}")
    add("--repeats", type=int, default=1, metavar="N", help="runs of each model")
    quiet = "count a run only if the cores were free; wait S seconds for it at most"
    add("--patience", type=float, metavar="S", help=quiet)
    add("--save", metavar="FILE.json", help="keep the table")
    options = parser.parse_args(words)
    if options.models:
        models = tuple(Model(word.strip()) for word in options.models.split(","))
        if wrong := {model.kind for model in models} - KINDS.keys():
            parser.error(f"there is no model {', '.join(wrong)}; there are {kinds}")
    else:
        models = _MODELS
    before = free_cores()
    table = compare_models(
        product,
        (_LIMIT,),
        count=20,
        models=models,
        repeats=options.repeats,
        timeout=300,
        patience=options.patience,
        report=partial(print, file=sys.stderr, flush=True),
    )
    table.machine["free"] = (
        "at least 0.9 of the cores free before and after each"
        if options.patience
        else f"{before:.1f} cores free before, {free_cores():.1f} after"
    )
    print(table)
    if options.save:
        table.save(options.save)


if __name__ == "__main__":
    main()
