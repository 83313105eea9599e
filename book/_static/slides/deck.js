// Shows the slides, by reveal.js where the window is large enough, and sees that they fit.

import Notes from "./reveal/notes.mjs";
import Reveal from "./reveal/reveal.mjs";

const STEPS = [1, 0.93, 0.86, 0.8, 0.74, 0.68]; // sizes that text is tried in
const [LARGEST, SMALLEST] = [24, 12.5]; // letters of code, as in slide_room.py
const CODE = `.cell_input > div, .cell_input .highlight, .cell_input pre,
  .cell_output:not(:has(table)), .cell_output pre`;
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
  return isOver(body);
}

function isOver(box) {
  return box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
}

/** Make the text of a slide as small as it must be. */
function fitText(slide) {
  const body = slide.querySelector(".slide-body");
  for (const step of STEPS) {
    body.style.setProperty("--fit", step);
    if (!isTooMuch(slide)) return;
  }
}

/** Make the code of a cell as large as its slide lets it be; the build only estimates. */
function fitCode(slide) {
  // An editor would misread where the mouse is if it were zoomed, so letters change size.
  const boxes = slide.querySelectorAll(CODE);
  slide.dataset.measured = ""; // no line of an output wraps meanwhile
  for (let size = LARGEST; size >= SMALLEST; size -= 0.5) {
    slide.style.setProperty("--code", `${size}px`);
    if (!isTooMuch(slide) && ![...boxes].some(isOver)) break;
  }
  delete slide.dataset.measured;
}

/** Mark the boxes that scroll, so that the keyboard reaches them. */
function markScrolling(part) {
  const boxes = "pre, .cell_output, table, .highlight, .cell_input > div:first-child";
  for (const box of part.querySelectorAll(boxes)) {
    const scrolls = isOver(box);
    box.toggleAttribute("data-scrolls", scrolls);
    if (scrolls) box.tabIndex = 0;
  }
}

/** See that a slide on the stage fits, answers opened. */
function fit(slide) {
  const body = slide?.querySelector(".slide-body");
  if (!body) return;
  if (!("fit" in slide.dataset)) {
    const folds = [...body.querySelectorAll("details:not([open])")];
    for (const fold of folds) fold.open = true;
    if (!slide.classList.contains("slide-cell")) fitText(slide);
    else if (!slide.classList.contains("with-picture")) fitCode(slide);
    for (const fold of folds) fold.open = false;
    slide.dataset.fit = "";
  }
  markScrolling(body);
}

// -------------------------------------------------- one by one, or below one another

// On a phone, or in a window that is zoomed, a slide at the size of the window would have
// letters that nobody can read: there the slides stand below one another, as a page.
const small = matchMedia("screen and (max-width: 63.9em), screen and (max-height: 29.9em)");
// The windows of the speaker's notes show slides, however small they are.
const isPreview = new URLSearchParams(location.search).has("receiver");
const reveal = document.querySelector(".reveal");
const main = reveal.parentElement;
const slides = [...reveal.querySelectorAll(".slides > section")];
const bar = document.querySelector(".deck-bar");
const foot = bar.parentElement;
let deck = null;
let reading = { slide: 0, width: 0 }; // what is read on the page, and in which width

/** Show one slide at a time, at the size of the window. */
async function showStage(first) {
  root.classList.add("deck-stage");
  foot.append(bar);
  main.classList.add("reveal-viewport");
  const mine = new Reveal(reveal, {
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
  window.deck = deck = mine; // for a test, and for a teacher's own script
  await mine.initialize();
  if (deck !== mine) return; // the window has become small meanwhile
  if (first !== undefined) mine.slide(first);
  fit(mine.getCurrentSlide());
  mine.on("slidechanged", ({ currentSlide }) => fit(currentSlide));
}

/** Show the slides below one another, from the one that was shown. */
function showPage() {
  const first = deck ? deck.getIndices().h : parseInt(location.hash.slice(2), 10);
  deck?.destroy();
  window.deck = deck = null;
  root.classList.remove("deck-stage");
  main.before(bar); // where it stays in sight
  for (const slide of slides) {
    slide.classList.remove("past", "present", "future");
    markScrolling(slide);
  }
  goTo(first || 0);
}

/** Scroll to a slide of the page. */
function goTo(slide) {
  reading = { slide, width: innerWidth };
  if (slide > 0) slides[slide]?.scrollIntoView({ behavior: "instant" });
}

/** The number of the slide that stands first in the window, below the bar. */
function placeOnPage() {
  return slides.findIndex((one) => one.getBoundingClientRect().bottom > 100);
}

async function show() {
  if (matchMedia("print").matches) return;
  if (!small.matches || isPreview) {
    if (!deck) await showStage(root.dataset.deck ? reading.slide : undefined);
  } else if (deck || !root.dataset.deck) {
    showPage();
  }
}

root.classList.remove("deck-waiting");
await show();
small.addEventListener("change", show);
addEventListener("scroll", () => {
  // Another width moves all slides before it is known here: that is nobody's scrolling.
  if (!deck && reading.width === innerWidth) reading.slide = placeOnPage();
});
addEventListener("resize", () => {
  if (!deck && small.matches && reading.width !== innerWidth) goTo(reading.slide);
});

// The bar of the live cells stands outside the slides.
const move = () => {
  const ours = document.querySelector(".slides .livecells-bar, [hidden] .livecells-bar");
  if (ours) bar.append(ours);
  return Boolean(ours);
};
if (!move()) {
  const watch = new MutationObserver(() => move() && watch.disconnect());
  watch.observe(document.body, { childList: true, subtree: true });
}

document.querySelector(".deck-notes").addEventListener("click", () => {
  deck?.getPlugin("notes").open();
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

root.dataset.deck = "ready";
