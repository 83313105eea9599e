"""The question of each misconception, put to the cell that cures it.

With the numbers of the guide the answer that betrays the misconception has to come out
wrong there.  A cell on a virtual clock is run; of one that measures, what it showed
when the notebook was run is read.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import io
import re
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType
from typing import Any

import pytest

from looplab.diagnose import DisagreementError, move
from ontime.grade.cells import defines, run_cell
from ontime.leases import LeaseSettings, consume
from tests.fast.looplab.diagnose.test_prediction import late_for_no_reason
from tests.fast.teaching.test_guide import (
    GUIDES,
    ROOT,
    cells,
    guide,
    labs,
    parts_of,
    place,
)

Cure = Callable[["Asked"], bool]
CURES: dict[tuple[str, str], tuple[tuple[str, ...], Cure]] = {}


class Asked:
    """A misconception of a guide, and the cells that it names."""

    def __init__(self, stem: str, title: str) -> None:
        self.stem = stem
        text = parts_of(parts_of(guide(stem), 2)["Misconceptions"], 3)[title]
        words = dict(
            re.findall(r"^\*\*([^*]+)\*\*\s*(.+?)(?=\n\n|\Z)", text, re.S | re.M)
        )
        self.question = words["Question."]
        self.wrong = words["Answer that betrays it."]
        self.places = place(stem).findall(words["Cure."])

    def says(self, *words: str) -> None:
        """The question, or the wrong answer, still has these words."""
        for each in words:
            assert each in f"{self.question} {self.wrong}", each

    def cell(self, number: int = 0) -> dict[str, Any]:
        """The cell of the lab that the cure names."""
        where = [(s, line or head) for s, head, line in self.places if s in self.labs]
        source, line = where[number]
        return next(
            cell
            for cell in cells(self.labs[source])
            if line in [text.strip() for text in cell["source"].splitlines()]
            or (cell["metadata"].get("exercise"), "check")
            == (line, cell["metadata"].get("tags", [""])[-1])
        )

    @property
    def labs(self) -> dict[str, Any]:
        bank = ROOT / "notebooks" / f"{self.stem[:2]}_more_exercises.ipynb"
        return {**labs(self.stem), "bank": bank}

    def shown(self, number: int = 0) -> str:
        """What that cell showed when the notebook was run."""
        return "".join(
            "".join(output.get("text") or output.get("data", {}).get("text/plain", ()))
            for output in self.cell(number)["outputs"]
        )

    def numbers(self, pattern: str, number: int = 0) -> list[float]:
        """The numbers that a pattern finds in what the cell showed."""
        match = re.search(pattern, self.shown(number), re.M)
        assert match, (pattern, self.shown(number))
        return [float(group.replace(",", "")) for group in match.groups()]

    def run(self, source: str, instead: dict[str, str] | None = None) -> Any:
        """Run a program below the live cells, of page or lab, that it needs.

        Args:
            source: the program; its last expression is the result.
            instead: changes to the cells, as the guide tells a teacher to make them.
        """
        at = "page" if self.places[0][0] == "page" else "lab"
        return _run(self.stem, at, source, instead or {})

    def printed(self, line: str) -> str:
        """What the page's cell with a line prints."""
        source = next(text for text in _page(self.stem) if line in text)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            _run(self.stem, "page", source, {})
        return out.getvalue()


def _page(stem: str) -> list[str]:
    text = (ROOT / "book" / f"{stem}.md").read_text("utf-8")
    sources = re.findall(r"^```\{livecell\}\n(.*?)^```", text, re.S | re.M)
    return [re.sub(r"^:[\w-]+:.*\n", "", source, flags=re.M) for source in sources]


@cache
def _live(stem: str, at: str) -> list[str]:
    if at == "page":
        return _page(stem)
    sources = []
    for cell in cells(labs(stem)["lab"]):
        tags = cell["metadata"].get("tags", ())
        if "exercise" in tags:
            break
        if "live" in tags and "raises-exception" not in tags:
            sources.append(cell["source"])
    return sources


