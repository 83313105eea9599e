"""What the service computes.  Nothing here waits; each call holds its thread."""

from __future__ import annotations

import hashlib
import json

__all__ = ["compute_part", "hash_password", "price_line"]

LINE = {"article": 1, "name": "a name", "tags": ["a", "b"], "price": 12.5}


def hash_password(password: str, rounds: int) -> str:
    """The hash of a password.  It releases the interpreter lock while it computes."""
    return hashlib.pbkdf2_hmac("sha256", password.encode(), b"salt", rounds).hex()


def compute_part(rounds: int) -> str:
    """A part of a report, or a piece of an order: encode, and hash what was encoded."""
    digest = hashlib.sha256()
    for _ in range(rounds):
        digest.update(json.dumps(LINE).encode())
    return digest.hexdigest()


def price_line(number: int) -> float:
    """The price of one line of a basket."""
    return round((number % 7 + 1) * 12.5, 2)
