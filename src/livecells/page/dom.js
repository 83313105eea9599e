// Elements of the page.

/** A new element with properties, attributes (names with a dash) and children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && !name.includes("-")) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A button of the name's own class; `label` says more than its text, for who only hears it. */
export function button(name, text, onclick, label = text) {
  return make(
    "button",
    {
      type: "button",
      className: `livecell-button ${name}`,
      "aria-label": label,
      onclick,
    },
    text,
  );
}

/** Open all folds around an element. */
export function unfold(element) {
  for (let fold = element.closest("details"); fold; ) {
    fold.open = true;
    fold = fold.parentElement.closest("details");
  }
}
