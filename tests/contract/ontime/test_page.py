"""What a page imports of the course needs no package and no process."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys

for name in "cloudpickle", "multiprocessing", "psutil":
    sys.modules[name] = None
from ontime.check import check, exercises
from ontime.cost import clients_per_core

assert exercises()
assert not check("04-modify", ...)
assert clients_per_core(0.5) == 2
"""


def test_checks_and_capacity_import_nothing_that_a_page_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
