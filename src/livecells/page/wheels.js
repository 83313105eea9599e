// Which packages of the book some code imports, and which of those need one another.

/** Whether `source` may import `name`; a word too many costs a download, no more. */
function mentions(source, name) {
  const word = name.replace(/[^\w]/g, "");
  const statement = new RegExp(`^[ \\t]*(?:from|import)\\b[^#\\n]*\\b${word}\\b`, "m");
  const call = new RegExp(`import(?:_module|__)\\(\\s*["']${word}\\b`);
  return statement.test(source) || call.test(source);
}

/** The wheels of `all` that the sources import, and those that these need. */
export function wanted(all, sources) {
  const owner = new Map(
    all.flatMap((wheel) => wheel.packages.map((name) => [name, wheel])),
  );
  const fresh = [...owner.keys()].filter((name) =>
    sources.some((source) => mentions(source, name)),
  );
  const needed = new Set();
  while (fresh.length) {
    const wheel = owner.get(fresh.pop());
    if (!wheel || needed.has(wheel)) continue;
    needed.add(wheel);
    fresh.push(...wheel.needs);
  }
  return all.filter((wheel) => needed.has(wheel)).map(({ file }) => file);
}
