// <figure class="loop-player">still <samp class="film">{…}</samp></figure> becomes a loop
// that moves. The data are numbers and names; nothing of them is read as markup. The
// still stays where it is, for a printer.

import { clamp, decode, END, frame, measure, poster, when } from "./frame.js";

const calm = matchMedia("(prefers-reduced-motion:reduce)");
const CALM_STEP = 900; // ms
const SVG = "http://www.w3.org/2000/svg";
const CHIP =
  '<rect height="26"/>' +
  '<path class="lp-ic" d="M14.5 7.5a5.5 5.5 0 1 0 .01 0M14.5 10v3l2 1.5"/>' +
  '<text y="17"></text>';
const PLAY = "M3 1l11 7-11 7z";
const PAUSE = "M3 1h4v14H3zM9 1h4v14H9z";
const BUTTONS = [
  ["Play", PLAY],
  ["Back", "M11 2L4 8l7 6z"],
  ["Next callback", "M5 2l7 6-7 6z"],
  ["Next iteration", "M2 2l6 6-6 6zM9 2h3v12H9z"],
];
const players = new Set(); // all of the page: one may keep the time of another

const button = ([label, path]) =>
  `<button type="button" aria-label="${label}" title="${label}">` +
  `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg></button>`;

class Player {
  constructor(figure) {
    const data = JSON.parse(figure.querySelector(".film").textContent);
    this.film = decode(data);
    this.title = data.title;
    this.label = data.label;
    this.follows = data.follows;
    // Where it stands: a step of the film, and how far into it.
    this.moment = Number.isFinite(data.at) ? when(this.film, data.at) : poster(this.film);
    this.isFresh = true;
    this.chips = new Map(); // key -> element
    this.#build(figure);
    players.add(this);
    this.#draw(); // an observer says nothing of what is hidden
    new ResizeObserver(() => this.#draw()).observe(this.box);
    document.fonts?.addEventListener("loadingdone", () => (measure(), this.#draw()));
    figure.addEventListener("guess", () => this.#draw()); // in data-guess
  }

  #build(figure) {
    this.box = document.createElement("div");
    this.box.className = "lp-moving";
    this.box.innerHTML =
      '<p class="lp-title"></p><svg role="img"><g></g><g></g><g></g></svg><div class="lp-bar">' +
      BUTTONS.map(button).join("") +
      `<input type="range" min="0" max="${this.film.length}" step="any" aria-label="Moment">` +
      "</div><output></output>";
    figure.prepend(this.box);
    this.box.firstChild.textContent = String(this.title ?? "").slice(0, 100);
    this.box.firstChild.hidden = !this.title;
    this.picture = this.box.querySelector("svg");
    [this.back, this.layer, this.front] = this.picture.children;
    this.slider = this.box.querySelector("input");
    const spoken = this.box.lastChild;
    const [play, ...steps] = this.box.querySelectorAll("button");
    this.playButton = play;
    play.onclick = () => this.play();
    const back = () => this.#step(-1);
    const next = () => this.#step(1);
    const iteration = () => this.#iteration(1);
    [back, next, iteration].forEach((act, i) => {
      steps[i].onclick = () => {
        act();
        spoken.textContent = this.words;
      };
    });
    this.slider.oninput = () => this.#seek(this.#at(+this.slider.value));
    const keys = {
      ArrowLeft: back,
      ArrowRight: next,
      ArrowDown: iteration,
      ArrowUp: () => this.#iteration(-1),
      Home: () => this.#seek(0),
      End: () => this.#seek(this.film.last),
    };
    this.box.onkeydown = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const isSpace = event.key === " " && event.target.localName !== "button";
      const act = isSpace ? () => this.play() : keys[event.key];
      if (!act) return;
      act();
      event.preventDefault();
      event.stopPropagation(); // the page and the slides take arrows, too
    };
    // Not as a finger comes down: it may be about to scroll the page.
    let from;
    this.picture.onpointerdown = ({ clientX }) => (from = clientX);
    this.picture.onclick = this.picture.onpointermove = (event) => {
      const place = this.picture.getBoundingClientRect();
      const { left, right, top } = this.shown;
      const isDrag = event.buttons && Math.abs(event.clientX - from) > 4;
      if (!(isDrag || event.type === "click") || event.clientY - place.top < top) return;
      const part = clamp((event.clientX - place.left - left) / (right - left), 0, 1);
      this.#seek(when(this.film, part * this.film.end));
    };
  }

  // ---- where it stands

  /** The moment after so many milliseconds of the film. */
  #at(ms) {
    const { steps } = this.film;
    const next = steps.findIndex((step) => step.at + step.ms > ms);
    const i = next < 0 ? steps.length - 1 : next;
    return i + clamp((ms - steps[i].at) / steps[i].ms, 0, END);
  }

  /** How many milliseconds of the film lie behind. */
  get #behind() {
    const step = this.film.steps[Math.floor(this.moment)];
    return step.at + step.ms * (this.moment % 1);
  }

