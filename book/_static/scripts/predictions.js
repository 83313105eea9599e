// Predictions that count: what answers a question is out of sight until the reader has
// said something, has run the cell, or asks to see it. The guess then stays beside what
// came out, also after a reader's own run. Guesses and choices are kept in this browser,
// a chapter each, and are sent nowhere.
"use strict";

(() => {
  const KEY = `on-time.predictions.${location.pathname.replace(/^.*\/(?=book\/)/, "")}`;

  const kept = (() => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {}; // forbidden, or not ours
    }
  })();

  function keep() {
    try {
      if (Object.keys(kept).length) localStorage.setItem(KEY, JSON.stringify(kept));
      else localStorage.removeItem(KEY);
    } catch {
      // A reader who keeps nothing still reads.
    }
    count();
  }

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  const button = (text, onclick, type = "button") => make("button", { type, onclick }, text);

  const textOf = (details) =>
    details.querySelector(".sd-summary-text").textContent.replace(/\s+/g, " ").trim();

  // ---- the three kinds of guesses: what is asked for, and how a guess is laid beside
  // what came out. Each has a field, a value (undefined while there is none), and words.

  /** A number on an axis: {number: [from, to, unit]}. */
  function onAnAxis({ number: [from, to, unit] }) {
    const part = (x) => Math.min(1, Math.max(0, (x - from) / (to - from)));
    const words = (x) => `${+(+x).toPrecision(6)} ${unit}`.trim();
    const step = 10 ** Math.floor(Math.log10((to - from) / 20));
    const slider = make("input", { type: "range", min: from, max: to, step, value: from });
    const readout = make("output", {}, "?");
    slider.setAttribute("aria-label", "Your guess");
    slider.setAttribute("aria-valuetext", "none yet");
    const scale = () =>
      make(
        "span",
        { className: "guess-scale" },
        ...[0, 0.25, 0.5, 0.75, 1].map((n) => make("span", {}, words(from + (to - from) * n))),
      );
    const mark = (kind, x, label) => {
      const element = make("span", { className: `guess-mark is-${kind}` }, label);
      element.style.left = `${100 * part(x)}%`;
      element.classList.toggle("is-far", part(x) > 0.5);
      return element;
    };
    let value;
    slider.oninput = () => {
      value = +slider.value;
      readout.value = words(value);
      slider.setAttribute("aria-valuetext", words(value));
    };
    return {
      field: make("div", { className: "guess-axis" }, slider, scale(), readout),
      value: () => value,
      isOne: (guess) => Number.isFinite(guess),
      words,
      // Of many that came out, the least and the most.
      results: (texts) => {
        const numbers = texts.map((text) => Number.parseFloat(text.replaceAll(",", "")));
        const all = [...new Set(numbers)];
        return all.length > 3 ? [Math.min(...all), Math.max(...all)] : all;
      },
      picture: (guess, results) =>
        make(
          "div",
          { className: "guess-axis" },
          mark("guess", guess, `you: ${words(guess)}`),
          make("span", { className: "guess-line" }),
          ...results.map((x) => mark("result", x, words(x))),
          scale(),
        ),
    };
  }

  /** An order: {order: [what, …]}; a press puts the next one behind the others. */
  function inOrder({ order }) {
    let chosen = [];
    const parts = [...order].sort().reverse().map((text) => {
      const part = button(text, () => {
        const at = chosen.indexOf(text);
        chosen = at < 0 ? [...chosen, text] : chosen.slice(0, at);
        for (const other of parts) {
          const at = chosen.indexOf(other.textContent);
          other.dataset.place = at < 0 ? "" : at + 1;
          other.setAttribute("aria-pressed", String(at >= 0));
        }
      });
      return part;
    });
    return {
      field: make("div", { className: "guess-order" }, ...parts),
      value: () => (chosen.length === order.length ? chosen : undefined),
      isOne: Array.isArray,
      words: (guess) => guess.join(", ").slice(0, 200),
    };
  }

  /** A choice: {choice: [text, …], right: text}. */
  function ofSome({ choice, right }, name) {
    const parts = choice.map((value) =>
      make("label", {}, make("input", { type: "radio", name, value }), value),
    );
    const field = make("div", { className: "guess-choice" }, ...parts);
    return {
      field,
      value: () => field.querySelector(":checked")?.value,
      isOne: (guess) => choice.includes(guess),
      words: String,
      right,
    };
  }

  // ---- predictions

  const answers = [...document.querySelectorAll(".foretold")];
  const asked = [...document.querySelectorAll("details.predict")];

  /** What answers a question: all that is marked between it and the next one. */
  function answersOf(question) {
    const next = asked[asked.indexOf(question) + 1];
    const comesAfter = (a, b) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
    return answers.filter(
      (answer) => comesAfter(question, answer) && !(next && comesAfter(next, answer)),
    );
  }

  /** What a part says: the text that a cell printed, a table, or the folded answer. */
  function textIn(part) {
    if (!part.matches(".cell")) return part.textContent;
    const printed = [...part.querySelectorAll(".cell_output pre")];
    if (!printed.length) return part.querySelector(".cell_output")?.textContent ?? "";
    return printed.map((pre) => pre.textContent).join("\n");
  }

  /** What came out: each match of the question's pattern in the first part that has one. */
  function resultsOf(question, parts, pattern) {
    for (const part of [...parts, question.lastElementChild]) {
      const matches = [...textIn(part).matchAll(new RegExp(pattern, "gm"))];
      if (matches.length) return matches.map(([all, ...groups]) => groups.join("") || all);
    }
    return [];
  }

  function predict(question, place) {
    const key = textOf(question);
    const asks = JSON.parse(question.nextElementSibling.textContent);
    const parts = answersOf(question);
    const makeKind = asks.number ? onAnAxis : asks.order ? inOrder : ofSome;
    const kind = makeKind(asks, `guess-${place}`);
    const form = make(
      "form",
      { className: "prediction" },
      kind.field,
      button("That is my guess", null, "submit"),
      button("Just show me", () => {
        settle();
        question.open = true;
        question.querySelector("summary").focus({ preventScroll: true });
      }),
    );
    const beside = make("div", { className: "prediction-kept", hidden: true });
    beside.setAttribute("role", "status");
    question.after(form, beside);

    question.prediction = {
      asks,
      results: () => (asks.result ? resultsOf(question, parts, asks.result) : []),
    };

    // Where something is out of sight, a word says so and leads back to the question.
    const ask = () => form.querySelector("input, button").focus();
    const blocks = parts.map((part) => part.closest(".pst-scrollable-table-container") ?? part);
    const gaps = blocks
      .filter((block, i) => !i || !block.matches("p, ul, ol"))
      .filter((block) => !blocks.includes(block.previousElementSibling))
      .map((block) => {
        const gap = make("p", { className: "prediction-gap" }, button("Shown after your guess", ask));
        if (block.matches(".cell")) block.append(gap);
        else block.before(gap);
        return gap;
      });

    function reveal() {
      parts.forEach((part) => part.classList.add("told"));
      gaps.forEach((gap) => gap.remove());
    }

    /** The guess beside what came out, which a run of the reader's may have changed. */
    function compare(guess) {
      const texts = question.prediction.results();
      const change = button("Guess again", () => {
        delete kept[key];
        keep();
        mark();
        form.hidden = false;
        beside.hidden = true;
        ask();
      });
      const answered = make("strong", {}, kind.words(guess));
      if (kind.picture) {
        const results = kind.results(texts);
        const came = results.map(kind.words).join(" and ");
        const line = ["You said ", answered, `. It came out as ${came}. `];
        beside.replaceChildren(kind.picture(guess, results), make("p", {}, ...line, change));
        mark(guess, texts);
        return;
      }
      // What came out is right, unless the author has said in words which choice is.
      const right = kind.right ?? texts.join(", ");
      const isRight = kind.words(guess) === right;
      answered.className = isRight ? "is-right" : "is-wrong";
      const verdict = isRight ? ". So it is. " : `. The answer: ${right}. `;
      beside.replaceChildren(make("p", {}, "You said: ", answered, verdict, change));
    }

    /** Put the guess into the pictures and tables that answer. */
    function mark(guess, texts = []) {
      for (const part of parts) {
        for (const figure of part.querySelectorAll(".loop-player")) {
          if (guess === undefined) delete figure.dataset.guess;
          else if (asks.number[2] === "s") figure.dataset.guess = guess;
          figure.dispatchEvent(new Event("guess"));
        }
        for (const place of part.querySelectorAll("td")) {
          const text = place.textContent.trim();
          if (guess !== undefined && texts.some((result) => text.startsWith(result)))
            place.dataset.guess = `you: ${kind.words(guess)}`;
          else delete place.dataset.guess;
        }
      }
    }

    function settle(guess) {
      form.hidden = true;
      beside.hidden = guess === undefined;
      reveal();
      if (guess !== undefined) compare(guess);
    }

    form.onsubmit = (event) => {
      event.preventDefault();
      const guess = kind.value();
      if (guess === undefined) return void ask();
      kept[key] = guess;
      settle(guess);
      keep();
    };
    question.addEventListener("toggle", () => question.open && reveal());
    if (kind.isOne(kept[key])) settle(kept[key]);
    // A run shows its own output, and with it the answer.
    for (const cell of parts.filter((part) => part.matches(".cell")))
      new MutationObserver(() => {
        if (!/^(ran|error|stopped)$/.test(cell.dataset.livecellState)) return;
        reveal();
        if (!beside.hidden) compare(kept[key]);
      }).observe(cell, { attributeFilter: ["data-livecell-state"] });
  }

  // ---- the choices of a quiz

  const choices = [...document.querySelectorAll("details.quiz-choice")];
  const groups = [];
  for (const choice of choices) {
    const last = groups.at(-1);
    if (last && last.at(-1) === choice.previousElementSibling) last.push(choice);
    else groups.push([choice]);
  }
  const isRight = (choice) =>
    /^\s*(Right|Yes)\b/.test(choice.querySelector(".sd-summary-content").textContent);

  function quiz(group) {
    const key = `${group[0].previousElementSibling?.textContent ?? ""}`.trim().slice(0, 80);
    const mark = (choice) => {
      for (const other of group) {
        other.classList.toggle("is-chosen", other === choice);
        if (other !== choice) other.open = false;
      }
      choice.classList.add(isRight(choice) ? "is-right" : "is-wrong");
      choice.querySelector(".sd-summary-text").dataset.verdict = isRight(choice)
        ? "right"
        : "not this one";
    };
    group.forEach((choice, i) => {
      choice.addEventListener("toggle", () => {
        if (!choice.open) return;
        mark(choice);
        if (key in kept) return; // the first choice counts
        kept[key] = i;
        keep();
      });
    });
    return () => key in kept && isRight(group[kept[key]] ?? group[0]);
  }

  // ---- the count

  const right = groups.map(quiz);
  const tally = make("p", { className: "prediction-count", hidden: true });
  function count() {
    const guesses = asked.filter((question) => textOf(question) in kept).length;
    const hits = right.filter((is) => is()).length;
    const parts = [];
    if (asked.length) parts.push(`${guesses} of ${asked.length} predictions`);
    if (groups.length) parts.push(`${hits} of ${groups.length} quiz answers at the first go`);
    const clear = button("Forget them", () => {
      for (const key of Object.keys(kept)) delete kept[key];
      keep();
      location.reload();
    });
    tally.hidden = !Object.keys(kept).length;
    tally.replaceChildren(`You made ${parts.join(", and got ")}. `, clear);
  }

  if (asked.length || groups.length) {
    const last = choices.at(-1) ?? asked.at(-1);
    (last.closest("section") ?? last.parentElement).append(tally);
    asked.forEach(predict);
    count();
  }
  window.predictionsReady = true;
})();
