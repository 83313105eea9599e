"""``python -m benchmarks`` is :mod:`benchmarks.loops`."""

import sys

from benchmarks import common, loops

sys.exit(common.status(loops.run))
