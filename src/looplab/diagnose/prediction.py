"""What a change would bring, as a range, or a refusal to say.

The unchanged replay comes first, a few times, since a selector rounds what it waits up
to a millisecond.  Where the recording lies outside of what they give, something ruled
that a replay does not know, such as a shortage of cores: then nothing is predicted of
that endpoint or timer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from looplab._numbers import percentile
from looplab._words import seconds

from .naming import WAKERS, name_of
from .replaying import Plan, replay
from .report import shortage, table

if TYPE_CHECKING:
    from .changes import Change
    from .recording import Recording

SHARES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
_TOLERANCE = 0.15  # of a recorded time, or
_TOLERANCE_S = 0.010  # these seconds, whichever is more
_PHASES = 2  # unchanged replays beside the first, each rounded in another way
_SHORT = 0.05  # of the time: the thread wanted a core and had none
_LIKELY = 1.96  # standard deviations: 19 of 20 draws lie within
#: Two recordings of one program differ by more than chance: by less than this share of
#: the time, or than these seconds, whichever is more.  ``benchmarks.diagnose_truth``
#: says what it saw, on programs in which nothing changes.
UNLIKE, UNLIKE_S = 0.09, 0.000_41
_FEWEST = 20  # values below which a percentile is not held against a replay


class DisagreementError(RuntimeError):
    """No unchanged replay is what was recorded, so no prediction would hold."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One time, recorded and predicted.  Seconds.

    Attributes:
        name: an endpoint, or whose timers were late.
        what: ``p50``, ``p90`` or ``p99``.
        count: of how many values.
        recorded: what the recording says.
        low: the least that the change would make of it.
        high: and the most.
        least: the least that another recording of the unchanged program would say.
        most: and the most.
    """

    name: str
    what: str
    count: int
    recorded: float
    low: float
    high: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """What changes would bring.

    Attributes:
        changes: the changes.
        figures: latencies of requests by endpoint, then lateness of timers.
        recordings: the replays that the range spans.
        warning: what makes the figures doubtful; empty if nothing does.
        refused: of what nothing is predicted, and why.

    Introduced in the chapter *Diagnose your own program*.
    """

    changes: tuple[Change, ...]
    figures: tuple[Figure, ...]
    recordings: tuple[Recording, ...]
    warning: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)

    def figure(self, name: str, what: str = "p90") -> Figure:
        """The figure of an endpoint.

        Raises:
            KeyError: if there is none.
            DisagreementError: if nothing is predicted of it.
        """
        for figure in self.figures:
            if (figure.name, figure.what) == (name, what):
                return figure
        if name in self.refused:
            raise DisagreementError(self.refused[name])
        raise KeyError(f"no figure {what} of {name!r}")

    def harmed(self, name: str) -> Figure:
        """The figure of *name* at the lowest percentile at which it suffers: where it
        is at least half of the p99.

        Raises:
            KeyError: if there is none.
            DisagreementError: if nothing is predicted of it.
        """
        figures = [self.figure(name, what) for what, _ in SHARES]
        worst = figures[-1].recorded
        return next(figure for figure in figures if figure.recorded >= worst / 2)

    def __str__(self) -> str:
        rows: dict[str, list[str]] = {}
        for each in self.figures:
            cells = rows.setdefault(each.name, [each.name, f"{each.count:,}"])
            cells.append(f"{seconds(each.recorded)} → {span(each.low, each.high)}")
        head = ["", "n", *(f"{what} now → then" for what, _ in SHARES)]
        title = f"what if {' and '.join(map(str, self.changes))}:"
        remarks = filter(None, [self.warning, *self.refused.values()])
        lines = table([head, *rows.values()])
        return "\n".join([title, *lines, *(f"{text}." for text in remarks)])


def span(low: float, high: float) -> str:
    """A range in words; one time where both ends read alike."""
    first, last = seconds(low), seconds(high)
    return first if first == last else f"{first} – {last}"


def predict(recording: Recording, *changes: Change) -> Prediction:
    """Return what *changes* would have brought.

    Raises:
        DisagreementError: if no row of the unchanged replay is as it was recorded.
        NothingMatchesError: if nothing ran that a change names.
    """
    exact = recording.clock == "virtual"
    plan = Plan(recording, changes)  # it says at once what a change does not match
    was = times(recording)
    seeds = [-1] if exact else range(-1, _PHASES)
    again = [times(replay(recording, seed=seed)) for seed in seeds]
    errors, refused = _compare(recording, was, again)
    if was and len(refused) == len(was):
        texts = next(iter(refused.values())), _shortage(recording)
        raise DisagreementError(". ".join(filter(None, texts)))
    replays = [replay(recording, *changes)]
    if any(change.kind == "move" for change in changes):
        replays.append(replay(recording, *changes, lock_held=True))
    predicted = [times(replayed) for replayed in replays]
    figures = []
    ends = exactly if exact else another
    for name, values in was.items():
        if name in refused or not all(name in each for each in predicted):
            continue
        for what, share in SHARES:
            after = [end for each in predicted for end in ends(each[name], share)]
            error, at = errors[name, what], percentile(values, 100 * share)
            then = max(0.0, min(after) - error), max(after) + error
            now = ends(values, share)
            figures.append(Figure(name, what, len(values), at, *then, *now))
    warning = ". ".join(filter(None, [*plan.warnings, _shortage(recording)]))
    return Prediction(changes, tuple(figures), tuple(replays), warning, refused)


def exactly(values: Sequence[float], share: float) -> tuple[float, float]:
    """On the virtual clock another recording is the same."""
    return (percentile(values, 100 * share),) * 2


def another(values: Sequence[float], share: float) -> tuple[float, float]:
    """Between which two times a percentile of another recording lies, 19 times of 20.

    Args:
        values: what one recording of the program says.  Seconds.
        share: of the values that lie below the percentile, 0 to 1.
    """
    low, high = by_chance(values, share)
    least = low - max(UNLIKE_S, UNLIKE * low)
    return max(0.0, least), high + max(UNLIKE_S, UNLIKE * high)


def by_chance(values: Sequence[float], share: float) -> tuple[float, float]:
    """The same if recordings differed by nothing but chance.

    Each is a draw of so many values, so the variances of the two add.
    """
    margin = float(_LIKELY * (2 * share * (1 - share) / len(values)) ** 0.5)
    low, high = max(0.0, share - margin), min(1.0, share + margin)
    return percentile(values, 100 * low), percentile(values, 100 * high)


def times(recording: Recording) -> dict[str, list[float]]:
    """Latencies of requests by endpoint; then lateness of timers, by whom they woke."""
    values: dict[str, list[float]] = {}
    for request in recording.requests():
        values.setdefault(request.endpoint, []).append(request.latency)
    for callback in recording.callbacks:
        if callback.due_ns is not None and callback.code.name not in WAKERS:
            # Of a task that slept it is the step that it woke in.
            name = f"timers of {name_of(recording, callback)}"
            late = max(0, callback.run_ns - callback.due_ns) / 1e9
            values.setdefault(name, []).append(late)
    return values


def _compare(
    recording: Recording,
    was: Mapping[str, Sequence[float]],
    again: Sequence[Mapping[str, Sequence[float]]],
) -> tuple[dict[tuple[str, str], float], dict[str, str]]:
    """How far each figure lies outside of the unchanged replays, and what is refused
    because that is too far."""
    errors, refused = {}, {}
    exact = recording.clock == "virtual"
    for (name, values), (what, share) in product(was.items(), SHARES):
        before = percentile(values, 100 * share)
        after = [percentile(each.get(name, [0.0]), 100 * share) for each in again]
        off = max(0.0, min(after) - before, before - max(after))
        errors[name, what] = off
        allowed = 0.0 if exact else max(_TOLERANCE_S, _TOLERANCE * before)
        if len(values) >= _FEWEST and off > allowed and name not in refused:
            refused[name] = (
                "the unchanged replay does not agree with the recording: "
                f"{what} of {name} was {seconds(before)}, and the replay gives "
                f"{span(min(after), max(after))}, so nothing is predicted of it"
            )
    return errors, refused


def _shortage(recording: Recording) -> str:
    """What to say where cores were short; nothing where they were not."""
    short = shortage(recording, _SHORT)
    more = "which a replay does not know. Record again while the machine has a core"
    return f"{short}, {more} to spare" if short else ""
