"""The front door of the package: every name is there, and nothing comes unasked."""

from __future__ import annotations

import subprocess
import sys


def loaded_after(code: str) -> set[str]:
    """The modules of the package that a fresh Python has after some code."""
    words = f"{code}\nimport sys; print(*(m for m in sys.modules if 'looplab' in m))"
    done = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_nothing_is_imported_before_it_is_used() -> None:
    assert loaded_after("import looplab") == {"looplab"}
    beside = loaded_after("import looplab; looplab.run")
    assert "looplab.clock" in beside
    assert not {"looplab.timeline", "looplab.trace", "looplab.jobs"} & beside
