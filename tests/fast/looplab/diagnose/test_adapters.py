"""Endpoints, told apart in frameworks that are no more than their one method."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from looplab.diagnose import adapters, asgi, record
from looplab.diagnose.imports import WATCHED


def endpoints(main):
    return [request.endpoint for request in record(main).requests()]


async def answer(scope, receive, send):
    """An application: it notes its route, as a router does, and asks for messages."""
    scope.update(scope.pop("routed", {}))
    while (await receive()).get("type") == "websocket.receive":
        await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        (
            {"type": "http", "method": "GET", "path": "/items/7", "root_path": "/v1",
             "routed": {"route": SimpleNamespace(path="/items/{n}")}},
            ["GET /v1/items/{n}"],
        ),
        (
            {"type": "http", "method": "PUT", "path": "/a/b",
             "routed": {"endpoint": print, "path_params": {"n": "b"}}},
            ["PUT /a/{n}"],
        ),
        ({"type": "http", "method": "GET", "path": "/docs"}, ["GET /docs"]),
        # Opened, and two messages of three.
        ({"type": "websocket", "path": "/chat"}, ["WS /chat"] * 3),
        ({"type": "lifespan"}, []),
    ],
)  # fmt: skip
def test_each_request_and_message_is_a_piece_of_work(scope, names):
    asked = []

    async def receive():
        asked.append(scope)
        return {"type": "websocket.receive" if len(asked) < 3 else "closed"}

    once = asgi(answer)
    assert endpoints(asgi(once)(dict(scope), receive, None)) == names, "wrapped twice"
    assert asked


def test_a_server_wraps_what_it_serves():
    class Config(SimpleNamespace):
        def load(self):
            self.loaded_app = answer

    adapters._uvicorn(SimpleNamespace(Config=Config))
    asgi3, wsgi = Config(interface="asgi3"), Config(interface="wsgi")
    asgi3.load()
    wsgi.load()
    assert asgi3.loaded_app.__looplab_app__ is wsgi.loaded_app is answer


def test_each_framework_is_waited_for(monkeypatch):
    waited = {}
    monkeypatch.setattr(adapters, "after_import", waited.__setitem__)
    adapters.install()
    assert waited == {
        "uvicorn.config": adapters._uvicorn,
        "aiohttp.web_app": adapters._aiohttp,
        "tornado.web": adapters._tornado,
    }
    assert waited.keys() <= {*WATCHED}, "the shim watches them from the start"


@pytest.mark.parametrize(
    ("canonical", "name"),
    [("/items/{n}", "GET /items/{n}"), ("", "GET /"), (None, "GET /items/7")],
)
def test_aiohttp_names_the_resource(canonical, name):
    class Application:
        async def _handle(self, request):
            return "answer"

    adapters._aiohttp(SimpleNamespace(Application=Application))
    resource = SimpleNamespace(canonical=canonical)
    info = SimpleNamespace(route=SimpleNamespace(resource=resource))
    request = SimpleNamespace(method="GET", path="/items/7", match_info=info)
    recording = record(Application()._handle(request))
    assert recording.result == "answer"
    assert [request.endpoint for request in recording.requests()] == [name]
