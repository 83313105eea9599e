"""The fixtures of the fast tests of this room."""

from tests.fast.ontime.grade.conftest import exercises, grader, prepared

__all__ = [
    "exercises",
    "grader",
    "prepared",
]
