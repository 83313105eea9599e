"""The names of OpenTelemetry spans stand where a program sets no tag of ours."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from looplab.diagnose import load
from tests.contract.left import SLOW
from tools.common import ROOT

pytest.importorskip("opentelemetry.sdk.trace")

ENVIRON = {k: v for k, v in os.environ.items() if not k.startswith(("LOOPLAB", "OTEL"))}
WORK = """
    import asyncio, os
    from opentelemetry import trace

    async def work():
        with trace.get_tracer("shop").start_as_current_span("rebuild index"):
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    def readers():
        from looplab.diagnose import hook
        return sum(len(one.spans) for one in hook.session()._recorders)

    async def main():
        print("before", readers())
        {provide}
        await work()
        print("after", readers())

    asyncio.run(main())
"""
PROVIDE = """
        from opentelemetry.sdk.trace import TracerProvider
        trace.set_tracer_provider(TracerProvider())
"""
TRACE = ("-m", "looplab", "trace", "-o", "t.jsonl")


def run(tmp_path, text, *words, env=None):
    (tmp_path / "work.py").write_text(textwrap.dedent(text), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *words, "work.py"],
        cwd=tmp_path,
        env=ENVIRON | {"PYTHONPATH": str(ROOT / "src")} | (env or {}),
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def tags_in(path):
    return sorted({name for one in load(path) for name in one.tags.values()})


def test_spans_are_read_from_when_on_there_are_any(tmp_path):
    said = run(tmp_path, WORK.format(provide=PROVIDE), *TRACE)
    assert said == ["before 0", "after 1"]
    [recording] = load(tmp_path / "t.jsonl")
    assert tags_in(tmp_path / "t.jsonl") == ["rebuild index"]
    steps = [one for one in recording if recording.tag_of(one) == "rebuild index"]
    assert len(steps) >= 2
    assert {one.code.name.rpartition(".")[2] for one in steps} == {"main"}


def test_no_context_is_asked_where_no_provider_makes_spans(tmp_path):
    """Frameworks import OpenTelemetry whether or not the program uses it."""
    assert run(tmp_path, WORK.format(provide=""), *TRACE) == ["before 0", "after 0"]
    assert tags_in(tmp_path / "t.jsonl") == []


def test_a_provider_that_the_environment_names(tmp_path):
    env = {"OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider"}
    said = run(tmp_path, WORK.format(provide=""), *TRACE, env=env)
    assert said == ["before 1", "after 1"]
    assert tags_in(tmp_path / "t.jsonl") == ["rebuild index"]


def test_a_provider_from_before_the_recording(tmp_path):
    begun = """
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    trace.set_tracer_provider(TracerProvider())
    from looplab.diagnose import hook
    from looplab.diagnose.options import Options
    hook.install(Options("t.jsonl"))
    """
    assert run(tmp_path, begun + WORK.format(provide="")) == ["before 1", "after 1"]
    assert tags_in(tmp_path / "t.jsonl") == ["rebuild index"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_second_recording_and_a_fork_read_them_too(tmp_path):
    text = f"""
    import os
    from looplab.diagnose import hook
    from looplab.diagnose.options import Options
    hook.install(Options("first.jsonl"))
    {WORK.format(provide=PROVIDE).strip()}
    hook.uninstall()
    hook.install(Options("second.jsonl"))
    asyncio.run(main())
    child = os.fork()
    if not child:
        asyncio.run(main())
        hook.uninstall()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    hook.uninstall()
    """
    run(tmp_path, text)
    assert tags_in(tmp_path / "first.jsonl") == ["rebuild index"]
    found = sorted(tmp_path.glob("second*.jsonl"))
    assert len(found) == 2  # the fork has its own
    assert [tags_in(one) for one in found] == [["rebuild index"]] * 2
