"""What the tests of the commands share."""

from __future__ import annotations

import pytest

from looplab import cli


@pytest.fixture
def looplab(capsys):
    """Run a command; return its status, what it printed, and what it complained of."""

    def run(*words):
        try:
            status = cli.main([str(word) for word in words])
        except SystemExit as stopped:
            status = stopped.code
        return status, *capsys.readouterr()

    return run
