// Keeps the memory of a started Python between visits, so that the next start is short.
//
// Everything here may fail (private windows, full disks, blocked storage): then there is
// no snapshot, and the start is the long one.

const DATABASE = "livecells";
const TABLE = "snapshots";
// To open a database that is not there yet can take a browser seconds, and a first visit
// has nothing to find. This note says whether there is something.
const NOTE = "livecells snapshot";
const PATIENCE = 3000; // ms; a database that another tab holds must not hold up a run

function settle(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is blocked"));
  });
}

async function within(patience, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), patience);
  });
  try {
    return await Promise.race([work(), late]);
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

/** The snapshot of a version as an ArrayBuffer, or null. */
export async function load(version) {
  try {
    if (localStorage.getItem(NOTE) !== version) return null;
    const found = await within(PATIENCE, () =>
      use("readonly", (table) => settle(table.get(version))),
    );
    return found instanceof ArrayBuffer && found.byteLength > 0 ? found : null;
  } catch {
    return null;
  }
}

/** Keep the snapshot of a version and no other; null takes it away. */
export async function save(version, snapshot) {
  try {
    localStorage.removeItem(NOTE);
    await use("readwrite", async (table) => {
      await settle(table.clear());
      if (snapshot) await settle(table.put(snapshot, version));
    });
    if (snapshot) localStorage.setItem(NOTE, version);
  } catch {
    // The next visit starts the long way.
  }
}
