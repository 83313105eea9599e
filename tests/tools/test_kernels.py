"""A kernel has addresses that no other process can take, and leaves none behind."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from tools.kernels import AsyncFileKernelManager, FileKernelManager

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there kernels have ports")


def test_a_kernel_answers_at_files_that_go_with_its_manager() -> None:
    manager = FileKernelManager(kernel_name="python3")
    folder = Path(manager.ip).parent
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        assert len(list(folder.iterdir())) == len(set(manager.ports)) == 5
        answer = client.execute_interactive("6 * 7", timeout=600)
        assert answer["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    del manager, client
    gc.collect()
    assert not folder.exists()


def test_two_kernels_have_no_address_in_common() -> None:
    first, second = (AsyncFileKernelManager(kernel_name="python3") for _ in range(2))
    assert first.transport == second.transport == "ipc"
    assert Path(first.ip).parent != Path(second.ip).parent
