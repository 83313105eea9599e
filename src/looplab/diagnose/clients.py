"""Latencies that a client measured, from a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

__all__ = ["ClientError", "read_latencies"]


class ClientError(ValueError):
    """The file cannot be used."""


def read_latencies(path: Path) -> dict[str, list[float]]:
    """Return the seconds of each endpoint in a file with ``endpoint`` and ``seconds``.

    Raises:
        ClientError: if the file cannot be read, or lacks those columns.
    """
    found: dict[str, list[float]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            columns = rows.fieldnames or []
            for name in ("endpoint", "seconds"):
                if name not in columns:
                    raise ClientError(
                        f"{path} has no column {name!r} (it has {', '.join(columns)}): "
                        "the first line must name the columns endpoint and seconds"
                    )
            for row in rows:
                found.setdefault(row["endpoint"], []).append(float(row["seconds"]))
    except OSError as exc:
        raise ClientError(f"cannot read {path}: {exc.strerror}") from exc
    except (ValueError, TypeError) as exc:
        if isinstance(exc, ClientError):
            raise
        raise ClientError(f"{path}: {exc}") from exc
    return found
