// Figures with a slider. The pictures were made when the book was built; this script
// fetches them when the slider is first used, and shows the one it points at.

const ROOT = new URL("../explorables/", import.meta.url);

class Explorable {
  constructor(figure) {
    this.figure = figure;
    this.slider = figure.querySelector("input[type=range]");
    this.words = figure.querySelector("output");
    this.picture = figure.querySelector(".explorable-picture");
    this.summary = figure.querySelector(".explorable-summary p");
    this.notice = figure.querySelector(".explorable-notice");
    this.shown = this.slider.valueAsNumber;
    this.data = null;
    this.fetching = null;
    this.drawing = 0;
    const get = () => void this.fetch().catch(() => {});
    this.slider.addEventListener("focus", get);
    this.slider.addEventListener("pointerdown", get);
    this.slider.addEventListener("input", () => this.follow());
    this.slider.addEventListener("change", () => this.follow().then(() => this.tell()));
    this.state("ready");
  }

  state(name) {
    this.figure.dataset.explorableState = name;
  }

  fetch() {
    if (!this.fetching) {
      this.state("loading");
      this.fetching = this.load();
      this.fetching.catch((error) => {
        this.fetching = null; // the next move of the slider tries again
        this.state("failed");
        this.slider.value = this.shown;
        this.notice.textContent =
          `The other pictures could not be fetched (${error.message}). ` +
          "Move the slider to try again.";
      });
    }
    return this.fetching;
  }

  async load() {
    const answer = await fetch(new URL(this.figure.dataset.frames, ROOT));
    if (!answer.ok) throw new Error(`the host answers ${answer.status}`);
    this.data = await answer.json();
    this.notice.textContent = "";
    this.state("loaded");
  }

  async follow() {
    try {
      await this.fetch();
    } catch {
      return;
    }
    // A slider fires more often than the screen is drawn.
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      this.show(this.slider.valueAsNumber);
    });
  }

  show(place) {
    if (place === this.shown) return;
    const { texts, summaries, pictures } = this.data;
    this.picture.innerHTML = pictures[place];
    this.words.textContent = texts[place];
    this.summary.textContent = summaries[place];
    this.slider.setAttribute("aria-valuetext", `${texts[place]}. ${summaries[place]}`);
    this.shown = place;
  }

  // The first line of the live cell below is the parameter.
  tell() {
    const cell = document.getElementById(this.figure.dataset.live ?? "");
    const code = cell?.querySelector(".cell_input pre");
    if (!code || !this.data) return;
    const [first, ...rest] = code.textContent.replace(/\n$/, "").split("\n");
    const name = first.match(/^[A-Za-z_]\w* = /)?.[0];
    if (!name) return; // the reader has put something else there
    const value = this.data.values[this.slider.valueAsNumber];
    const source = [name + value, ...rest].join("\n");
    cell.dispatchEvent(new CustomEvent("livecells:source", { detail: { source } }));
  }
}

for (const figure of document.querySelectorAll("figure.explorable[data-frames]")) {
  new Explorable(figure);
}
