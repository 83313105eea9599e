// Names and signatures where no Python runs yet: from the index that the build made of the
// modules that the page's cells import, and from the cells themselves.

const WORD = /((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*|)$/;

/** What the names of a page stand for: {module} , {module, name} or {text, type}. */
export function scope(sources) {
  const names = new Map();
  for (const source of sources) {
    for (const [, list] of source.matchAll(/^[ \t]*import[ \t]+(.+)$/gm)) {
      for (const part of list.replace(/#.*/, "").split(",")) {
        const [module, alias] = part.trim().split(/\s+as\s+/);
        if (alias) names.set(alias, { module });
        else if (module) names.set(module.split(".")[0], { module: module.split(".")[0] });
      }
    }
    const from = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|(.+))$/gm;
    for (const [, module, lines, line] of source.matchAll(from)) {
      for (const part of (lines ?? line).replace(/#.*/gm, "").split(",")) {
        const [name, alias = name] = part.trim().split(/\s+as\s+/);
        if (name) names.set(alias, { module, name });
      }
    }
    const made = /^(?:async[ \t]+)?(def|class)[ \t]+(\w+)[ \t]*(\([^)]*\))?/gm;
    for (const [, kind, name, parameters = "()"] of source.matchAll(made)) {
      const type = kind === "def" ? "function" : "class";
      names.set(name, { type, text: `${name}${parameters.replace(/\s+/g, " ")}` });
    }
    for (const [, name] of source.matchAll(/^([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)/gm)) {
      if (!names.has(name)) names.set(name, { type: "variable" });
    }
  }
  return names;
}

/** The entry of the index for a dotted path: {type, text?, doc?, members?} or undefined. */
function find(index, names, path) {
  const [first, ...rest] = path.split(".").filter(Boolean);
  const root = names.get(first);
  if (!root) return undefined;
  let at = root.module ? index[root.module] : root;
  if (root.name) at = at?.members?.[root.name] ?? index[`${root.module}.${root.name}`];
  let module = root.name ? undefined : root.module;
  for (const part of rest) {
    module = module && `${module}.${part}`;
    at = at?.members?.[part] ?? (module && index[module]);
  }
  return at;
}

/** What the runtime's `complete` gives, from the index: {length, options, signature}. */
export function complete(index, sources, before) {
  const names = scope([...sources, before]);
  const [, path, prefix] = WORD.exec(before);
  const members = path
    ? Object.entries(find(index, names, path)?.members ?? {})
    : prefix
      ? [...names].map(([name]) => [name, find(index, names, name) ?? names.get(name)])
      : [];
  const options = members
    .filter(([label]) => label.startsWith(prefix) && label !== prefix)
    .map(([label, { type = "variable" }]) => ({ label, type }));
  return { length: prefix.length, options, signature: signature(index, names, before) };
}

function signature(index, names, before) {
  let depth = 0;
  for (let at = before.length - 1; at >= 0 && at > before.length - 4000; at -= 1) {
    const sign = before[at];
    if (")]}".includes(sign)) depth += 1;
    else if ("([{".includes(sign) && depth) depth -= 1;
    else if ("[{".includes(sign)) return null;
    else if (sign === "(") {
      const [path] = WORD.exec(before.slice(0, at));
      const { text, doc = "" } = (path && find(index, names, path)) || {};
      return text ? { text, doc } : null;
    }
  }
  return null;
}
