"""Endpoints: which request a callback works for, in the frameworks that people use.

Each adapter waits until the program imports its framework and then wraps the one place
through which each request goes.  A program that does not use it is not touched.

========== ============================================================================
ASGI       an application under uvicorn: ``GET /items/{id}``, by the route of Starlette,
           FastAPI or Django where there is one; a websocket message
aiohttp    ``aiohttp.web``: ``GET /items/{id}``
tornado    ``GET package.Handler``
========== ============================================================================

:func:`asgi` can be used by hand under any other server.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .imports import after_import
from .tags import Request

_KEY = "looplab.request"


def install() -> None:
    """Wait for the frameworks; :data:`.imports.WATCHED` names the modules too."""
    after_import("uvicorn.config", _uvicorn)
    after_import("aiohttp.web_app", _aiohttp)
    after_import("tornado.web", _tornado)


def asgi(app: Any) -> Any:
    """Return *app*, an ASGI application, with a tag for each request and message.

    Introduced in the chapter *Diagnose your own program*.
    """

    async def tagged(scope: Any, receive: Any, send: Any) -> None:
        kind = None if _KEY in scope else scope.get("type")
        if kind == "http":
            scope[_KEY] = True
            method = scope.get("method", "?")
            request = Request(f"{method} {scope.get('path', '?')}").begin()
            try:
                await app(scope, receive, send)
            finally:
                request.name = f"{method} {_route(scope)}"
                request.end()
        elif kind == "websocket":
            scope[_KEY] = True
            await _messages(app, scope, receive, send)
        else:
            await app(scope, receive, send)

    tagged.__looplab_app__ = app  # type: ignore[attr-defined]
    return tagged


async def _messages(app: Any, scope: Any, receive: Any, send: Any) -> None:
    """Each message is a request, until the next one is asked for, and so is the
    beginning of the connection."""
    under_way: list[Request] = []

    def begin() -> None:
        under_way.append(Request(f"WS {scope.get('path', '?')}").begin())

    def finish() -> None:
        while under_way:
            request = under_way.pop()
            request.name = f"WS {_route(scope)}"
            request.end()

    async def next_message() -> Any:
        finish()
        message = await receive()
        if message.get("type") == "websocket.receive":
            begin()
        return message

    begin()
    finish()
    try:
        await app(scope, next_message, send)
    finally:
        finish()


def _route(scope: Any) -> str:
    """The path of the route, such as ``/items/{id}``; the bare path where unknown."""
    path = getattr(scope.get("route"), "path", None)
    if isinstance(path, str):
        return f"{scope.get('root_path', '')}{path}"
    endpoint, values = scope.get("endpoint"), scope.get("path_params")
    path = str(scope.get("path", "?"))
    if endpoint is not None and values:
        for key, value in values.items():
            path = path.replace(f"/{value}", f"/{{{key}}}", 1)
    return path


def _uvicorn(module: Any) -> None:
    config = module.Config
    load = config.load

    @wraps(load)
    def loading(self: Any) -> None:
        load(self)
        if getattr(self, "interface", "") != "wsgi":
            self.loaded_app = asgi(self.loaded_app)

    config.load = loading


def _aiohttp(module: Any) -> None:
    def begin(handler: Any, request: Any) -> Request:
        return Request(f"{request.method} {request.path}").begin()

    def name(handler: Any, request: Any) -> str:
        info = getattr(request, "match_info", None)
        resource = getattr(getattr(info, "route", None), "resource", None)
        path = getattr(resource, "canonical", None)
        # Empty: the files of a folder, at the root.
        path = (path or "/") if isinstance(path, str) else request.path
        return f"{request.method} {path}"

    _tell(module.Application, "_handle", begin, name)


def _tornado(module: Any) -> None:
    def name(handler: Any, *args: Any) -> str:
        kind, method = type(handler), getattr(handler.request, "method", "?")
        return f"{method} {kind.__module__}.{kind.__qualname__}"

    def begin(handler: Any, *args: Any) -> Request:
        # Its data may have been read without a look at the selector.
        connection = getattr(handler.request, "connection", None)
        socket = getattr(getattr(connection, "stream", None), "socket", None)
        fd = None if socket is None else socket.fileno()
        return Request(name(handler)).begin(fd)

    _tell(module.RequestHandler, "_execute", begin, name)


def _tell(
    kind: Any,
    method: str,
    begin: Callable[..., Request],
    name: Callable[..., str],
) -> None:
    """Make each call of a method a request, which *name* names when it has ended."""
    stock = getattr(kind, method)

    @wraps(stock)
    async def told(*args: Any, **options: Any) -> Any:
        work = begin(*args)
        try:
            return await stock(*args, **options)
        finally:
            work.name = name(*args)
            work.end()

    setattr(kind, method, told)
