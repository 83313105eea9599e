"""The service: Starlette, with the desk, the workshop and the audit log behind it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from looplab import Heartbeat
from ontime.bus import SQLiteBus

from .audit import Audit
from .desk import Desk
from .orders import FullError, Inbox, Workshop
from .settings import Settings

__all__ = ["make_app"]

WATCHED = 100  # orders that a watcher may be behind
BEAT = 0.02  # seconds


class Shop:
    """The parts of a running service."""

    def __init__(self, settings: Settings, bus: SQLiteBus, audit: Audit) -> None:
        self.audit = audit
        self.desk = Desk(settings)
        self.inbox = Inbox(settings, bus)
        self.workshop = Workshop(settings, bus, done=self._tell)
        self.heart = Heartbeat(BEAT)
        self.watchers: set[asyncio.Queue[str]] = set()

    def _tell(self, order: str) -> None:
        for watcher in self.watchers:
            if not watcher.full():  # a slow one misses some, and nobody waits for it
                watcher.put_nowait(order)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The block in which it works."""
        async with self.desk, self.heart:
            tasks = [
                asyncio.create_task(self.inbox.save(), name="save"),
                asyncio.create_task(self.workshop.run(), name="workshop"),
            ]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    def figures(self) -> dict[str, float | None]:
        """What has happened since the start.  Times are seconds."""
        heart = self.heart.summary()
        return {
            "at": time.monotonic(),
            "cpu": time.process_time(),
            "worst": heart.worst,
            "p99": heart.p99,
            "most_waiting": self.inbox.most_waiting,
            "saved": self.inbox.saved,
            "done": self.workshop.done,
            "lost": self.workshop.lost,
            "deliveries": sum(self.workshop.deliveries.values()),
            "audited": self.audit.count,
        }


async def login(request: Request) -> JSONResponse:
    shop: Shop = request.app.state.shop
    digest = await shop.desk.login((await request.body()).decode())
    await shop.audit.write("login")
    return JSONResponse({"token": digest[:16]})


async def basket(request: Request) -> JSONResponse:
    shop: Shop = request.app.state.shop
    price = await shop.desk.price(request.path_params["lines"])
    return JSONResponse({"price": price})


async def report(request: Request) -> JSONResponse:
    shop: Shop = request.app.state.shop
    return JSONResponse({"parts": await shop.desk.report()})


async def order(request: Request) -> JSONResponse:
    shop: Shop = request.app.state.shop
    body = (await request.body()).decode()
    try:
        shop.inbox.accept(body)
    except FullError as full:
        return JSONResponse({"error": str(full)}, 503, {"Retry-After": "1"})
    return JSONResponse({"accepted": body}, 202)


async def state(request: Request) -> JSONResponse:
    shop: Shop = request.app.state.shop
    return JSONResponse(shop.figures())


async def watch(socket: WebSocket) -> None:
    """Tell a client which orders are done, as they are."""
    shop: Shop = socket.app.state.shop
    orders: asyncio.Queue[str] = asyncio.Queue(WATCHED)

    async def send() -> None:
        while True:
            await socket.send_text(await orders.get())

    await socket.accept()
    shop.watchers.add(orders)
    sending = asyncio.create_task(send(), name="watcher")
    try:
        while True:
            await socket.receive_text()
    except WebSocketDisconnect:
        pass
    finally:
        shop.watchers.discard(orders)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


def make_app(settings: Settings, folder: Path) -> Starlette:
    """The application; its bus is a file in *folder*."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        bus = SQLiteBus(folder / "orders.db", lease=settings.lease)
        with Audit(settings) as audit:
            async with bus:
                app.state.shop = Shop(settings, bus, audit)
                async with app.state.shop.running():
                    yield

    return Starlette(
        routes=[
            Route("/login", login, methods=["POST"]),
            Route("/basket/{lines:int}", basket),
            Route("/report", report, methods=["POST"]),
            Route("/orders", order, methods=["POST"]),
            Route("/state", state),
            WebSocketRoute("/watch", watch),
        ],
        lifespan=lifespan,
    )
