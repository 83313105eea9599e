"""An experiment that can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import need_function
from ontime.check.verdict import NotYet

_USUAL = {"interval": 0.005, "gap": 0.000_001, "cores": 2}


def _worlds() -> dict[str, tuple[Callable[..., float], set[str]]]:
    """Programs that are slow, and what each is slow for."""

    def lock(gap: float) -> float:
        return 0.4 if gap < 0.000_05 else 0.001

    def core(cores: float) -> float:
        return 0.4 if cores < 9 else 0.001

    return {
        "the wake-ups come too late": (
            lambda interval, gap, cores: 0.01 + lock(gap),
            {"gap"},
        ),
        "a thread holds the lock": (
            lambda interval, gap, cores: 0.01 + 80 * interval,
            {"interval"},
        ),
        "threads want a core": (
            lambda interval, gap, cores: 0.01 + core(cores),
            {"cores"},
        ),
        "it waits for a database": (lambda interval, gap, cores: 0.41, set()),
        "two queues, one after the other": (
            lambda interval, gap, cores: 0.01 + lock(gap) / 2 + core(cores) / 2,
            {"gap", "cores"},
        ),
        "two queues, and the longer one counts": (
            lambda interval, gap, cores: 0.01 + max(lock(gap), core(cores)),
            {"gap", "cores"},
        ),
        "a thread that holds the lock, and too few cores": (
            lambda interval, gap, cores: 0.01 + 40 * interval + core(cores) / 2,
            {"interval", "cores"},
        ),
    }


@exercise("06-xcauses", need_function, "causes")
def check_causes(answer: Any) -> str:
    """The answer is a plain function ``causes(measure)``.

    ``measure(interval=0.005, gap=1e-6, cores=2)`` runs a program that is slow and
    returns its seconds.  The answer returns the set of the names on which they depend.
    """
    most = 0
    for name, (world, wanted) in _worlds().items():
        asked: list[dict[str, float]] = []

        def measure(
            interval: float = 0.005,
            gap: float = 0.000_001,
            cores: int = 2,
            world: Callable[..., float] = world,
            asked: list[dict[str, float]] = asked,
        ) -> float:
            asked.append({"interval": interval, "gap": gap, "cores": cores})
            if len(asked) > 100:
                raise NotYet("it has measured a hundred times.", "eight will do")
            return world(interval, gap, cores)

        named = answer(measure)
        if isinstance(named, (list, tuple, frozenset)):
            named = set(named)
        if not isinstance(named, set) or not named <= set(_USUAL):
            raise NotYet(
                f"causes() returned {named!r}.",
                "a set of names out of 'interval', 'gap' and 'cores'",
            )
        most = max(most, len(asked))
        if named == wanted:
            continue
        alone = {
            frozenset(key for key in settings if settings[key] != _USUAL[key])
            for settings in asked
        }
        raise NotYet(
            f"{name}: you say {_listed(named)}, and it is {_listed(wanted)}.",
            _hint_for(named, wanted, alone),
        )
    return (
        f"seven programs, seven right answers; none of them took more than {most} "
        "measurements."
    )


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names)) or "none of them"


def _hint_for(named: set[str], wanted: set[str], tried: set[frozenset[str]]) -> str:
    if not any(tried):
        return (
            "a figure that fits is no proof: change what the suspicion names, and see "
            "whether the seconds follow"
        )
    if named > wanted:
        return "change one thing at a time, or you cannot tell which of them helped"
    if not any(len(changed) == 2 for changed in tried):
        return (
            "a cause can stand behind another: what one change alone does not show, "
            "the same change may show where another has been made"
        )
    return "it depends on a setting if changing it alone matters in any of the cases"