def _uses(source: str) -> set[str]:
    """The global names that a program reads, also inside its functions."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    codes, names = [compile(source, "<cell>", "exec", flags)], set()
    for code in codes:
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
        names |= {
            step.argval
            for step in dis.get_instructions(code)
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        }
    return names


def _run(stem: str, at: str, source: str, changes: dict[str, str]) -> Any:
    wanted, needed = _uses(source) - defines(source), []
    for cell in reversed(_live(stem, at)):
        if wanted & defines(cell):
            # What is defined is known from the cell that is nearest above.
            wanted = (wanted - defines(cell)) | (_uses(cell) - defines(cell))
            for old, new in changes.items():
                cell = cell.replace(old, new)
            needed.append(cell)
    space: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in reversed(needed):
            run_cell(cell, space)
    return run_cell(source, space)


def cures(number: str, title: str, *words: str) -> Callable[[Cure], Cure]:
    """Register what shows that the wrong answer of a misconception is wrong.

    Its question, or the wrong answer, still has the words.
    """
    (stem,) = (stem for stem in GUIDES if stem.startswith(number))

    def register(cure: Cure) -> Cure:
        CURES[stem, title] = (words, cure)
        return cure

    return register


def misconceptions() -> Iterator[tuple[str, str]]:
    for stem in GUIDES:
        for title in parts_of(parts_of(guide(stem), 2)["Misconceptions"], 3):
            yield stem, title


@pytest.mark.parametrize(("stem", "title"), list(misconceptions()))
def test_the_cell_refutes_the_answer(stem: str, title: str) -> None:
    assert (stem, title) in CURES, "say in this file what refutes it"
    words, cure = CURES[stem, title]
    asked = Asked(stem, title)
    asked.says(*words)
    assert cure(asked)


def test_every_cure_has_its_misconception() -> None:
    assert set(CURES) == set(misconceptions())


#: What the cell shows, where that is enough; behind it the words of the question.
SHOWN = {
    ("01", "Soon means now"): ("hello\nworld\nlater\n",),
    ("04", "A worker that fails makes itself heard"): ("nothing is ready",),
    ("05", "An await lets others run"): ("['consumer', 'producer',", "After the first"),
    ("05", "sleep(0) makes them take turns, so the queue stays short"): ("… 49999",),
    ("05", "What has been taken has been done"): ("a then ChannelClosedError",),
    ("07", "A high priority means to be next"): ("0 A, 1 B, 2 C, 3 u", "At 1,"),
    ("07", "More urgent is always better"): ("not yet",),
    ("08", "The client says that it is better"): ("not yet", "waits for each answer"),
}
for place_of, (text, *words) in SHOWN.items():
    cures(*place_of, *words)(lambda asked, text=text: text in asked.shown())

# Chapter 1


@cures("01", "A timer interrupts", "for a second", "right after this callback")
def _(asked: Asked) -> bool:
    (at,) = asked.run("timer.run_at,", {"burn(0.010)": "burn(1)"})
    return at == 2.0  # neither at 0.025 nor when the callback ends, at 1


@cures("01", "Every await gives way to others")
def _(asked: Asked) -> bool:
    source = """
order = []
async def goes(name):
    order.append(f"{name} asks")
    await sleep(loop, 1)
    order.append(f"{name} goes on")
