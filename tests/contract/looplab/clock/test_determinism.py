"""One program, one trace: in fresh processes, with other hash seeds and addresses."""

from __future__ import annotations

from tests.contract.looplab.fresh import ENVIRON, python

#: Prints the traces of random programs, in a memory that the hash seed has filled.
PROGRAM = """
import asyncio, random, sys
from hypothesis import HealthCheck, Phase, given, settings

dice = random.Random(hash("the seed"))
junk = [bytearray(dice.randrange(600)) for _ in range(2_000)]
for _ in range(dice.randrange(600)):
    junk.pop(dice.randrange(len(junk)))
other = asyncio.new_event_loop()
tasks = [other.create_task(asyncio.sleep(1)) for _ in range(dice.randrange(60))]

from looplab.clock import VirtualTimeLoop, run
from tests.fast.looplab.clock.random_programs import PROGRAMS, trace_of

@settings(
    max_examples=60, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(PROGRAMS)
def show(program):
    print(trace_of(VirtualTimeLoop, program))

async def wait(number):
    await asyncio.sleep(0.001 * (number % 7))
    if number == 23:
        raise ValueError
    try:
        await asyncio.sleep(1)
    finally:
        print(number, "ends")

async def sets():
    "Sets of tasks, wherever asyncio walks one."
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(40):
                group.create_task(wait(number))
    except* ValueError:
        pass
    waiting = {asyncio.create_task(wait(number)) for number in range(60, 100)}
    for number, task in enumerate(waiting):
        print(number, task.get_name())
    done, pending = await asyncio.wait(waiting, timeout=1.003)
    print([[task.get_name() for task in part] for part in (done, pending)])
    for each in asyncio.as_completed(waiting):
        await each

show()
run(sets())
sys.stdout.flush()
"""


def trace(seed: int) -> str:
    environment = ENVIRON | {"PYTHONHASHSEED": str(seed)}
    done = python("-W", "ignore", "-c", PROGRAM, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_same_trace_in_every_process() -> None:
    (same,) = {trace(seed) for seed in range(3)}
    assert same.count("main begins") == 60
    assert "96 ends" in same
