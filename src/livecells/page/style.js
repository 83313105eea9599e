// Style sheets of outputs: rewritten rule by rule, so that they reach nothing but the
// output they came with, and fetch nothing.

const LONG = 100_000; // characters of one sheet
const MANY = 2_000; // rules of one sheet

const PROPERTY = new RegExp(
  "^(--[\\w-]+|color|direction|display|opacity|order|orphans|quotes|position|visibility|" +
    "widows|width|height|top|left|right|bottom|x|y|r|rx|ry|cx|cy|d|float|clear|" +
    "gap|rotate|scale|translate|z-index|aspect-ratio|box-shadow|box-sizing|" +
    "caption-side|empty-cells|hyphens|letter-spacing|line-break|line-height|" +
    "paint-order|(row|column)-gap|shape-rendering|tab-size|table-layout|unicode-bidi|" +
    "vector-effect|vertical-align|(min|max)-(width|height|inline-size|block-size)|" +
    "(inline|block)-size|(dominant|alignment)-baseline|" +
    "(align|background|baseline|border|break|fill|flex|font|grid|inset|justify|" +
    "list-style|margin|object|outline|overflow|padding|place|stop|stroke|text|" +
    "transform|white-space|word)(-[a-z-]+)?)$",
);
// Shorthands to ask for where a variable hides the parts.
const SHORTHANDS = [
  "background",
  "border",
  "border-block",
  "border-bottom",
  "border-color",
  "border-inline",
  "border-left",
  "border-radius",
  "border-right",
  "border-style",
  "border-top",
  "border-width",
  "flex",
  "font",
  "grid",
  "inset",
  "list-style",
  "margin",
  "outline",
  "overflow",
  "padding",
  "text-decoration",
];
const HERE = /url\(\s*(["']?)#[\w-]+\1\s*\)/gi; // a gradient of the same figure
const REACHES_OUT = /[\\@<>]|\b(url|src|image|image-set|cross-fade|element|paint|attr)\(/i;

// A grid of thousands of tracks takes as long as a page of thousands of elements.
const IS_LARGE = /var\(|repeat\(|\b\d{3,}\b(?!\.)/i;

/** Whether a browser lays out an element with this in a time that does not matter. */
function isLight(name, value) {
  if (!name.startsWith("grid")) return true;
  return value !== "" && value.length <= 200 && !IS_LARGE.test(value);
}

/** Whether a value names nothing that a browser would have to fetch. */
export function isHarmless(value) {
  return !REACHES_OUT.test(value.replace(HERE, ""));
}

/** The declarations of a block that may stay, as text. */
function kept(style) {
  const out = [];
  const names = new Set(style);
  for (const name of SHORTHANDS) if (style.getPropertyValue(name)) names.add(name);
  for (const name of names) {
    const value = style.getPropertyValue(name);
    if (!value || !PROPERTY.test(name) || !isHarmless(value) || !isLight(name, value))
      continue;
    const priority = style.getPropertyPriority(name) && " !important";
    out.push(`${name}:${value}${priority}`);
  }
  return out.join(";");
}

const SCRAP = document.implementation.createHTMLDocument("").body; // to parse styles with

/** Whether the text of a `style` attribute may stay as it is. */
export function isHarmlessBlock(text) {
  if (text.length > 10_000 || !isHarmless(text)) return false;
  const { style } = SCRAP;
  style.cssText = text;
  return [...style].every(
    (name) => PROPERTY.test(name) && isLight(name, style.getPropertyValue(name)),
  );
}

/**
 * The rules of `text` that may stay, for descendants of `scope` alone.
 *
 * The browser's own parser reads the text; what it gives back is written anew, so there is
 * no second reading of it.
 */
export function scoped(text, scope) {
  if (text.length > LONG) return "";
  const sheet = new CSSStyleSheet(); // fetches nothing, and takes no @import
  try {
    sheet.replaceSync(text);
  } catch {
    return "";
  }
  let left = MANY;
  const write = (rules) => {
    const out = [];
    for (const rule of rules) {
      if ((left -= 1) < 0) break;
      if (rule instanceof CSSStyleRule) {
        const { selectorText } = rule;
        if (selectorText.length > 1000 || /::|:has\(|[\\<>]{2}/.test(selectorText)) continue;
        const body = kept(rule.style);
        if (body) out.push(`:where(${scope}) :is(${selectorText}){${body}}`);
      } else if (rule instanceof CSSMediaRule && isHarmless(rule.conditionText)) {
        out.push(`@media ${rule.conditionText}{${write(rule.cssRules)}}`);
      }
    }
    return out.join("");
  };
  return write(sheet.cssRules);
}
