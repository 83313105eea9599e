"""What axe-core, those who see nothing and those whom movement harms would find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.site.checks.settings import AXE

SETTLED = """
() => Promise.all(document.getAnimations()
  .filter(animation => isFinite(animation.effect.getComputedTiming().endTime))
  .map(animation => animation.finished.catch(() => null)))
  .then(() => null)
"""

#: The rules of axe-core that depend on the colours of a page.
COLOURS = ("color-contrast", "link-in-text-block")

#: The rule that depends on how wide a page is.
WIDTHS = ("scrollable-region-focusable",)


def axe_violations(page: Any, address: str, only: Sequence[str] = ()) -> list[str]:
    """Serious and critical findings of axe-core on the page as it stands.

    Args:
        page: of the browser.
        address: what the findings call it.
        only: the rules to try; without it all that axe-core tries by itself.
    """
    page.evaluate(SETTLED)  # colours that still fade in would be judged wrongly
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = list(only)
    results = page.evaluate("options => axe.run(document, options)", options)
    found = []
    for violation in results["violations"]:
        if violation["impact"] in {"serious", "critical"}:
            nodes = violation["nodes"]
            first = " ".join(str(nodes[0]["html"]).split())[:160]
            found.append(
                f"{address}: {violation['id']} ({violation['impact']}, "
                f"{len(nodes)} times): {violation['help']}: {first}"
            )
    return found


THEME = """
scheme => [scheme, undefined].includes(document.documentElement.dataset.theme)
"""


def switch_scheme(page: Any, scheme: str, seconds: float = 600) -> None:
    """Let the reader's system change its colour scheme, and wait until the page has.

    Raises:
        playwright.sync_api.TimeoutError: The page does not follow in time.
    """
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(THEME, arg=scheme, timeout=1000 * seconds)


WITHOUT_ALTERNATIVE = r"""
() => {
  const found = [];
  const hidden = element => element.closest("[aria-hidden=true], [role=presentation]");
  const text = ids => (ids || "").split(/\s+/).filter(Boolean)
    .map(id => document.getElementById(id)?.textContent || "").join(" ").trim();
  const describe = element =>
    element.outerHTML.slice(0, 120).replace(/\s+/g, " ");
  for (const image of document.querySelectorAll("img, input[type=image]")) {
    if (hidden(image)) continue;
    const alt = image.getAttribute("alt");
    if (alt === null) found.push("no alt: " + describe(image));
    else if (!alt.trim() && image.closest("article"))
      found.push("empty alt in the text: " + describe(image));
    else if (/\.(png|jpe?g|svg|gif|webp)$/i.test(alt.trim()))
      found.push("alt is the name of a file: " + describe(image));
  }
  for (const picture of document.querySelectorAll("svg")) {
    if (picture.parentElement.closest("svg") || hidden(picture)) continue;
    // The icon of a button that has a name of its own.
    const control = picture.closest("button, a");
    if (control && (control.getAttribute("aria-label") || control.textContent).trim())
      continue;
    const named = (picture.getAttribute("aria-label") || "").trim()
      || text(picture.getAttribute("aria-labelledby"))
      || picture.querySelector(":scope > title")?.textContent.trim();
    const role = picture.querySelector("a") ? "group" : "img";
    if (!named || picture.getAttribute("role") !== role)
      found.push("svg without a name and role " + role + ": " + describe(picture));
  }
  for (const canvas of document.querySelectorAll("canvas, object, embed")) {
    if (!hidden(canvas) && !canvas.textContent.trim()
        && !canvas.getAttribute("aria-label"))
      found.push("no text alternative: " + describe(canvas));
  }
  return found;
}
"""


def without_alternative(page: Any, address: str) -> list[str]:
    """Pictures that say nothing to those who do not see them."""
    return [f"{address}: {text}" for text in page.evaluate(WITHOUT_ALTERNATIVE)]


MOVING = """
() => {
  const long = times => times.split(",").some(time => parseFloat(time) > 0.001);
  const found = new Set();
  for (const element of document.querySelectorAll("*")) {
    const {transitionProperty, transitionDuration, animationName, animationDuration}
      = getComputedStyle(element);
    if (transitionProperty !== "none" && long(transitionDuration))
      found.add(transitionProperty);
    if (animationName !== "none" && long(animationDuration)) found.add(animationName);
  }
  return [...found];
}
"""


def moving(page: Any, address: str) -> list[str]:
    """What would move on the page, for longer than a millisecond."""
    return [f"{address}: {name} is animated" for name in page.evaluate(MOVING)]
