// Keeps the memory of a started Python between visits, so that the next start is short.
//
// Every book of an origin, that is every folder of assets, has a snapshot of its own.
//
// Everything here may fail (private windows, full disks, blocked storage): then there is
// no snapshot, and the start is the long one.

const DATABASE = "livecells";
const TABLE = "snapshots";
// To open a database that is not there yet can take a browser seconds, and a first visit
// has nothing to find. This note says whether there is something.
const note = (place) => `livecells snapshot ${place}`;
// A database that does not answer must not hold up a run. How long a large one takes
// depends on the machine, so this begins when there is nothing else to wait for.
const PATIENCE = 5000; // ms

function settle(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is blocked"));
  });
}

/** What a promise of this module brings, or null where it is late. */
export async function inTime(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Use the table and close the database: an open one keeps a page out of the history. */
async function use(mode, action) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
  const database = await settle(opening);
  try {
    const transaction = database.transaction(TABLE, mode);
    return await action(transaction.objectStore(TABLE));
  } finally {
    database.close();
  }
}

/** Whether a start of this version has been kept: then its files have been fetched. */
export function hasNote(place, version) {
  try {
    return localStorage.getItem(note(place)) === version;
  } catch {
    return false;
  }
}

/**
 * What is kept of a version at a place: {snapshot, wheels}, an ArrayBuffer and the names of
 * the wheels that are imported in it, or null.
 */
export async function load(place, version) {
  try {
    if (!hasNote(place, version)) return null;
    const entry = await use("readonly", (table) => settle(table.get(place)));
    const { snapshot, wheels } = entry?.version === version ? entry : {};
    const isWhole = snapshot instanceof ArrayBuffer && snapshot.byteLength > 0;
    return isWhole && Array.isArray(wheels) ? { snapshot, wheels } : null;
  } catch {
    return null;
  }
}

/** Whether anything can be kept here; asked before the work of making it. */
export async function canKeep() {
  try {
    localStorage.getItem(DATABASE);
    return await use("readonly", () => true); // late or not: nobody waits for this
  } catch {
    return false;
  }
}

/** Keep what `load` gives, and nothing else of its place; null takes it away. */
export async function save(place, version, kept) {
  try {
    localStorage.removeItem(note(place));
    await use("readwrite", (table) =>
      settle(kept ? table.put({ version, ...kept }, place) : table.delete(place)),
    );
    if (kept) localStorage.setItem(note(place), version);
  } catch {
    // The next visit starts the long way.
  }
}
