"""Kernels that are reached by files, which nobody else can take.

Jupyter tells a kernel five ports that were free a moment ago.  Where another process
has taken one of them since, the kernel ends, and its client may wait for ever: zeromq
gives a connection up where it finds a socket of another kind, and what is sent on it
blocks.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from jupyter_client.connect import ConnectionFileMixin
from jupyter_client.localinterfaces import localhost
from jupyter_client.manager import AsyncKernelManager, KernelManager
from traitlets import default

__all__ = ["AsyncFileKernelManager", "FileKernelManager"]

HAS_FILES = os.name != "nt"


class _Files(ConnectionFileMixin):
    """The addresses: sockets in a folder that goes with the manager."""

    @default("transport")
    def _files(self) -> str:
        return "ipc" if HAS_FILES else "tcp"

    @default("ip")
    def _folder(self) -> Any:
        if not HAS_FILES:
            return localhost()
        folder = Path(tempfile.mkdtemp(prefix="kernel-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return str(folder / "socket")


class FileKernelManager(_Files, KernelManager):
    """Starts a kernel that has files for ports, except on Windows."""


class AsyncFileKernelManager(_Files, AsyncKernelManager):
    """The same, for who awaits it."""
