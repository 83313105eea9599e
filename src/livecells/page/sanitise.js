// HTML and SVG that a run returns go through here before they meet the page. Loaded with
// the first run: a page that nobody runs does not pay for it.
//
// What is left can show things inside its own box, and nothing else: it runs no script,
// fetches nothing, leads nowhere, and reaches no other part of the page.

import createPurifier from "dompurify";
import { isHarmless, isHarmlessBlock, scoped } from "./style.js";

const purifier = createPurifier(window);

const HTML =
  "a abbr article aside b bdi bdo blockquote br caption cite code col colgroup dd del " +
  "details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img " +
  "ins kbd li main mark ol p pre q rp rt ruby s samp section small span strong style " +
  "sub summary sup table tbody td tfoot th thead time tr u ul var wbr";
const SVG =
  "svg g path rect circle ellipse line polyline polygon text tspan title desc defs " +
  "linearGradient radialGradient stop clipPath marker pattern image";
const ATTRIBUTES =
  "alt aria-describedby aria-hidden aria-label aria-labelledby class clip-path clip-rule " +
  "clipPathUnits colspan color cx cy d datetime dir display dominant-baseline " +
  "alignment-baseline baseline-shift dx dy fill fill-opacity fill-rule font-family " +
  "font-size font-style font-variant font-weight fx fy gradientTransform gradientUnits " +
  "height href id lang letter-spacing offset opacity open orient overflow paint-order " +
  "pathLength points preserveAspectRatio r role rotate rowspan rx ry scope " +
  "shape-rendering span spreadMethod src start " +
  "stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap " +
  "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style tabindex " +
  "text-anchor text-decoration textLength title transform transform-origin type " +
  "vector-effect version viewBox visibility width word-spacing x x1 x2 xlink:href xmlns " +
  "xmlns:xlink y y1 y2";
const SETTINGS = {
  ALLOWED_TAGS: [...HTML.split(" "), ...SVG.split(" "), "#text"],
  ALLOWED_ATTR: ATTRIBUTES.split(" "),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false, // those that are wanted are in the list
  FORCE_BODY: true, // or a leading <style> is lost
  RETURN_DOM_FRAGMENT: true,
};
const WORDS = ["alt", "title", "aria-label"]; // may say anything
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=\s]*$/i;
const OWN_CLASS = /^(livecell|admonition)/;
const DEPTH = 100; // elements in one another …
const DEEP_LAYOUT = 12; // … where one is a grid or flexible …
const TABLES = 4; // … and tables, whose layout doubles with each
const SPAN = 200; // cells that one cell of a table may cover
const OUTLINE = 2_000; // characters of a path that clips, drawn for all that it clips

purifier.addHook("uponSanitizeAttribute", (node, data) => {
  const { attrName: name, attrValue: value } = data;
  const tag = node.nodeName.toLowerCase();
  if (name === "style") {
    data.keepAttr = isHarmlessBlock(value);
  } else if (name === "src") {
    data.keepAttr = tag === "img" && PICTURE.test(value);
  } else if (name === "href" || name === "xlink:href") {
    // A place on this page, but no link to an edit.
    const isPlace = tag === "a" && /^#(?!live=)[\w.:-]*$/i.test(value);
    data.keepAttr = isPlace || (tag === "image" && PICTURE.test(value));
    data.forceKeepAttr = data.keepAttr;
  } else if (name === "id") {
    // No id of the page's own may be taken; those of another output are none.
    const other = document.getElementById(value);
    data.keepAttr = /^[\w.:-]+$/.test(value) && (!other || isOutput(other));
  } else if (name === "class") {
    // Nothing that a run returns may look as if the page itself said it.
    const names = value.split(/\s+/).filter((word) => !OWN_CLASS.test(word));
    data.attrValue = names.join(" ");
    data.keepAttr = isHarmless(data.attrValue.replace(/[<>@]/g, ""));
  } else if (["colspan", "rowspan", "span"].includes(name)) {
    data.keepAttr = Number(value) <= SPAN;
  } else if (name === "tabindex") {
    data.keepAttr = ["0", "-1"].includes(value);
  } else if (!WORDS.includes(name)) {
    data.keepAttr = isHarmless(value.replace(/[<>@]/g, ""));
  }
});

const isOutput = (element) => element.closest(".livecell .cell_output") !== null;

/** Whether elements lie so deep in one another that laying them out takes for ever. */
function isTooDeep(root, most) {
  const { SHOW_ELEMENT, SHOW_DOCUMENT_FRAGMENT } = NodeFilter;
  const walker = document.createTreeWalker(root, SHOW_ELEMENT | SHOW_DOCUMENT_FRAGMENT);
  let depth = 0;
  let tables = 0;
  const enter = () => {
    depth += 1;
    if (walker.currentNode.localName === "table") tables += 1;
    return depth > most || tables > TABLES;
  };
  const leave = () => {
    if (walker.currentNode.localName === "table") tables -= 1;
    depth -= 1;
  };
  for (;;) {
    if (walker.firstChild()) {
      if (enter()) return true;
      continue;
    }
    for (;;) {
      if (walker.currentNode === root) return false;
      leave();
      if (walker.nextSibling()) break;
      walker.parentNode();
    }
    if (enter()) return true;
  }
}

/**
 * The safe part of `html`, as a fragment for a place inside the element `scope`.
 *
 * Throws where the elements lie too deep in one another.
 */
export function clean(html, scope) {
  const { body } = new DOMParser().parseFromString(html, "text/html"); // runs nothing
  const depth = (root, most) => {
    if (isTooDeep(root, most))
      throw new RangeError("elements lie too deep in one another");
  };
  depth(body, DEPTH);
  // Of HTML without a body, such as a set of frames, nothing is left.
  const fragment =
    purifier.sanitize(html, SETTINGS) ?? document.createDocumentFragment();
  // What is drawn once for each use, and may use others, can be drawn without end.
  for (const element of fragment.querySelectorAll("marker, pattern")) element.remove();
  for (const path of fragment.querySelectorAll("clipPath")) {
    for (const element of [path, ...path.querySelectorAll("*")])
      element.removeAttribute("clip-path");
    if (path.outerHTML.length > OUTLINE) path.remove();
  }
  for (const style of fragment.querySelectorAll("style")) {
    const text = style.firstElementChild ? "" : scoped(style.textContent, scope);
    if (text) style.textContent = text;
    else style.remove();
  }
  const styles = [
    ...Array.from(fragment.querySelectorAll("[style]"), (element) => element.style.cssText),
    ...Array.from(fragment.querySelectorAll("style"), (element) => element.textContent),
  ];
  if (styles.some((text) => /\b(grid|flex)\b/.test(text) || /display:\s*var/.test(text)))
    depth(fragment, DEEP_LAYOUT);
  return fragment;
}
