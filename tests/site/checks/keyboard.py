"""A page used from the keyboard."""

from __future__ import annotations

import re
from typing import Any

FOCUSED = """
() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const outline = box.height > 0  // a ring around nothing is a stray line
    && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const ringed = inner => inner.outlineStyle !== "none"
    && parseFloat(inner.outlineWidth) > 0 || inner.boxShadow !== "none";
  const inside = ringed(getComputedStyle(element, "::after"))
    || [...element.children].some(child => ringed(getComputedStyle(child)));
  return {
    name: element.tagName.toLowerCase() + "." + element.className,
    text: element.textContent.trim().slice(0, 40),
    href: element.getAttribute("href"),
    body: element === document.body,
    seen: outline || style.boxShadow !== "none" || inside,
    shown: box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0,
  };
}
"""

# What can have the focus while it lies beside the window, as in a drawer that is shut.
OUT_OF_SIGHT = """
() => {
  const beside = box => box.width && (box.right <= 0 || box.left >= innerWidth);
  return [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")]
    .filter(element => {
      if (element.tabIndex < 0 || element.disabled) return false;
      if (!element.checkVisibility({visibilityProperty: true})) return false;
      if (!beside(element.getBoundingClientRect())) return false;
      let box = element.parentElement;
      while (box && !["auto", "scroll"].includes(getComputedStyle(box).overflowX))
        box = box.parentElement;
      if (box && !beside(box.getBoundingClientRect())) return false;
      element.focus({preventScroll: true});  // a skip link comes into sight
      return beside(element.getBoundingClientRect());
    })
    .map(element => element.textContent.trim().slice(0, 40));
}
"""


def out_of_sight(page: Any, address: str) -> list[str]:
    """What takes the focus where nobody sees it."""
    return [
        f"{address}: {text!r} can have the focus beside the window"
        for text in page.evaluate(OUT_OF_SIGHT)
    ]


def keyboard_faults(page: Any, address: str, steps: int = 15) -> list[str]:
    """Whether the page can be used from the keyboard.

    The first Tab shows a skip link that leads to the main content; every stop shows
    that it has the focus; every summary opens and closes with Enter.
    """
    found = []
    page.keyboard.press("Tab")
    first = page.evaluate(FOCUSED)
    for _ in range(200):  # the link may slide into view
        if first["shown"]:
            break
        page.wait_for_timeout(50)
        first = page.evaluate(FOCUSED)
    if not re.match(r"#.", first["href"] or "") or "skip" not in first["text"].lower():
        found.append(f"{address}: the first Tab reaches {first['name']}, no skip link")
    elif not first["shown"]:
        found.append(f"{address}: the skip link is not shown when it has the focus")
    else:
        if not page.locator(first["href"]).count():
            found.append(f"{address}: the skip link leads to no {first['href']}")
        for _ in range(steps):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUSED)
            if stop["body"]:
                break
            if not stop["seen"]:
                found.append(
                    f"{address}: focus cannot be seen on {stop['name']} "
                    f"({stop['text']})"
                )
    found += _summary_faults(page, address)
    return found


UNFOCUSABLE = """
() => [...document.querySelectorAll("article details > summary")].filter(summary => {
  if (!summary.checkVisibility({visibilityProperty: true})) return false;  // folded
  summary.focus({preventScroll: true});
  return summary !== document.activeElement;
}).length
"""

PRESSED = 5  # summaries of a page; what Enter does there the browser does alike


def _summary_faults(page: Any, address: str) -> list[str]:
    missed = page.evaluate(UNFOCUSABLE)
    found = [f"{address}: a summary cannot have the focus"] * missed
    seen = page.locator("article details > summary").locator("visible=true")
    for summary in seen.all()[:PRESSED]:
        is_open = "element => element.parentElement.open"
        before = summary.evaluate(is_open)
        summary.focus()
        page.keyboard.press("Enter")
        if summary.evaluate(is_open) == before:
            text = " ".join(summary.inner_text().split())
            found.append(f"{address}: Enter does not open the summary {text!r}")
        page.keyboard.press("Enter")
    return found
