"""Charts are the same in every process."""

from __future__ import annotations

import subprocess
import sys

from ontime.figures import Curve, curves


def test_another_process_gives_the_same_svg() -> None:
    code = (
        "import sys, looplab, ontime.check\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from ontime.figures import *\n"
        "print(curves(Curve('a', [(0, 1), (3, 2)]), x='x', y='y', alt='z').svg, end='')"
    )
    ours = curves(Curve("a", [(0, 1), (3, 2)]), x="x", y="y", alt="z").svg
    for seed in "1", "2":
        env = {"PYTHONHASHSEED": seed, "MPLCONFIGDIR": "/nonexistent"}
        command = [sys.executable, "-c", code]
        assert subprocess.check_output(command, text=True, env=env) == ours
