// HTML that a run returns goes through here before it meets the page. Loaded with the
// first run: a page that nobody runs does not pay for it.

import createPurifier from "dompurify";

const purifier = createPurifier(window);

const SETTINGS = {
  USE_PROFILES: { html: true, svg: true, svgFilters: true },
  // A form could send what a reader types to somebody else.
  FORBID_TAGS: ["form", "input", "button", "textarea", "select", "option", "base"],
  FORBID_ATTR: ["action", "formaction", "ping", "srcset", "background", "poster"],
  FORCE_BODY: true, // or a leading <style> is lost
  RETURN_DOM_FRAGMENT: true,
};

/** Whether an address stays on this site, or is a picture as data. */
function staysHere(address) {
  const text = address.trim();
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(text)) return true;
  try {
    return new URL(text, document.baseURI).origin === location.origin;
  } catch {
    return false;
  }
}

// A style may colour and place things but not fetch: `url(#id)` names a gradient of the
// same figure and stays, everything else that loads goes.
const LOADS = /@import|url\(\s*(?!["']?#)|image-set\(|\\/i;

purifier.addHook("uponSanitizeElement", (node, data) => {
  if (data.tagName === "style" && LOADS.test(node.textContent)) node.remove();
});

purifier.addHook("uponSanitizeAttribute", (node, data) => {
  const name = data.attrName;
  const isLink = node.nodeName.toLowerCase() === "a";
  if (name === "style") {
    data.keepAttr = !LOADS.test(data.attrValue);
  } else if (["src", "href", "xlink:href"].includes(name) && !isLink) {
    // What is loaded stays here; a link to elsewhere is the reader's choice to follow.
    data.keepAttr = staysHere(data.attrValue);
  } else if (/url\(\s*(?!["']?#)/i.test(data.attrValue)) {
    // fill="url(…)" and its like; a caption may speak of url() all the same.
    data.keepAttr = ["alt", "title"].includes(name) || name.startsWith("aria-");
  }
});

/** The safe part of `html`, as a fragment. */
export function clean(html) {
  return purifier.sanitize(html, SETTINGS);
}
