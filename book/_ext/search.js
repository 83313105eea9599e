// The search page. Sphinx finds the pages that have the words; this names the places in
// them, lands there, and shows the sentence. Sphinx puts it behind its own scripts
// (html_search_scorer), and the page has them all.

// An object whose name only contains the word comes after the pages that explain it.
Object.assign(Scorer, { objPartialMatch: 1, objPrio: { 0: 0, 1: 0, 2: -5 } });

const MOST = 3; // places of a page
const LONG = 220; // letters of an excerpt
const WORD = /[\p{L}\p{N}_]+/gu;
// Pictures and outputs are no sentences, and an answer would be given away.
const UNREAD = `.headerlink, .cell_output, .cell[class*="tag_solution"], script, style, svg,
  nav, form, button, details.answer, details.predict, details.quiz-choice`;
const BLOCKS = "h1, h2, h3, h4, dt[id], p, td:not(:has(p)), pre";

const stemmer = new Stemmer();
const stems = new Map();
const stem = (word) => {
  const lower = word.toLowerCase();
  if (!stems.has(lower)) stems.set(lower, stemmer.stemWord(lower));
  return stems.get(lower);
};

/** Where the wanted stems stand in a text, as [start, end, stem]. */
const matches = (text, wanted) =>
  [...text.matchAll(WORD)]
    .map(({ 0: word, index }) => [index, index + word.length, stem(word)])
    .filter(([, , root]) => wanted.has(root));

const distinct = (text, wanted) => new Set(matches(text, wanted).map((m) => m[2])).size;
const plain = (element) => element.textContent.replace(/\s+/g, " ").trim();

/** The sections and terms of a page, each with what it says. */
function placesOf(article) {
  for (const part of article.querySelectorAll(UNREAD)) part.remove();
  const places = [];
  for (const block of article.querySelectorAll(BLOCKS)) {
    if (block.matches("pre")) places.at(-1)?.code.push(plain(block));
    else if (block.matches("p, td")) places.at(-1)?.lines.push(plain(block));
    else {
      const title = block.matches("dt.sig") ? block.id : plain(block);
      const id = block.matches("h1") ? "" : block.id || block.parentElement.id;
      places.push({ id, title, lines: [], code: [] });
    }
  }
  return places;
}

/** The places that say most of what is looked for, in the order of the page. */
function bestPlaces(places, wanted) {
  for (const place of places) {
    const text = [place.title, ...place.lines].join(" ");
    place.words = distinct([text, ...place.code].join(" "), wanted);
    place.weight = 10 * distinct(place.title, wanted) + matches(text, wanted).length;
  }
  const most = Math.max(1, ...places.map((place) => place.words));
  const best = places.filter((place) => place.words === most);
  const chosen = new Set(best.sort((a, b) => b.weight - a.weight).slice(0, MOST));
  return places.filter((place) => chosen.has(place));
}

/** A sentence with what is looked for, cut at words and marked. */
function excerpt(lines, wanted) {
  const line = lines.reduce(
    (best, other) => (distinct(other, wanted) > distinct(best, wanted) ? other : best),
    lines[0] ?? "",
  );
  const first = matches(line, wanted)[0]?.[0] ?? 0;
  const from = first < 100 ? 0 : line.indexOf(" ", first - 80) + 1;
  const end = line.length - from <= LONG ? line.length : line.lastIndexOf(" ", from + LONG);
  const text = line.slice(from, end);
  const shown = document.createElement("p");
  shown.className = "context";
  let at = 0;
  for (const [start, stop] of matches(text, wanted)) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, stop);
    shown.append(text.slice(at, start), mark);
    at = stop;
  }
  shown.append(text.slice(at));
  if (from) shown.prepend("… ");
  if (end < line.length) shown.append(" …");
  return shown;
}

function link(address, title) {
  const shown = document.createElement("a");
  shown.href = address;
  shown.textContent = title;
  return shown;
}

/** What a page has, below its name. */
async function showPlaces(item, address, wanted) {
  const page = new DOMParser().parseFromString(
    await (await fetch(address)).text(),
    "text/html",
  );
  const article = page.querySelector("article.bd-article");
  const best = article ? bestPlaces(placesOf(article), wanted) : [];
  if (!best.length) {
    const about = page.querySelector('meta[name="description"]');
    if (about) item.append(excerpt([about.content], wanted));
  }
  for (const { id, title, lines } of best) {
    const place = item.appendChild(document.createElement("div"));
    place.className = "search-place";
    if (id) place.append(link(`${address}#${id}`, title));
    if (lines.length) place.append(excerpt(lines, wanted));
  }
}

Search.query = async (query) => {
  const parsed = Search._parseQuery(query);
  // Or the next page would be full of marks, wherever it is opened from.
  localStorage.removeItem("sphinx_highlight_terms");
  const wanted = new Set([...parsed[3]].map(stem));
  const root = document.documentElement.dataset.content_root;
  const pages = new Map();
  const names = document.createElement("template");
  for (const [page, title, anchor, about] of Search._performSearch(...parsed).reverse()) {
    // A title found on its own is that of a section; its page shows it below.
    const key = about ? anchor : page;
    if (pages.has(key)) continue;
    const item = Search.output.appendChild(document.createElement("li"));
    const address = `${root}${page}${DOCUMENTATION_OPTIONS.LINK_SUFFIX}`;
    names.innerHTML = about ? title : title.split(" &gt; ")[0].split(" > ")[0];
    item.append(link(about ? address + anchor : address, names.content.textContent));
    if (about) item.append(` ${about}`);
    pages.set(key, about ? null : () => showPlaces(item, address, wanted));
  }
  _finishSearch(pages.size);
  if (pages.size) Search.status.textContent = `${pages.size} found, the best first.`;
  for (const show of pages.values()) await show?.();
};
