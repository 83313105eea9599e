"""What a request costs on a real server: parts in sequence, or through ``gather``.

``python -m request_cost`` in this folder's parent prints a table, and
``python -m request_cost.crowd gather 200`` what one of many requests costs that wait.
"""

from .client import Load, Server

__all__ = ["Load", "Server"]