loop = TimerLoop()
Task(loop, goes("a"))
Task(loop, goes("b"))
loop.run_forever()
order"""
    alone = ["a asks", "a goes on", "b asks", "b goes on"]
    done = {
        "loop.call_later(delay, future.set_result, None)": "future.set_result(None)"
    }
    return asked.run(source, done) == alone != asked.run(source)


@cures("01", "cancel() stops the task")
def _(asked: Asked) -> bool:
    line = 'print("done when cancel() returns:", task.done())'
    assert any(line == place[2] for place in asked.places)
    return "done when cancel() returns: False" in asked.printed(line)


@cures("01", "The GIL makes call_soon safe from a thread")
def _(asked: Asked) -> bool:
    (soon,) = asked.numbers(r"^call_soon +ran at ([\d.]+)")
    (safe,) = asked.numbers(r"^call_soon_threadsafe +ran at ([\d.]+)")
    return soon > 2 * safe


@cures("01", "The loop holds my tasks")
def _(asked: Asked) -> bool:
    assert asked.places[0][:2] == ("going deeper", "Keep what you started")
    shown = [
        "".join(cell["outputs"][0]["text"])
        for cell in cells(asked.labs["going deeper"])
        if "async def start_and_forget():" in cell["source"]
    ]
    return "after a collection: False" in shown[0]


# Chapter 2


@cures("02", "In a thread it cannot disturb the loop", "Twenty threads")
def _(asked: Asked) -> bool:
    assert asked.shown().startswith("20 jobs")
    (late,) = asked.numbers(r"^a thread each .* ([\d.]+) \([^)]*\)$")
    return late > 0.1


@cures("02", "Threads are of no use in Python", "hashlib")
def _(asked: Asked) -> bool:
    (cores,) = asked.numbers(r"^digest.* ([\d.]+) cores in use")
    return cores > 1.2


@cures("02", "A chain is late by one job", "Twenty jobs of 1.5 s", "1.5 s:")
def _(asked: Asked) -> bool:
    (least, most) = asked.numbers(r"^chain +([\d.]+) to ([\d.]+)")
    return 1.5 < least < most <= 3 * 1.5


@cures("02", "A time-out ends the work")
def _(asked: Asked) -> bool:
    gave_up, ended = asked.numbers(r"gave up after ([\d.]+) s, ended after ([\d.]+)")
    return ended > 2 * gave_up


@cures("02", "More processes are faster", "An eighth")
def _(asked: Asked) -> bool:
    single, two, eight = (
        asked.numbers(rf"^Pool\({n}\) +([\d.]+) s")[0] for n in (1, 2, 8)
    )
    return two < 0.75 * single and eight > 2 * single / 8


@cures("02", "An executor needs no limit", "Ten jobs", "two threads", "other eight")
def _(asked: Asked) -> bool:
    jobs, ran = asked.numbers(r"of (\d+) jobs, the threads ran (\d+)")
    assert "pool.submit(time.sleep, 0.6) for _ in range(10)" in asked.cell()["source"]
    return (jobs, ran) == (10, 2)  # none was refused: eight were in the queue


# Chapter 3


@cures("03", "An await goes to the loop", "One for each await")
def _(asked: Asked) -> bool:
    shown = asked.printed("async def nothing():")
    return re.search(r"^sequence +1 callbacks", shown, re.M) is not None


@cures("03", "gather makes things faster", "Two lookups", "It halves")
def _(asked: Asked) -> bool:
    (times,) = asked.numbers(r"^gather +asyncio.* ([\d.]+) ×")
    return times > 1


@cures("03", "Latency limits the clients of a core", "50 ms, and for 48", "Twenty")
def _(asked: Asked) -> bool:
    return bool(asked.run("clients_per_core(0.050 - 0.048)") == 500)


@cures("03", "A stopwatch tells what code costs", "twice as long")
def _(asked: Asked) -> bool:
    stopwatch, cpu = asked.numbers(
        r"^kernel beside others +stopwatch +([\d.]+) µs, CPU time +([\d.]+)"
    )
    return stopwatch > 1.5 * cpu  # and nothing of the code has changed


@cures("03", "When one part fails, gather ends the others", "They are cancelled")
def _(asked: Asked) -> bool:
    assert asked.places[0] == ("bank", "", "03-xerrors")
    return "gather() lets the others go on" in asked.shown()


@cures("03", "One client tells the truth about many", "less CPU time")
def _(asked: Asked) -> bool:
    (alone,) = asked.numbers(r"^ +1 at once.* gather ([\d.]+)")
    (many,) = asked.numbers(r"^ 1000 at once, in step.* gather ([\d.]+)")
    return alone < 1.1 < 1.3 < many


# Chapter 4


@cures(
    "04",
    "The longest callback is the lateness",
    "Fifty tasks of 4 ms",
    "0.1 s before",
    '"4 ms',
)
def _(asked: Asked) -> bool:
    source = """
async def job():
    burn(0.004)
async def load():
    await storm(job, 50)
