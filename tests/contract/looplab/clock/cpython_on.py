"""Run one module of CPython's own asyncio tests on one of our loops, or on its own.

    python cpython_on.py virtual test.test_asyncio.test_tasks [name ...]

runs the module's tests and prints a JSON object: how many ran, what failed, and how
many loops they made.  The loops are those of ``LOOPS``.  With names it runs those tests
only, excluded or not: that is the way to see why a test is excluded.
"""

from __future__ import annotations

import asyncio
import fnmatch
import importlib
import io
import json
import signal
import sys
import unittest
from asyncio import unix_events
from collections.abc import Iterator
from typing import Any

from looplab.clock import VirtualTimeLoop
from looplab.priority import PriorityEventLoop

THREAD = "needs a thread or a process, which a virtual clock cannot time"
SOCKET = "needs a socket, a pipe or a name, which a virtual clock cannot time"
SIGNAL = "needs a signal of the operating system, which a virtual clock cannot time"
STEPS = (
    "steps the stock loop by its private _run_once(); here that runs until stop() is "
    "called"
)
INSIDE = "looks into the stock loop's selector, or its heap of timers"

#: Modules of test.test_asyncio that are left out as a whole on the virtual clock.
LEFT_OUT = {
    "test_proactor_events test_selector_events test_unix_events": INSIDE,
    "test_buffered_proto test_sendfile test_server test_sock_lowlevel": SOCKET,
    "test_ssl test_sslproto": SOCKET,
    "test_subprocess test_threads": THREAD,
}

#: Single tests that are left out there: patterns without the name of their class.
EXCLUDED = {
    "test.test_asyncio.test_base_events": {
        STEPS: "test__run_once* test_check_thread test_default_exc_handler_broken "
        "test_set_exc_handler_broken test_set_exc_handler_custom "
        "test_custom_run_forever_integration",
        INSIDE: "test_call_later test_run_forever_pre_stopped "
        "test_single_selecter_event_callback_after_stopping",
        "wants the private _write_to_self() left undone": "test_not_implemented",
        THREAD: "test_asyncgen_finalization_by_gc_in_other_thread test_call_coroutine "
        "test_shutdown_default_executor_timeout",
        SOCKET: "test_accept_connection_* test_create_connection_* test_getnameinfo "
        "test_create_datagram_endpoint_* test_create_server_*",
    },
    "test.test_asyncio.test_events": {
        "differs from SelectEventLoopTests in the selector": "EPollEventLoopTests.* "
        "PollEventLoopTests.*",
        SIGNAL: "test_*signal_handl*",
        SOCKET: "test_*_pty* test_bidirectional_pty test_*_pipe* test_reader_callback "
        "test_*connect_accepted_socket* test_create_*connection* test_writer_callback "
        "test_create_datagram_endpoint* test_create_server* test_create_unix_server* "
        "test_datagram_send_to_non_listening_address test_prompt_cancellation "
        "test_remove_fds_after_closing test_server_close TestServer.test_get_loop",
        THREAD: "test_run_in_executor* test_subprocess_* "
        "Test*GetEventLoop.test_get_event_loop_new_process",
        INSIDE: "test_timeout_rounding",
    },
    "test.test_asyncio.test_runners": {
        "polls with sleep(0) until a timer fires: a virtual clock stands still while "
        "anything is ready": "test_interrupt_call_soon",
    },
    "test.test_asyncio.test_streams": {
        SOCKET: "test_async_writer_api* test_drain_raises test_start_* "
        "test_eof_feed_when_closing_writer test_open_*connection* test_unhandled_* "
        "test_read_all_from_pipe_reader test_unclosed_*resource_warnings "
        "test_wait_closed_on_close*",
    },
    "test.test_asyncio.test_tasks": {
        STEPS: "test_log_destroyed_pending_task",
        "wants 0.3 s where the stop came at 0.2 s: CPython's fake clock has moved on "
        "to the next timer by then": "test_stop_while_run_in_complete",
        THREAD: "".join(
            f"RunCoroutineThreadsafeTests.{name} "
            for name in (
                "test_run_coroutine_threadsafe",
                "*_task_cancelled",
                "*_task_factory_exception",
                "*_with_exception",
                "*_with_timeout",
            )
        ),
    },
}


class Virtual(VirtualTimeLoop):
    """The loop that the tests get; some of them hand over a selector."""

    def __init__(self, selector: object = None) -> None:
        super().__init__()
        made.append(self)

    def advance_time(self, seconds: float) -> None:
        self.burn(seconds)


class Priority(PriorityEventLoop):
    """The priority loop; where it is in use, as if the program gave priorities."""

    in_use = False

    def __init__(self, selector: Any = None) -> None:
        super().__init__(selector)
        if self.in_use:
            self._ready.start()
        made.append(self)


class InUse(Priority):
    in_use = True


LOOPS = {"virtual": Virtual, "priority": Priority, "in-use": InUse, "stock": None}
made: list[Any] = []


def use(loop_class: Any) -> None:
    """Let every way by which the tests come to a loop make one of these."""
    policy = getattr(asyncio, "DefaultEventLoopPolicy", None)
    policy = policy or asyncio._DefaultEventLoopPolicy  # type: ignore[attr-defined]
    policy._loop_factory = loop_class
    for module in (asyncio, unix_events):
        module.SelectorEventLoop = loop_class  # type: ignore[attr-defined]
    asyncio.EventLoop = loop_class
    if loop_class is not Virtual:
        return
    asyncio.BaseEventLoop = loop_class  # type: ignore[misc]
    asyncio.base_events.BaseEventLoop = loop_class  # type: ignore[misc]
    watcher: Any = getattr(asyncio, "SafeChildWatcher", None)
    if watcher is not None:  # before 3.14 it listens for a signal
        watcher.attach_loop = lambda self, loop: None
    utils: Any = importlib.import_module("test.test_asyncio.utils")
    # Its fake clock is moved by a generator of the test; a virtual clock moves itself.
    utils.TestLoop = lambda generator=None: Virtual()


def each_test(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def excluded(module: str) -> list[str]:
    """The patterns of what is left out of a module, with the names of classes."""
    words = " ".join(EXCLUDED.get(module, {}).values()).split()
    return [word if "." in word else f"*.{word}" for word in words]


def main(kind: str, module_name: str, names: list[str]) -> None:
    if kind != "stock":
        use(LOOPS[kind])
    module = importlib.import_module(module_name)
    left_out = excluded(module_name) if kind == "virtual" else []
    suite = unittest.TestSuite()
    for test in each_test(unittest.defaultTestLoader.loadTestsFromModule(module)):
        name = test.id().removeprefix(f"{module_name}.")
        named = any(fnmatch.fnmatchcase(name, word) for word in names or left_out)
        if named == bool(names):
            suite.addTest(test)
    output = sys.stderr if names else io.StringIO()
    runner = unittest.TextTestRunner(stream=output, verbosity=2 if names else 1)
    result = runner.run(suite)
    failed = {
        getattr(test, "test_case", test).id(): trace.splitlines()[-1]
        for test, trace in [*result.failures, *result.errors]
    }
    ran = result.testsRun - len(result.skipped)
    report = {"ran": ran, "failed": failed, "loops": len(made)}
    sys.__stdout__.write(json.dumps(report) + "\n")  # type: ignore[union-attr]


if __name__ == "__main__":
    # A process that was started in the background may ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
