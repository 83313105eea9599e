"""What all tests share."""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Let tests and the programs that they start be interrupted.

    A shell starts what runs in its background with interrupts ignored, and every
    process hands that on to its children.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
