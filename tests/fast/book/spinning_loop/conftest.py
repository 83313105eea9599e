"""Where the tests of this example run."""

import os

if os.name != "posix":  # the captures need Unix
    collect_ignore_glob = ["test_*.py"]
