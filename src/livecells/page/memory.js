// What the browser remembers of a reader's work. Everything here may fail (private
// windows, full disks, blocked storage): then the work is lost with the page.

const SOURCE_BOUND = 20_000; // characters of an edit that is kept

/** A short fingerprint (FNV-1a), to tell whether a built source is still the same. */
export function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function over(storage) {
  return {
    get(key) {
      try {
        return window[storage].getItem(key);
      } catch {
        return null;
      }
    },
    set(key, value) {
      try {
        if (value === null) window[storage].removeItem(key);
        else window[storage].setItem(key, value);
      } catch {
        // it is not remembered
      }
    },
  };
}

/** Until the tab is closed. */
export const tab = over("sessionStorage");

/** Until the reader takes it back. */
const browser = over("localStorage");

const key = (id) => `livecells edit ${location.pathname} ${id}`;

/** Keep an edit of a cell across visits; null takes it away. */
export function keepEdit(id, built, source) {
  const isKept = source !== null && source.length <= SOURCE_BOUND;
  browser.set(key(id), isKept ? JSON.stringify({ built, source }) : null);
}

/** The edit that is kept of a cell, {built, source}, or null. */
export function keptEdit(id) {
  try {
    const { built, source } = JSON.parse(browser.get(key(id)));
    return typeof source === "string" ? { built, source } : null;
  } catch {
    return null;
  }
}
