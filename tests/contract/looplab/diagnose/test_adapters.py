"""Endpoints and what they wait for: ASGI under uvicorn, aiohttp, and tornado."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from looplab.diagnose import Recording, load
from tools.common import ROOT

CLIENT = """
    import asyncio, http.client, threading, time

    OTHERS = 4
    begun = threading.Event()  # the slow one, which holds the loop until it has
    sent = threading.Semaphore(0)  # all requests of the others

    def hold():
        begun.set()
        for _ in range(OTHERS):
            sent.acquire()
        time.sleep(2)

    def ask(port, path, then=lambda: None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("GET", path, headers={"Connection": "close"})
        then()
        connection.getresponse().read()
        connection.close()

    def ask_all(port, stop):
        ask(port, "/items/0")
        slow = threading.Thread(target=ask, args=(port, "/slow"))
        others = [
            threading.Thread(target=ask, args=(port, f"/items/{n}", sent.release))
            for n in range(OTHERS)
        ]
        slow.start()
        begun.wait()
        for each in others:
            each.start()
        for each in [slow, *others]:
            each.join()
        stop()

    async def until_asked(port):
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        stop = lambda: loop.call_soon_threadsafe(ended.set)
        threading.Thread(target=ask_all, args=(port, stop)).start()
        await ended.wait()
"""
UVICORN = """
    import asyncio
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route
    from client import hold, until_asked

    async def slow(request):
        hold()
        return PlainTextResponse("slow")

    async def item(request):
        return PlainTextResponse("item")

    async def main():
        app = Starlette(routes=[Route("/slow", slow), Route("/items/{n}", item)])
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.05)
        await until_asked(server.servers[0].sockets[0].getsockname()[1])
        server.should_exit = True
        await serving

    asyncio.run(main())
"""
AIOHTTP = """
    import asyncio
    from aiohttp import web
    from client import hold, until_asked

    async def slow(request):
        hold()
        return web.Response(text="slow")

    async def item(request):
        return web.Response(text="item")

    async def main():
        app = web.Application()
        app.add_routes([web.get("/slow", slow), web.get("/items/{n}", item)])
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        await until_asked(site._server.sockets[0].getsockname()[1])
        await runner.cleanup()

    asyncio.run(main())
"""
TORNADO = """
    import asyncio
    import tornado.web
    from tornado.httpserver import HTTPServer
    from tornado.netutil import bind_sockets
    from client import hold, until_asked

    class Slow(tornado.web.RequestHandler):
        async def get(self):
            hold()

    class Item(tornado.web.RequestHandler):
        async def get(self, n):
            self.write("item")

    async def main():
        app = tornado.web.Application([("/slow", Slow), (r"/items/(\\d+)", Item)])
        server = HTTPServer(app)
        sockets = bind_sockets(0, "127.0.0.1")
        server.add_sockets(sockets)
        await until_asked(sockets[0].getsockname()[1])

    asyncio.run(main())
"""


def recorded(folder: Path, text: str) -> Recording:
    """What a program says, which may import the client."""
    for name, content in [("client.py", CLIENT), ("serve.py", text)]:
        (folder / name).write_text(textwrap.dedent(content), encoding="utf-8")
    words = ["-m", "looplab", "trace", "-o", "t.jsonl", "serve.py"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return load(folder / "t.jsonl")[0]


@pytest.mark.parametrize(
    ("package", "text", "names"),
    [
        ("uvicorn", UVICORN, ["GET /slow", "GET /items/{n}"]),
        ("aiohttp", AIOHTTP, ["GET /slow", "GET /items/{n}"]),
        ("tornado", TORNADO, ["GET __main__.Slow", "GET __main__.Item"]),
    ],
)
def test_endpoints(tmp_path, package, text, names):
    pytest.importorskip(package)
    slow, item = names
    recording = recorded(tmp_path, text)
    [blamed] = [row for row in recording.blame() if row.name == slow]
    assert blamed.waited > 0
    assert blamed.longest > 1.9
    requests = recording.requests()
    assert sorted(each.endpoint for each in requests) == sorted([slow] + [item] * 5)
    [hog] = [each for each in requests if each.endpoint == slow]
    assert hog.ran_ns > 1_900_000_000
    for each in requests:
        spent = each.kernel_ns + each.queue_ns + each.ran_ns + each.elsewhere_ns
        assert each.total_ns <= spent + 1_000_000
    if sys.platform == "linux":
        # Those that came while the loop was held have waited, in the kernel at first.
        late = [each.latency for each in requests if each is not hog and each.kernel_ns]
        assert max(late) > 0.3
