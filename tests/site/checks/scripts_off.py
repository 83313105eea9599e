"""What a reader without scripts misses."""

from __future__ import annotations

from typing import Any

ARTICLE_TEXT = """
() => {
  const article = (document.querySelector("article") || document.body).cloneNode(true);
  const helpers = "script, style, button, .headerlink, .toggle-hint, noscript, "
    + ".livecells-absent, .explorable-absent, .livecells-bar, .livecell-toolbar, "
    + ".livecell-messages, .lp-moving, samp.film, .prediction, .prediction-kept, "
    + ".prediction-count";
  for (const element of article.querySelectorAll(helpers)) element.remove();
  return article.textContent;
}
"""

HIDDEN_OUTPUTS = """
() => {
  const found = [];
  for (const output of document.querySelectorAll(".cell_output > *")) {
    if (output.closest("details:not([open])")) continue;
    if (!output.textContent.trim() && !output.querySelector("img, svg")) continue;
    const box = output.getBoundingClientRect();
    const style = getComputedStyle(output);
    if (!box.height || !box.width || style.visibility === "hidden")
      found.push(output.className + ": " + output.textContent.trim().slice(0, 60));
  }
  return found;
}
"""

MISSING_FROM_VIEW = """
() => {
  const found = [];
  const article = document.querySelector("article") || document.body;
  for (const element of article.querySelectorAll("h1, h2, h3, h4, p, li, td, pre")) {
    if (element.closest("details:not([open]), [aria-hidden=true], .visually-hidden"))
      continue;
    // <noscript> says it instead
    if (element.matches(".livecells-absent, .explorable-absent")) continue;
    if (!element.textContent.trim()) continue;
    if (!element.getClientRects().length)
      found.push(element.tagName.toLowerCase() + ": "
        + element.textContent.trim().slice(0, 60));
  }
  return found;
}
"""


def article_text(page: Any) -> list[str]:
    """The words of the article, without what scripts add to help (buttons)."""
    return str(page.evaluate(ARTICLE_TEXT)).split()


def lost_without_scripts(page: Any, address: str, words: list[str]) -> list[str]:
    """What a reader without scripts misses of ``words``, the text with scripts."""
    found = []
    plain = article_text(page)
    if plain != words:
        at = next(
            (i for i, (a, b) in enumerate(zip(plain, words, strict=False)) if a != b),
            min(len(plain), len(words)),
        )
        found.append(
            f"{address}: the text differs without scripts: "
            f"{' '.join(plain[at : at + 8])!r} against "
            f"{' '.join(words[at : at + 8])!r}"
        )
    for what in page.evaluate(HIDDEN_OUTPUTS):
        found.append(f"{address}: output not visible without scripts: {what}")
    for what in page.evaluate(MISSING_FROM_VIEW):
        found.append(f"{address}: not visible without scripts: {what}")
    return found
