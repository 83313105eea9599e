"""``python -m looplab.lint``: the same as ``looplab lint``."""

import sys

from looplab.cli import main

if __name__ == "__main__":
    sys.exit(main(["lint", *sys.argv[1:]]))
