"""Calls that would leave the clock are refused."""

from __future__ import annotations

from tests.fast.looplab.clock.helpers import python

# Calls into the outside


def test_import_starts_nothing() -> None:
    done = python(
        "import threading\n"
        "from looplab.clock import VirtualTimeLoop\n"
        "VirtualTimeLoop().close()\n"
        "print(threading.active_count(), 'matplotlib' in sys.modules)\n"
    )
    assert done.stdout == "1 False\n", done.stderr


def test_no_resource_is_left_open() -> None:
    done = python(
        "import asyncio, gc\n"
        "from looplab import VirtualTimeLoop, run\n"
        "run(asyncio.sleep(1))\n"
        "loop = VirtualTimeLoop()\n"
        "loop.run_until_complete(asyncio.sleep(1))\n"
        "loop.close()\n"
        "del loop\n"
        "gc.collect()\n",
        "-Xdev",
        "-Werror",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
