"""From CPU time for a request to clients on a core: a division, and what it says."""

from __future__ import annotations

import math

__all__ = ["clients_per_core", "cores_needed"]


def clients_per_core(
    cpu: float, *, rate: float = 1.0, utilisation: float = 1.0
) -> float:
    """How many clients one core can serve (chapter 3, experiment B4).

    Args:
        cpu: seconds of CPU time that a request takes.
        rate: how many requests a client sends in a second.
        utilisation: the share of the core that may be used, above 0 and at most 1.  At
            1 nothing is left over, and requests queue up without an end.

    Returns:
        The number of clients; not rounded, since 2.5 clients mean five on two cores.

    >>> clients_per_core(0.001)
    1000.0
    >>> clients_per_core(0.001, utilisation=0.5)
    500.0
    """
    return float(f"{utilisation / (cpu * rate):.12g}")


def cores_needed(
    cpu: float, requests_per_second: float, *, utilisation: float = 1.0
) -> int:
    """How many cores a stream of requests needs (chapter 3).

    Args:
        cpu: seconds of CPU time that a request takes.
        requests_per_second: of all clients together.
        utilisation: the share of each core that may be used, above 0 and at most 1.

    >>> cores_needed(0.004, 1000, utilisation=0.8)
    5
    """
    each = clients_per_core(cpu, utilisation=utilisation)
    return math.ceil(requests_per_second / each - 1e-9)
