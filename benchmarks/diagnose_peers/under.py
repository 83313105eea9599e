"""Runs a program with a tool inside it: ``under.py TOOL PROGRAM``."""

import logging
import sys
from asyncio import base_events

from benchmarks.diagnose_peers import programs

THRESHOLD = 0.1  # seconds, as each tool's guide has it or nearly


def start(tool, loop):
    """Let *tool* watch *loop*, from inside it."""
    if tool == "debug mode":
        loop.set_debug(True)
        loop.slow_callback_duration = THRESHOLD
    elif tool == "pyleak":
        from pyleak import no_event_loop_blocking

        async def watch():
            async with no_event_loop_blocking(action="warn", threshold=THRESHOLD):
                await loop.create_future()

        loop.looplab_task = loop.create_task(watch())
    elif tool == "aiocop":
        import aiocop

        def tell(event):
            calls = [
                (call["event"], call["entry_point"]) for call in event.blocking_events
            ]
            print("aiocop", event.elapsed_ms, event.reason, calls, event.task_name)

        aiocop.patch_audit_functions()
        aiocop.start_blocking_io_detection(trace_depth=20)
        aiocop.detect_slow_tasks(threshold_ms=1000 * THRESHOLD, on_slow_task=tell)
        aiocop.activate()
    elif tool == "loopsentry":
        from loopsentry import LoopSentry

        sentry = LoopSentry(base_dir="sentry", threshold=THRESHOLD)
        loop.looplab_sentry = sentry
        sentry.start()


def main():
    """Run it, with what the tool says on the standard streams."""
    tool, name = sys.argv[1:]
    logging.basicConfig(level=logging.WARNING)
    stock = base_events.BaseEventLoop.run_forever
    seen = set()

    def run_forever(loop):
        if id(loop) not in seen:
            seen.add(id(loop))
            loop.call_soon(start, tool, loop)
        stock(loop)

    base_events.BaseEventLoop.run_forever = run_forever
    if tool == "blockbuster":
        from blockbuster import BlockBuster

        BlockBuster().activate()
    run = programs.PROGRAMS[name][0]
    if tool == "pyinstrument":
        from pyinstrument import Profiler

        with Profiler(async_mode="disabled") as profiler:
            programs.asyncio.run(run())
        print(profiler.output_text(show_all=True))
        return
    programs.asyncio.run(run())


if __name__ == "__main__":
    main()
