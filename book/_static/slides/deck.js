// Starts reveal.js, and sees that what a slide shows fits.

import Notes from "./reveal/notes.mjs";
import Reveal from "./reveal/reveal.mjs";

const STEPS = [1, 0.93, 0.86, 0.8, 0.74, 0.68]; // sizes that text is tried in
const root = document.documentElement;

/** Whether a key belongs to what has the focus: a button, a slider, an editor. */
function isTaken({ key, target }) {
  if (!(target instanceof Element)) return false;
  if (target.closest(".livecell-editor, input, textarea, select")) return true;
  const control = target.closest("button, summary, a[href]");
  if (control && (key === "Enter" || key === " ")) return true;
  const box = target.closest("[data-scrolls]");
  return Boolean(box) && key.startsWith("Arrow");
}

/** Whether a slide's content leaves its room. */
function isTooMuch(slide) {
  const body = slide.querySelector(".slide-body");
  return body.scrollHeight > body.clientHeight + 1 || body.scrollWidth > body.clientWidth + 1;
}

/** Make the text of a slide as small as it must be, answers opened. */
function fit(slide) {
  if (!slide) return;
  const body = slide.querySelector(".slide-body");
  if (!body) return;
  if (!slide.dataset.fit) {
    const folds = [...body.querySelectorAll("details:not([open])")];
    for (const fold of folds) fold.open = true;
    // An editor would misread where the mouse is, so the size of code is set by the build.
    if (!slide.classList.contains("slide-cell")) {
      for (const step of STEPS) {
        body.style.setProperty("--fit", step);
        if (!isTooMuch(slide)) break;
      }
    }
    for (const fold of folds) fold.open = false;
    slide.dataset.fit = body.style.getPropertyValue("--fit") || "1";
  }
  const boxes = "pre, .cell_output, table, .highlight, .cell_input > div:first-child";
  for (const box of body.querySelectorAll(boxes)) {
    const scrolls =
      box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    box.toggleAttribute("data-scrolls", scrolls);
    if (scrolls) box.tabIndex = 0;
  }
}

const deck = new Reveal(document.querySelector(".reveal"), {
  embedded: true,
  width: 1280,
  height: 720,
  margin: 0,
  minScale: 0.1,
  maxScale: 4,
  center: false,
  hash: true,
  controls: true,
  controlsTutorial: false,
  progress: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  scrollActivationWidth: 0,
  keyboardCondition: (event) => !isTaken(event),
  plugins: [Notes],
});

root.classList.remove("deck-waiting");
await deck.initialize();
fit(deck.getCurrentSlide());
deck.on("slidechanged", ({ currentSlide }) => fit(currentSlide));

// The bar of the live cells stands below all slides.
const foot = document.querySelector(".deck-bar");
const move = () => {
  const bar = document.querySelector(".slides .livecells-bar, [hidden] .livecells-bar");
  if (bar) foot.append(bar);
  return Boolean(bar);
};
if (!move()) {
  const watch = new MutationObserver(() => move() && watch.disconnect());
  watch.observe(document.body, { childList: true, subtree: true });
}

document.querySelector(".deck-notes").addEventListener("click", () => {
  deck.getPlugin("notes").open();
});
document.querySelector(".deck-theme").addEventListener("click", () => {
  const theme = root.dataset.theme === "dark" ? "light" : "dark";
  root.dataset.theme = root.dataset.mode = theme;
  try {
    localStorage.setItem("mode", theme);
    localStorage.setItem("theme", theme);
  } catch {
    // Without a store the choice lasts as long as this page.
  }
});

window.deck = deck; // for a test, and for a teacher's own script
root.dataset.deck = "ready";
