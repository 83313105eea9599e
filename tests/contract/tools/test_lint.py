"""Style and types, as tests: the same checks as ``make lint``."""

import subprocess
import sys

import pytest

from tools.commands import lint_commands
from tools.common import ROOT


@pytest.mark.parametrize("words", lint_commands(), ids=lambda words: " ".join(words))
def test_lint(words):
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
