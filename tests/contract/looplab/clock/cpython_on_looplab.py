"""Run one module of CPython's own asyncio tests on the virtual-time loop.

    python cpython_on_looplab.py test.test_asyncio.test_tasks [name ...]

runs the module's tests and prints a JSON object: how many ran, what failed, which named
exclusions matched a test and which did not.  With names it runs those tests only,
excluded or not: that is the way to see why a test is excluded.
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
from collections.abc import Iterator
from typing import Any, NamedTuple

from looplab.clock import VirtualTimeLoop


class Exclusion(NamedTuple):
    """Tests left out, by pattern, and why; *since* is the Python that has them."""

    pattern: str
    reason: str
    since: tuple[int, ...] = (3, 11)

    def applies(self) -> bool:
        return sys.version_info[:3] >= self.since


THREAD = "needs a thread or a process, which a virtual clock cannot time"
SOCKET = "needs a socket, which a virtual clock cannot time"
PIPE = "needs a pipe, which a virtual clock cannot time"
SIGNAL = "needs a signal of the operating system, which a virtual clock cannot time"
NAMES = "asks the name service, which a virtual clock cannot time"
STEPS = (
    "steps the stock loop by its private _run_once(); here that runs until stop() is "
    "called"
)
SELECTOR = "looks into the selector; here there is none"
SAME = "differs from SelectEventLoopTests in the selector only"

# Modules of test.test_asyncio that are left out as a whole.
LEFT_OUT = {
    "test_buffered_proto": SOCKET,
    "test_proactor_events": "tests the proactor loop of Windows itself",
    "test_selector_events": "tests the selector loop itself",
    "test_sendfile": SOCKET,
    "test_server": SOCKET,
    "test_sock_lowlevel": SOCKET,
    "test_ssl": SOCKET,
    "test_sslproto": SOCKET,
    "test_subprocess": THREAD,
    "test_threads": THREAD,
    "test_unix_events": "tests the loop of Unix itself",
    "test_windows_events": "tests the loops of Windows themselves",
    "test_windows_utils": "tests helpers of the loops of Windows",
}

EXCLUDED: dict[str, list[Exclusion]] = {
    "test.test_asyncio.test_base_events": [
        Exclusion("BaseEventLoopTests.test__run_once*", STEPS),
        Exclusion("BaseEventLoopTests.test_check_thread", STEPS),
        Exclusion("BaseEventLoopTests.test_default_exc_handler_broken", STEPS),
        Exclusion("BaseEventLoopTests.test_set_exc_handler_broken", STEPS),
        Exclusion("BaseEventLoopTests.test_set_exc_handler_custom", STEPS),
        Exclusion(
            "BaseEventLoopTests.test_custom_run_forever_integration",
            STEPS,
            since=(3, 13),
        ),
        Exclusion(
            "BaseEventLoopTests.test_call_later",
            "looks into the stock loop's private heap of timers",
        ),
        Exclusion(
            "BaseEventLoopTests.test_not_implemented",
            "wants the private _write_to_self() left undone; here it is done",
        ),
        Exclusion("BaseEventLoopTests.test_run_forever_pre_stopped", SELECTOR),
        Exclusion(
            "BaseEventLoopTests.test_single_selecter_event_callback_after_stopping",
            SELECTOR,
        ),
        Exclusion(
            "BaseEventLoopTests.test_asyncgen_finalization_by_gc_in_other_thread",
            THREAD,
        ),
        Exclusion(
            "BaseEventLoopTests.test_shutdown_default_executor_timeout",
            THREAD,
            since=(3, 12, 2),
        ),
        Exclusion("BaseEventLoopWithSelectorTests.test_accept_connection_*", SOCKET),
        Exclusion("BaseEventLoopWithSelectorTests.test_create_connection_*", SOCKET),
        Exclusion(
            "BaseEventLoopWithSelectorTests.test_create_datagram_endpoint_*", SOCKET
        ),
        Exclusion("BaseEventLoopWithSelectorTests.test_create_server_*", SOCKET),
        Exclusion("BaseEventLoopWithSelectorTests.test_getnameinfo", NAMES),
        Exclusion("BaseEventLoopWithSelectorTests.test_call_coroutine", THREAD),
    ],
    "test.test_asyncio.test_events": [
        Exclusion("EPollEventLoopTests.*", SAME),
        Exclusion("PollEventLoopTests.*", SAME),
        Exclusion("SelectEventLoopTests.test_*signal_handl*", SIGNAL),
        Exclusion("SelectEventLoopTests.test_*_pty*", PIPE),
        Exclusion("SelectEventLoopTests.test_bidirectional_pty", PIPE),
        Exclusion("SelectEventLoopTests.test_*_pipe*", PIPE),
        Exclusion("SelectEventLoopTests.test_*connect_accepted_socket*", SOCKET),
        Exclusion("SelectEventLoopTests.test_create_*connection*", SOCKET),
        Exclusion("SelectEventLoopTests.test_create_datagram_endpoint*", SOCKET),
        Exclusion("SelectEventLoopTests.test_create_server*", SOCKET),
        Exclusion("SelectEventLoopTests.test_create_unix_server*", SOCKET),
        Exclusion(
            "SelectEventLoopTests.test_datagram_send_to_non_listening_address",
            SOCKET,
            since=(3, 13),
        ),
        Exclusion("SelectEventLoopTests.test_prompt_cancellation", SOCKET),
        Exclusion("SelectEventLoopTests.test_reader_callback", SOCKET),
        Exclusion("SelectEventLoopTests.test_writer_callback", SOCKET),
        Exclusion("SelectEventLoopTests.test_remove_fds_after_closing", SOCKET),
        Exclusion("SelectEventLoopTests.test_server_close", SOCKET),
        Exclusion("SelectEventLoopTests.test_run_in_executor*", THREAD),
        Exclusion("SelectEventLoopTests.test_subprocess_*", THREAD),
        Exclusion("SelectEventLoopTests.test_timeout_rounding", SELECTOR),
        Exclusion("Test*GetEventLoop.test_get_event_loop_new_process", THREAD),
        Exclusion("TestServer.test_get_loop", SOCKET),
    ],
    "test.test_asyncio.test_runners": [
        Exclusion(
            "RunnerTests.test_interrupt_call_soon",
            "polls with sleep(0) until a timer fires: a virtual clock stands still "
            "while anything is ready",
        ),
    ],
    "test.test_asyncio.test_streams": [
        Exclusion("StreamTests.test_async_writer_api*", SOCKET),
        Exclusion("StreamTests.test_drain_raises", SOCKET),
        Exclusion("StreamTests.test_eof_feed_when_closing_writer", SOCKET),
        Exclusion("StreamTests.test_open_*connection*", SOCKET),
        Exclusion("StreamTests.test_read_all_from_pipe_reader", PIPE),
        Exclusion("StreamTests.test_start_*", SOCKET),
        Exclusion("StreamTests.test_unclosed_*resource_warnings", SOCKET),
        Exclusion("StreamTests.test_unhandled_*", SOCKET),
        Exclusion("StreamTests.test_wait_closed_on_close*", SOCKET),
    ],
    "test.test_asyncio.test_tasks": [
        Exclusion("*.test_log_destroyed_pending_task", STEPS),
        Exclusion(
            "*.test_stop_while_run_in_complete",
            "wants 0.3 s where the stop came at 0.2 s: CPython's fake clock has moved "
            "on to the next timer by then, a virtual clock has not",
        ),
        Exclusion("RunCoroutineThreadsafeTests.test_run_coroutine_threadsafe", THREAD),
        Exclusion("RunCoroutineThreadsafeTests.*_task_cancelled", THREAD),
        Exclusion("RunCoroutineThreadsafeTests.*_task_factory_exception", THREAD),
        Exclusion("RunCoroutineThreadsafeTests.*_with_exception", THREAD),
        Exclusion("RunCoroutineThreadsafeTests.*_with_timeout", THREAD),
    ],
}


class Loop(VirtualTimeLoop):
    """The loop that the tests get; some of them hand over a selector."""

    def __init__(self, selector: object = None) -> None:
        super().__init__()

    def advance_time(self, seconds: float) -> None:
        self.burn(seconds)


def use_virtual_time() -> None:
    """Let every way by which the tests come to a loop make a virtual one."""
    loop_class: Any = Loop
    policy = getattr(asyncio, "DefaultEventLoopPolicy", None)
    policy = policy or asyncio._DefaultEventLoopPolicy  # type: ignore[attr-defined]
    policy._loop_factory = loop_class
    asyncio.BaseEventLoop = loop_class  # type: ignore[misc]
    asyncio.base_events.BaseEventLoop = loop_class  # type: ignore[misc]
    asyncio.SelectorEventLoop = loop_class
    asyncio.EventLoop = loop_class
    if sys.version_info < (3, 14):  # a watcher of child processes listens for a signal
        watcher: Any = getattr(asyncio, "SafeChildWatcher", None)
        if watcher is not None:
            watcher.attach_loop = lambda self, loop: None
    utils: Any = importlib.import_module("test.test_asyncio.utils")
    # Its fake clock is moved by a generator of the test; a virtual clock moves itself.
    utils.TestLoop = lambda generator=None: Loop()


def each_test(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


class Result(unittest.TextTestResult):
    """Keeps which tests ran, and what each failed one raised."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.failed: dict[str, str] = {}
        self.ran: set[str] = set()

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().startTest(test)
        self.ran.add(test.id())

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self.ran.discard(test.id())

    def _keep(self, test: unittest.TestCase, err: Any) -> None:
        self.failed[test.id()] = f"{err[0].__name__}: {err[1]}"

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._keep(test, err)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._keep(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._keep(test, err)


def main(module_name: str, names: list[str]) -> None:
    use_virtual_time()
    module = importlib.import_module(module_name)
    exclusions = [e for e in EXCLUDED.get(module_name, []) if e.applies()]
    matched: dict[str, int] = dict.fromkeys((e.pattern for e in exclusions), 0)
    suite = unittest.TestSuite()
    found = 0
    for test in each_test(unittest.defaultTestLoader.loadTestsFromModule(module)):
        found += 1
        name = test.id().removeprefix(f"{module_name}.")
        if names:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in names):
                suite.addTest(test)
            continue
        hits = [e.pattern for e in exclusions if fnmatch.fnmatchcase(name, e.pattern)]
        for pattern in hits:
            matched[pattern] += 1
        if not hits:
            suite.addTest(test)
    output = sys.stderr if names else io.StringIO()
    runner = unittest.TextTestRunner(
        stream=output, verbosity=2 if names else 1, resultclass=Result
    )
    result = runner.run(suite)
    assert isinstance(result, Result)
    report = {
        "found": found,
        "ran": len(result.ran),
        "skipped": len(result.skipped),
        "failed": result.failed,
        "matched": matched,
    }
    sys.__stdout__.write(json.dumps(report) + "\n")  # type: ignore[union-attr]


if __name__ == "__main__":
    # A process that was started in the background may ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(sys.argv[1], sys.argv[2:])
