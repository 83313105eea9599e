"""Run the live cells of one page; a process of its own for each page.

Reads ``{"cells": [{"id", "label", "source"}, …], "limit": n}`` from its input and
prints the outputs of each cell: ``{id: [output, …]}``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Run and report."""
    # The modules of this folder are not the reader's.
    room = str(Path(__file__).resolve().parent)
    sys.path[:] = [folder for folder in sys.path if folder != room]
    from livecells.runtime import Session

    request = json.load(sys.stdin)
    answer = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    outputs: dict[str, list[dict[str, Any]]] = {c["id"]: [] for c in request["cells"]}
    current = [""]
    session = Session(
        lambda output: outputs[current[0]].append(output), limit=request["limit"]
    )

    async def run() -> None:
        for cell in request["cells"]:
            current[0] = cell["id"]
            await session.run_cell(cell["id"], cell["label"], cell["source"])

    asyncio.run(run())
    for name, parts in outputs.items():
        outputs[name] = joined(parts)
    json.dump(outputs, answer)
    answer.close()


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs with neighbouring pieces of one stream in one."""
    out: list[dict[str, Any]] = []
    for output in outputs:
        last = out[-1] if out else {}
        same = last.get("kind") == "stream" == output["kind"]
        if same and last["name"] == output["name"]:
            last["text"] += output["text"]
        else:
            out.append(dict(output))
    return out


if __name__ == "__main__":
    main()
