// A plain text field with the editor's keys, for when the editor does not load.

import { make } from "./dom.js";

export function openPlain({ parent, source, label, hint, onChange, onRun, onLeave }) {
  const field = make("textarea", {
    className: "livecell-plain",
    value: source,
    spellcheck: false,
    autocapitalize: "off",
    "aria-label": label,
    "aria-describedby": hint,
  });
  const fit = () => (field.rows = field.value.split("\n").length + 1);
  const change = () => {
    fit();
    onChange(field.value);
  };
  field.addEventListener("input", change);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      onRun();
    } else if (event.key === "Escape") {
      onLeave();
    } else if (event.key === "Tab" && !event.shiftKey) {
      field.setRangeText("    ", field.selectionStart, field.selectionEnd, "end");
      change();
    } else {
      return;
    }
    event.preventDefault();
  });
  fit();
  parent.append(field);
  return {
    focus: () => field.focus(),
    markLine() {},
    setSource(text) {
      field.value = text;
      fit();
    },
    close: () => field.remove(),
  };
}