"""
    late, after = asked.run(f"{source}run(measure(load, start=2.9))")
    # At the lab's own start the cell would seem to prove the answer.
    assert asked.run(f"{source}run(measure(load))") == [0, 0]
    return (round(late, 9), after) == (0.1, 0)


@cures("04", "A semaphore holds work back", "Two hundred jobs", "four")
def _(asked: Asked) -> bool:
    limited = asked.run("run(measure(partial(with_semaphore, 4)))")
    return bool(limited == asked.run("run(measure(storm))") == [1.5, 0])


@cures("04", "Debug mode finds what holds the loop")
def _(asked: Asked) -> bool:
    assert "class Collect(logging.Handler):" in asked.cell()["source"]
    return "1.5 s late, 0 lines" in asked.shown()


@cures("04", "A small queue is enough", "200 workers", "One job")
def _(asked: Asked) -> bool:
    late = asked.run("run(measure(lambda: through_queue(200, waiting_job)))")
    return bool(max(late) > 100 * 0.010)


@cures(
    "04",
    "With slices the lateness is one slice",
    "Ten tasks",
    "slices of 10 ms",
    '"10 ms."',
)
def _(asked: Asked) -> bool:
    late, *_ = asked.run("""
async def sliced():
    for _ in range(10):
        burn(0.010)
        await asyncio.sleep(0)
run(measure(partial(storm, sliced, 10), start=2.95))""")
    return bool(late > 10 * 0.010)


@cures("04", "What I saw is the worst")
def _(asked: Asked) -> bool:
    few, many = map(float, re.findall(r": +([\d.]+)", asked.shown()))
    asked.says(f"was {few * 1000:.0f} ms late", '"29 ms", or "35 to be safe"')
    return many > 0.035


# Chapter 5


@cures(
    "05",
    "A longer queue takes more load",
    "100 items per second",
    "80 are served",
    "10,000",
)
def _(asked: Asked) -> bool:
    line, waits, _ = asked.run("run(stream(asyncio.Queue(), [0.010] * 6000, 0.0125))")
    # It grows by 20 items a second, early and late: any bound is reached.
    early, late = (next(size for at, size in line if at >= t) for t in (30, 59.99))
    return abs(early - 600) < 5 and abs(late - 1200) < 5 and waits[-1] > 14


@cures("05", "Backpressure loses work", "bound of 10")
def _(asked: Asked) -> bool:
    most, made, pace = asked.numbers(
        r"^(\d+) items wait at [^\n]*\n(\d+) items made in .*: (\d+) a second"
    )
    return (most, made, pace) == (10, 6000, 80)


@cures("05", "Every queue without a bound is a bug", "Four workers", "A number.")
def _(asked: Asked) -> bool:
    for bound in (1, 10):
        stuck = asked.run(f"""
from looplab import DeadlockError
try:
    ended = run(crawl(asyncio.Queue(maxsize={bound})))
except DeadlockError as error:
    ended = str(error)
