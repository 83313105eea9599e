"""``python -m looplab``: the command ``looplab`` where it is not on the path."""

import sys

from looplab.cli import main

if __name__ == "__main__":
    sys.exit(main())
