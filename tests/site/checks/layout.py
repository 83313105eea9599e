"""What is too wide, cut, or scrolls without a sign of it."""

from __future__ import annotations

import base64
from typing import Any

from tests.site.checks.settings import NARROW

WIDE_ELEMENTS = """
width => {
  const found = [];
  for (const element of document.querySelectorAll("main *")) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > width + 1) {
      found.push(element.tagName.toLowerCase() + "." + element.className);
    }
  }
  return found.slice(0, 3);
}
"""


def too_wide(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Whether the page must be scrolled sideways on a screen of that width."""
    page.set_viewport_size({"width": width, "height": 844})
    actual = page.evaluate("document.scrollingElement.scrollWidth")
    if actual <= width:
        return []
    elements = ", ".join(page.evaluate(WIDE_ELEMENTS, width))
    return [f"{address}: is {actual} px wide on a screen of {width}: {elements}"]


# The boxes in which a table or code scrolls, also in folds, which are opened; of code
# the first two, since one rule is for all. All else is made invisible, tables and words
# too, so that a picture shows the box itself.
SCROLLING = """
() => {
  const found = new Set();
  const ground = box => {
    const colour = getComputedStyle(box).backgroundColor;
    const clear = colour.endsWith(", 0)") && box.parentElement;
    return clear ? ground(box.parentElement) : colour;
  };
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const table of document.querySelectorAll("article table")) {
    let box = table;
    while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowX))
      box = box.parentElement;
    // Less than that is the padding of a cell, and no word of it.
    if (box && box !== table && box.scrollWidth > box.clientWidth + 12) {
      table.style.visibility = "hidden";
      box.style.visibility = "visible";
      box.style.backgroundColor = ground(box);  // below the sign; it stays in sight
      found.add(box);
    }
  }
  const code = [...document.querySelectorAll("article pre")]
    .filter(box => box.scrollWidth > box.clientWidth + 12 && box.checkVisibility());
  for (const box of code.slice(0, 2)) {
    box.style.visibility = "visible";
    box.style.color = "transparent";
    box.style.backgroundColor = ground(box);
    for (const word of box.children) word.style.visibility = "hidden";
    found.add(box);
  }
  document.body.style.visibility = "hidden";
  return [...found];
}
"""

# How light the first, the middle and the last column of pixels are, 0 to 255.
LIGHTNESS = """
async png => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const {width, height} = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  return [1, Math.floor(width / 2), width - 2].map(x => {
    const {data} = context.getImageData(x, 0, 1, height);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2];
    return sum / height / 3;
  });
}
"""

SEEN = 12  # of 255: what an eye sees beside the ground's own colour


def boxes_without_a_sign(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Tables and code whose box does not show at which side there is more to scroll to.

    The page is of no use afterwards: most of it is invisible.
    """
    page.set_viewport_size({"width": width, "height": 844})
    boxes = page.evaluate_handle(SCROLLING).get_properties().values()
    found = []
    for number, box in enumerate((box.as_element() for box in boxes), start=1):
        where = f"{address}: scrolling box {number}"
        for at, x, expected in (
            ("beginning", 0, (False, True)),
            ("end", 1e6, (True, False)),
        ):
            box.evaluate("(box, x) => { box.scrollLeft = x; }", x)
            picture = base64.b64encode(box.screenshot()).decode()
            left, middle, right = page.evaluate(LIGHTNESS, picture)
            shown = (abs(left - middle) > SEEN, abs(right - middle) > SEEN)
            for side, sign, more in zip(
                ("left", "right"), shown, expected, strict=True
            ):
                if sign != more:
                    wrong = "a sign of more" if sign else "no sign of more"
                    found.append(f"{where}: at its {at}, {wrong} at its {side}")
    return found


CUT = """
() => [...document.querySelectorAll("article .cell_output pre")]
  .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 2)
  .map(one => one.textContent.trim().slice(0, 40))
"""


def cut_outputs(page: Any, address: str) -> list[str]:
    """What a cell prints and a wide screen does not show without scrolling."""
    return [f"{address}: cut at the right: {text!r}" for text in page.evaluate(CUT)]


CUT_WORDS = """
() => [...document.querySelectorAll("article svg.looplab-chart text")]
  .filter(text => {
    const word = text.getBoundingClientRect();
    const chart = text.closest("svg").getBoundingClientRect();
    return word.width && (word.left < chart.left - 1 || word.right > chart.right + 1);
  })
  .map(text => text.textContent)
"""


def cut_words(page: Any, address: str, width: int = NARROW) -> list[str]:
    """Words of a chart that do not fit into it on a screen of that width."""
    page.set_viewport_size({"width": width, "height": 844})
    words = page.evaluate(CUT_WORDS)
    return [f"{address}: a chart cuts {text!r}" for text in words]