  #seek(moment) {
    this.stop();
    this.#show(moment);
  }

  #show(moment) {
    this.isFresh = false;
    this.moment = clamp(moment, 0, this.film.last);
    this.#draw();
    for (const other of players) {
      if (other === this || !other.box.isConnected) continue;
      if (other.follows && other.follows === this.label) other.#keepTime(this.shown.now);
      else if (this.follows && this.follows === other.label)
        other.#keepTime(this.shown.now);
    }
  }

  #keepTime(time) {
    this.isFresh = false;
    this.moment = when(this.film, time);
    this.#draw();
  }

  /** To the end of a callback, or of a look at the timers. */
  #step(by) {
    const current = Math.floor(this.moment);
    const to = by < 0 ? current - 1 : this.moment % 1 < 0.99 ? current : current + 1;
    this.#seek(to + END);
  }

  /** To the look with which an iteration begins. */
  #iteration(by) {
    const current = Math.floor(this.moment);
    const { steps } = this.film;
    const isLook = (step, i) => step.i < 0 && (by > 0 ? i > current : i < current);
    const look = by > 0 ? steps.findIndex(isLook) : steps.findLastIndex(isLook);
    this.#seek(look < 0 ? by * this.film.last : look + END);
  }

  // ---- moving by itself

  play() {
    if (this.ticking) return this.stop();
    if (this.isFresh || this.moment >= this.film.last) this.moment = 0;
    let last = performance.now();
    const tick = (now) => {
      this.ticking = requestAnimationFrame(tick);
      const passed = now - last;
      if (calm.matches && passed < CALM_STEP) return;
      last = now;
      if (calm.matches) this.#show(Math.floor(this.moment) + (this.moment > 0) + END);
      else this.#show(this.#at(this.#behind + Math.min(passed, 100)));
      if (this.moment >= this.film.last - 0.001) this.stop();
    };
    tick(last);
    this.#face();
  }

  stop() {
    cancelAnimationFrame(this.ticking);
    this.ticking = 0;
    this.#face();
  }

  #face() {
    const label = this.ticking ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
    this.playButton.querySelector("path").setAttribute("d", this.ticking ? PAUSE : PLAY);
  }

  // ---- how it looks

  #draw() {
    const { guess } = this.box.parentElement.dataset;
    const shown = frame(this.film, this.moment, this.picture.clientWidth || 358, guess);
    this.shown = shown;
    const glide = this.ticking ? Math.min(320, shown.ms * 0.7) : 320;
    this.box.style.setProperty("--d", `${glide}ms`);
    const seen = new Set(shown.chips.map((chip) => chip.key));
    for (const chip of shown.chips) this.#place(chip);
    for (const [key, element] of this.chips) {
      if (seen.has(key)) continue;
      element.remove();
      this.chips.delete(key);
    }
    this.picture.setAttribute("height", shown.height);
    this.back.innerHTML = shown.back;
    this.front.innerHTML = shown.front;
    this.words = shown.words;
    this.picture.setAttribute("aria-label", shown.words);
    this.slider.value = this.#behind;
    this.slider.setAttribute("aria-valuetext", shown.words);
  }

  #place(chip) {
    let element = this.chips.get(chip.key);
    if (!element) {
      element = document.createElementNS(SVG, "g");
      element.innerHTML = CHIP;
      this.layer.append(element);
      this.chips.set(chip.key, element);
      const { from } = this.shown;
      if (this.ticking && from) {
        element.style.transform = `translate(${from.x}px,${from.y}px)`; // out of the thread
        element.getBoundingClientRect();
      }
    }
    const [rect, icon, text] = element.children;
    element.setAttribute("class", `lp-c ${chip.cls}`);
    element.style.transform = `translate(${chip.x}px,${chip.y}px)`;
    element.style.opacity = chip.o;
    rect.style.width = `${chip.w}px`;
    rect.setAttribute("rx", chip.icon ? 13 : 6);
    icon.style.display = chip.icon ? "" : "none";
    text.setAttribute("x", chip.icon ? 25 : 9);
    if (text.innerHTML !== chip.label) text.innerHTML = chip.label;
  }
}

/** Let the figures in an element move; a figure whose data are wrong keeps its still. */
export function upgrade(root) {
  for (const figure of root.querySelectorAll(".loop-player"))
    try {
      figure.player ||= new Player(figure);
    } catch (error) {
      console.warn("loop player:", error);
    }
}
