// Predictions that count: what answers a question is out of sight until the reader has
// said something, has run the cell, or asks to see it. Guesses and choices are kept in
// this browser, a chapter each, and are sent nowhere.
"use strict";

(() => {
  const KEY = `on-time.predictions.${location.pathname.replace(/^.*\/(?=book\/)/, "")}`;
  const LONGEST = 120; // letters of a guess

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

  const textOf = (details) =>
    details.querySelector(".sd-summary-text").textContent.replace(/\s+/g, " ").trim();

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

  function predict(question) {
    const key = textOf(question);
    const parts = answersOf(question);
    const field = make("input", { type: "text", maxLength: LONGEST, autocomplete: "off" });
    const guess = make("button", { type: "submit" }, "That is my guess");
    const show = make("button", { type: "button" }, "Just show me");
    const form = make(
      "form",
      { className: "prediction" },
      make("label", {}, "You say: ", field),
      guess,
      show,
    );
    const words = make("p", { className: "prediction-kept", hidden: true });
    words.setAttribute("role", "status");
    question.after(form, words);

    const reveal = () => parts.forEach((part) => part.classList.add("told"));
    function settle(text) {
      form.hidden = true;
      words.hidden = !text;
      const change = make("button", { type: "button" }, "Guess again");
      change.onclick = () => {
        delete kept[key];
        keep();
        form.hidden = false;
        words.hidden = true;
        field.focus();
      };
      words.replaceChildren("You said: ", make("strong", {}, text), " ", change);
      reveal();
    }

    form.onsubmit = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) {
        field.focus();
        return;
      }
      kept[key] = text;
      settle(text);
      keep();
    };
    show.onclick = () => {
      settle("");
      question.open = true;
      question.querySelector("summary").focus({ preventScroll: true });
    };
    question.addEventListener("toggle", () => question.open && reveal());
    if (typeof kept[key] === "string") settle(kept[key].slice(0, LONGEST));
    // A run shows its own output, and with it the answer.
    for (const cell of parts.filter((part) => part.matches(".cell")))
      new MutationObserver(() => {
        if (/^(ran|error|stopped)$/.test(cell.dataset.livecellState)) reveal();
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
    const clear = make("button", { type: "button" }, "Forget them");
    clear.onclick = () => {
      for (const key of Object.keys(kept)) delete kept[key];
      keep();
      location.reload();
    };
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
