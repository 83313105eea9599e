"""Start a project command: ``python tools/run.py book``.

This file must be readable by any Python, even Python 2, because its first duty is to
say clearly that the Python it was started with is too old.  Keep its syntax plain.
"""

import os
import sys

OLDEST = (3, 11)


def complaint(version, executable):
    """One line that says why this Python will not do, or None when it will."""
    if tuple(version[:2]) >= OLDEST:
        return None
    return (
        "error: Python {}.{} or newer is needed, and {} is Python {}.{}; "
        "name another one with PYTHON=, for example: make book PYTHON=python3.12"
    ).format(OLDEST[0], OLDEST[1], executable, version[0], version[1])


def main():
    line = complaint(sys.version_info, sys.executable or "python")
    if line:
        sys.stderr.write(line + "\n")
        return 2
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from tools import commands

    return commands.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
