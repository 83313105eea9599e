"""Programs that talk with the kernel of a notebook."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

from sizes import ITEMS


async def ipykernel_debugger() -> int:
    """Messages that are read arrive; those that nobody reads do not pile up."""
    from ipykernel.debugger import DebugpyMessageQueue

    queue = DebugpyMessageQueue(lambda event: None, logging.getLogger("driver"))

    def frame(number: int) -> str:
        text = json.dumps({"type": "response", "seq": number})
        return f"Content-Length: {len(text)}\r\n\r\n{text}"

    for number in range(ITEMS):
        queue.put_tcp_frame(frame(number))
        assert (await queue.get_message())["seq"] == number
    logging.disable()
    for number in range(3000):
        queue.put_tcp_frame(frame(number))
    return int(queue.message_queue.qsize())


async def jupyter_server_poll() -> int:
    """Messages of a thread arrive, a wait ends in time, and the loop does not spin."""
    from queue import Empty

    from jupyter_server.gateway.managers import ChannelQueue

    queue = ChannelQueue("shell", None, logging.getLogger("driver"))  # type: ignore[arg-type]
    loop = asyncio.get_running_loop()

    def send() -> None:
        for number in range(20):
            threading.Event().wait(0.01)
            queue.put({"msg_id": str(number), "msg_type": "x"})

    select, calls = loop._selector.select, 0  # type: ignore[attr-defined]

    def counted(timeout: Any = None) -> Any:
        nonlocal calls
        calls += 1
        return select(timeout)

    loop._selector.select = counted  # type: ignore[attr-defined]
    thread = threading.Thread(target=send)
    thread.start()
    for number in range(20):
        message = await queue.get_msg(timeout=10)
        assert message["msg_id"] == str(number)
    thread.join()
    try:
        await queue.get_msg(timeout=0.05)
    except Empty:
        pass
    else:
        raise AssertionError("a message that nobody sent")
    queue.put({"msg_id": "last", "msg_type": "x"})
    assert (await queue.get_msg())["msg_id"] == "last"
    return calls
