"""The code that chapter 7 prints runs as it is printed, and does what the page says."""

from __future__ import annotations

import re
import threading
import urllib.request
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from looplab.priority import current_priority
from tests.contract.looplab.idle.opened import wait_until

PAGE = Path(__file__).parents[3] / "book" / "07_priority.md"
PRINTED = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def test_the_server_of_the_page_answers() -> None:
    """The one block that no page can run: it needs a socket."""
    (code,) = PRINTED.findall(PAGE.read_text(encoding="utf-8"))
    config = "uvicorn.Config(app)"
    assert code.count(config) == 1
    quiet = 'uvicorn.Config(app, port=0, log_level="error", lifespan="off")'

    async def hello(request: Request) -> PlainTextResponse:
        return PlainTextResponse(f"{current_priority()}")

    routes = [Route("/batch/report", hello), Route("/now", hello)]
    names: dict[str, Any] = {"app": Starlette(routes=routes), "uvicorn": uvicorn}
    answers: list[str] = []

    def visit() -> None:
        wait_until(lambda: getattr(names.get("server"), "started", False))
        server = names["server"]
        try:
            port = server.servers[0].sockets[0].getsockname()[1]
            for route in routes:
                url = f"http://127.0.0.1:{port}{route.path}"
                with urllib.request.urlopen(url, timeout=600) as answer:
                    answers.append(answer.read().decode())
        finally:
            server.should_exit = True

    visitor = threading.Thread(target=visit)
    visitor.start()
    exec(compile(code.replace(config, quiet), PAGE.name, "exec"), names)
    visitor.join()
    assert answers == ["0", "5"]
