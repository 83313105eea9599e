"""``python -m benchmarks`` is :mod:`benchmarks.loops`."""

import sys

from benchmarks.loops import main

sys.exit(main())
