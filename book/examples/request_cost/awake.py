"""Keep a core awake: take what nobody else wants of it.

``python -m request_cost.awake CORE SECONDS`` computes on that core, at the lowest
priority that the system has, until its standard input is closed or until that many
seconds have passed.  Whoever has something to do there does not wait for it.  A
processor that clocks a core down when it has rested finds that this one does not rest.
"""

import os
import sys
import threading
import time


def end_with_parent() -> None:
    """Wait until standard input is closed, and end."""
    os.read(0, 1)
    os._exit(0)


def main() -> None:
    """Say that it begins, and compute."""
    core, seconds = int(sys.argv[1]), float(sys.argv[2])
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    print("ready", flush=True)
    threading.Thread(target=end_with_parent, daemon=True).start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


if __name__ == "__main__":
    main()
