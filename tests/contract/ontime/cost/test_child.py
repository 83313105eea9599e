"""What runs in the clean interpreter."""

from __future__ import annotations

import subprocess
import sys


def test_the_clean_interpreter_has_no_tools_in_it() -> None:
    program = "import sys, ontime.cost.child; print('looplab' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
