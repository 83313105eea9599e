// Shows the slides, by reveal.js where the window is large enough.

import Notes from "./reveal/notes.mjs";
import Reveal from "./reveal/reveal.mjs";

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

function isOver(box) {
  return box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
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

// ---------------------------------------------------------- what a cell prints

/** Keep what a cell prints out of sight until it has run, or somebody asks for it. */
function ask(slide) {
  const cell = slide.querySelector(".slide-body > .cell");
  if (!cell.querySelector(".cell_output")) return;
  const button = document.createElement("button");
  button.className = "deck-show";
  button.textContent = "Show what it prints";
  button.onclick = () => {
    slide.classList.add("is-shown");
    markScrolling(slide);
  };
  cell.append(button);
  new MutationObserver(() => {
    if (/^(ran|error|stopped)$/.test(cell.dataset.livecellState)) button.click();
  }).observe(cell, { attributeFilter: ["data-livecell-state"] });
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

/** What a slide needs once it is in sight. */
function turn(slide) {
  // The bar of the live cells belongs to slides that have one.
  root.classList.toggle("deck-cell", Boolean(slide.querySelector(".slide-body .livecell")));
  markScrolling(slide);
}

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
  turn(mine.getCurrentSlide());
  mine.on("slidechanged", ({ currentSlide }) => turn(currentSlide));
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
  return slides.findIndex((slide) => slide.getBoundingClientRect().bottom > 100);
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
slides.filter((slide) => slide.matches(".slide-cell")).forEach(ask);
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
