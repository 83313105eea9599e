"""Recordings that the book ships, so that a page can ask them questions.

Introduced in the chapter *Diagnose your own program*.
"""

from __future__ import annotations

import gzip
from importlib.resources import files

from looplab.diagnose import Recording, loads

__all__ = ["service_recording"]


def service_recording() -> Recording:
    """The service of the book under load, with its faults ``hash`` and ``storm``.

    ``python -m service.record`` in ``book/examples`` made it: four seconds in which a
    client asked for baskets, logins, reports and orders.
    """
    name = "service.jsonl.gz"
    packed = files(__name__).joinpath(name).read_bytes()
    return loads(gzip.decompress(packed).decode(), name)[0]
