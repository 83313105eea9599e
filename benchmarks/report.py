"""The results as a file and as aligned text."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["as_text", "machine", "write"]


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.strip()
    return platform.processor() or "unknown"


def machine(optimised: bool | None = None) -> dict[str, str]:
    """What the reader must know of the machine; nothing that names it.

    Args:
        optimised: Whether Python was built with profile-guided optimisation.
    """
    cores = os.cpu_count() or 1
    facts = {
        "Processor": f"{processor()}, {cores} {'core' if cores == 1 else 'cores'}",
        "System": f"{platform.system()} {platform.machine()}",
    }
    if optimised is not None:
        how = "with" if optimised else "without"
        facts["Build of Python"] = f"{how} profile-guided optimisation"
    return facts


def write(results: dict[str, Any], path: Path) -> None:
    """Write *results* to *path*: all of it or nothing."""
    text = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def figure(value: float) -> str:
    """Three significant digits, thousands marked."""
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def between(pair: Sequence[float] | None) -> str:
    """Lowest and highest."""
    return f"{figure(pair[0])} to {figure(pair[1])}" if pair else "-"


def as_text(group: dict[str, Any]) -> str:
    """One group as an aligned table, with its verdict."""
    baseline = group.get("baseline", "-")
    table = [("", group["unit"], "spread", f"ratio to {baseline}", "spread", "")]
    for row in group["rows"]:
        if row["value"] is None:
            table.append((row["name"], "not run", "-", "-", "-", row["note"]))
            continue
        ratio = row.get("ratio")
        table.append(
            (
                row["name"],
                figure(row["value"]),
                between(row.get("spread")),
                "-" if ratio is None else f"{ratio:.2f}",
                between(row.get("ratio_spread")),
                row.get("note", ""),
            )
        )
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [group["title"], "=" * len(group["title"])]
    for line in table:
        first, *middle, note = (
            cell.rjust(width) if 0 < place < 5 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        lines.append("  ".join([first, *middle, note]).rstrip())
    if aim := group.get("aim"):
        row = next(r for r in group["rows"] if r["name"] == aim["name"])
        of_ratio = "at_most" in aim
        limit = aim["at_most"] if of_ratio else aim["value_at_most"]
        actual = row.get("ratio") if of_ratio else row["value"]
        said = "not measured"
        if actual is not None:
            said = f"{'met' if actual <= limit else 'missed'}, {actual:.2f}"
        lines.append(f"Aim for {aim['name']}: {aim['text']}: {said}.")
    return "\n".join([*lines, *textwrap.wrap(group["method"], 88)])
