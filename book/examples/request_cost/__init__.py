"""What a request costs on a real server: parts in sequence, or through ``gather``.

In this folder's parent ``python -m request_cost.crowd gather 200`` prints what one of
many requests costs that wait.
"""

from .client import Load, Server

__all__ = ["Load", "Server"]
