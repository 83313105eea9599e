"""A figure with a slider."""

from livecells import Explorable, Frame

SIZES = 1, 2, 3, 4


def frame(size: int) -> Frame:
    side = 20 * size
    picture = (
        '<svg viewBox="0 0 100 100" width="100" height="100">'
        f'<path fill="none" stroke="currentColor" d="M5 5h{side}v{side}h-{side}z"/>'
        "</svg>"
    )
    return Frame(picture, f"A square of {size} by {size} has an area of {size**2}.")


def explorable() -> Explorable:
    return Explorable(
        title="Squares",
        parameter="Size",
        unit="units",
        values=SIZES,
        frames=[frame(size) for size in SIZES],
        default=2,
        live="size = 2\nsize ** 2",
    )