ended""")
        assert str(stuck).count("worker, line 16, in Queue.put") == 4
    return True


@cures(
    "05",
    "A server that is always busy does its best",
    "after a second",
    "As many as it can serve",
)
def _(asked: Asked) -> bool:
    shown = asked.printed("async def overloaded(")
    in_time = [int(n) for n in re.findall(r": (\d+) in time", shown)]
    free, short, long = in_time
    return max(free, long) < short / 3


# Chapter 6


@cures("06", "A loop that asks more often notices sooner", "Eight sessions")
def _(asked: Asked) -> bool:
    poll, queue = (
        asked.numbers(rf"^{way} +8: .* median ([\d.]+) ms")[0]
        for way in ("poll", "queue")
    )
    return poll > 2 * queue


@cures("06", "A short sleep cures a poll")
def _(asked: Asked) -> bool:
    return asked.numbers(r"takes (\d+) times as long with a nap")[0] >= 3


@cures("06", "What fits the figure is the cause")
def _(asked: Asked) -> bool:
    spinner, polling = asked.numbers(r"spinner × ([\d.]+), polling loops × ([\d.]+)")
    return polling < 2 < 10 < spinner  # for an interval a hundred times as long


@cures("06", "Faster under a tracer means a fault of the tracer")
def _(asked: Asked) -> bool:
    values = {
        name.rpartition("/")[2]: next(iter(output["data"].values()))
        for cell in cells(asked.labs["lab"])
        for output in cell.get("outputs", ())
        for name in output.get("metadata", {}).get("scrapbook", {}).values()
        if isinstance(name, str)
    }
    # A longer gap, which is what the tracer made, cures the hop on its own.
    return float(values["cured"]) > 2


@cures(
    "06",
    "A change that does nothing clears its suspect",
    "Eight loops poll on two cores",
)
def _(asked: Asked) -> bool:
    hop, lock, both, waits = asked.numbers(
        r"^8 on 2: a hop +([\d.]+) .*gap +([\d.]+), sleep in it +([\d.]+);"
        r".* lock ([\d.]+),"
    )
    return lock > 0.5 * hop and both < 0.2 * hop and waits > 1


@cures("06", "call_soon and put_nowait can be called from anywhere")
def _(asked: Asked) -> bool:
    careless, careful = asked.numbers(r"careless ([\d.]+) s, careful ([\d.]+)")
    return careless > 2 * careful


@cures("06", "A test for speed keeps the poll out")
def _(asked: Asked) -> bool:
    shown = asked.shown()
    return "turns are allowed" in shown and "with the queue it passes" in shown


# Chapter 7


@cures("07", "A busy thread is doing its work", "hundred messages", "All of")
def _(asked: Asked) -> bool:
    computed, useful = asked.numbers(r"^(\d+) rounds computed, (\d+) of them")
    return useful < computed / 2


@cures("07", "Half the load, half the losses", "half as long", "halved")
def _(asked: Asked) -> bool:
    whole, half, tenth = (
        consume(LeaseSettings(cpu=cpu)).lost for cpu in (1.0, 0.5, 0.1)
    )
    return tenth == 0 and half > 0.6 * whole


@cures("07", "It lost nothing, so it is right")
def _(asked: Asked) -> bool:
    free = asked.numbers(r"^0 µs a callback: lost (\d+) to (\d+)")
    (least,) = asked.numbers(r"^1 µs a callback: lost (\d+) to")
    return free == [0, 0] and least > 0


@cures("07", "An urgent task interrupts the others", "Not at all")
def _(asked: Asked) -> bool:
    return asked.numbers(r"priority loop ([\d.]+) s") > [0]


@cures("07", "A lock of an urgent task is taken at once", "inside the lock will do")
def _(asked: Asked) -> bool:
    as_it_is, inside, around = asked.shown().splitlines()
    return "Timeout" in as_it_is and "Timeout" in inside and "has the lock" in around


# Chapter 8


@cures("08", "The CPU is half idle, so the loop is on time")
def _(asked: Asked) -> bool:
    return asked.numbers(r"heartbeat: (\d+) ms")[0] > 100


def blame(asked: Asked) -> list[tuple[float, float, float]]:
    """Waited, held and longest of each row."""
    row = r"^ *([\d.]+) s +([\d.]+) s +([\d.]+) ms"
    return [
        tuple(map(float, columns))  # type: ignore[misc]
        for columns in re.findall(row, asked.shown(), re.M)
    ]


@cures("08", "The culprit is the longest callback")
def _(asked: Asked) -> bool:
    rows = blame(asked)
    return rows[0][2] < max(longest for *_, longest in rows) < 100


@cures("08", "What holds the loop for longest is to blame")
def _(asked: Asked) -> bool:
    rows = blame(asked)
    most = max(rows, key=lambda row: row[1])
    return most[0] < rows[0][0] / 10


@cures(
    "08",
    "What the middleware measures is what the user waits",
    "less than a millisecond",
    "a tenth of a second",
)
def _(asked: Asked) -> bool:
    p90, kernel, queue, ran = asked.numbers(
        r"^ +[\d.]+ +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +GET /basket"
    )
    return ran < 1 < 50 < p90 and kernel > queue > ran


@cures("08", "Smaller pieces always help", "pieces of 2 ms")
def _(asked: Asked) -> bool:
    shown = asked.printed('chunk("POST /report", 0.002)')
    rows = re.findall(r"^(\d+) → (\d+) to (\d+) ms with .*/report (.*)", shown, re.M)
    (now, low, high), (_, _, thread) = (map(int, row[:3]) for row in rows)
    # In pieces it may well be no better; in a thread it is, for sure.
    return high >= now and thread < low


@cures("08", "A refusal can be worked around")
def _(asked: Asked) -> bool:
    sentence = "the unchanged replay does not agree with the recording"
    assert sentence in (ROOT / "book" / "08_your_program.md").read_text("utf-8")
    with pytest.raises(DisagreementError, match=sentence):
        late_for_no_reason().replay(move("tick"))
    return True
