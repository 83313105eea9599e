"""Notebooks."""

from __future__ import annotations

import json
import re

from tests.fast.looplab.lint.command.runs import write


def notebook(*cells, **metadata) -> str:
    kinds = [
        ("markdown", one[1:]) if one[:1] == "#" else ("code", one) for one in cells
    ]
    return json.dumps(
        {
            "nbformat": 4,
            "metadata": metadata,
            "cells": [
                {"cell_type": kind, "source": text.splitlines(keepends=True)}
                for kind, text in kinds
            ],
        }
    )


def test_a_notebook(lint):
    cells = (
        "import asyncio\n%matplotlib inline\n!ls",
        "#Words about asyncio.Queue().",
        "%%bash\necho asyncio.Queue(",
        "x = 1\nqueue = asyncio.Queue()\nfiles = !ls\nasyncio?",
        "%%time\nasync for x in y:\n    await queue.put(x)",
        "q = asyncio.Queue()  # noqa: LAG101\nawait asyncio.sleep(1)",
    )
    write("a.ipynb", notebook(*cells))
    run = lint(".")
    assert run.out == (
        "a.ipynb:cell 4:2:9: LAG101 asyncio.Queue() grows: pass maxsize=1, so that "
        "'await put()' in cell 5 line 3 waits [lag101-await]\n"
    )
    (one,) = json.loads(lint(".", "--format", "json").out)["findings"]
    assert (one["cell"], one["line"], one["end_line"]) == (4, 2, 2)
    (result,) = json.loads(lint(".", "--format=sarif").out)["runs"][0]["results"]
    assert result["properties"]["cell"] == 4
    assert "cell 4" in lint(".", "--format=github").out
    assert len(lint(".", "--disable-noqa").places) == 2


def test_a_notebook_that_is_none(lint):
    write("a.ipynb", "x = 1")
    write("b.ipynb", '{"cells": 3}')
    write("c.ipynb", notebook("x = 1", "y = (\nz"))
    write("d.ipynb", notebook("x <- 1", kernelspec={"language": "R"}))
    write("e.ipynb", notebook())
    run = lint(".")
    assert run.status == 2
    assert run.errors[:2] == [
        "a.ipynb:1:1: error: is not a notebook of format 4",
        "b.ipynb:1:1: error: is not a notebook of format 4",
    ]
    assert re.match(r"c.ipynb:cell 2:\d:\d: error: Python 3.* cannot", run.errors[2])
    assert len(run.errors) == 3
