// A page address that carries one edited cell: #live=1.<cell id>.<data>.
//
// The data is the cell's source in UTF-8, deflated and written in base64url. Version 0
// is the same without the deflate, for browsers that have no CompressionStream. A link
// comes from a stranger, so everything in it is bounded and checked before it is shown.

export const SOURCE_LIMIT = 20_000; // bytes of source that a link may carry
const DATA_LIMIT = 40_000; // characters of base64 that are looked at all

// Control and format characters, which do not show or turn the direction of what
// follows: with them, code could read otherwise than it runs.
const HIDDEN = /[^\n\t\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u;

/** What is wrong with a link, as a sentence for the reader. */
export class LinkError extends Error {}

/** The fragment, with its "#", that carries `source` for the cell `id`. */
export async function makeLink(id, source) {
  const bytes = new TextEncoder().encode(source);
  if (bytes.length > SOURCE_LIMIT) {
    throw new LinkError("This cell is too long for a link.");
  }
  if (HIDDEN.test(source)) {
    throw new LinkError(
      "This cell holds characters that do not show: no link is made.",
    );
  }
  if (typeof CompressionStream === "undefined") {
    return `#live=0.${id}.${toBase64(bytes)}`;
  }
  const packed = new Blob([bytes])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const data = new Uint8Array(await new Response(packed).arrayBuffer());
  return `#live=1.${id}.${toBase64(data)}`;
}

/**
 * The cell id and the source that a fragment carries, or null if it is no such link.
 *
 * Throws a LinkError for a link that is ours but cannot be used.
 */
export async function readLink(fragment) {
  if (!fragment.startsWith("#live=")) return null;
  // A programme that turns an address into a link may take the next sign along.
  const parts = /^#live=(\d{1,4})\.([\w-]{1,100})\.([\w-]*)[.,;:!?)]?$/.exec(fragment);
  if (!parts) throw new LinkError("The link's edit is damaged.");
  const [, version, id, data] = parts;
  if (version !== "0" && version !== "1") {
    throw new LinkError("The link's edit is in a form that this page does not know.");
  }
  if (data.length > DATA_LIMIT) throw new LinkError("The link's edit is too long.");
  if (version === "1" && typeof DecompressionStream === "undefined") {
    throw new LinkError("This browser cannot unpack the link's edit.");
  }
  let source;
  try {
    const packed = fromBase64(data);
    const bytes = version === "1" ? await inflate(packed) : packed;
    if (bytes.length > SOURCE_LIMIT) {
      throw new LinkError("The link's edit is too long.");
    }
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("The link's edit is damaged.");
  }
  source = source.replace(/\r\n?/g, "\n");
  if (HIDDEN.test(source)) {
    throw new LinkError("The link's edit holds characters that do not show.");
  }
  return { id, source };
}

/** Inflate `packed`, but no further than the bound: small data can be a bomb. */
async function inflate(packed) {
  const reader = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"))
    .getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > SOURCE_LIMIT) {
      reader.cancel().catch(() => {});
      throw new LinkError("The link's edit is too long.");
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64(data) {
  const text = atob(data.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
