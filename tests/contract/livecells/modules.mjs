// The modules of the page that touch no page, in Node. TEXTS has [text, columns, isTable].

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";

const page = (name) => import(new URL(`../../../src/livecells/page/${name}.js`, import.meta.url));
const { plain } = await page("ansi");
const { LinkError, makeLink, readLink } = await page("link");
const { toHtml } = await page("markdown");
const { complete } = await page("names");
const { withEdits } = await page("notebook");
const { tellSize } = await page("texts");
const { wanted } = await page("wheels");
const { firstLine } = await page("words");

test("a link carries its edit, and one that is no good is refused", async () => {
  const source = "words = 'naïve — ✓'\n\nprint(words)";
  const good = await makeLink("first", source);
  assert.deepEqual(await readLink(good), { id: "first", source });
  assert.deepEqual(await readLink(`${good}.`), { id: "first", source });
  assert.equal(await readLink("#elsewhere"), null);
  const packed = (data) => `#live=1.a.${deflateRawSync(data).toString("base64url")}`;
  const bad = {
    "damaged": ["#live=", "#live=1..abc", good.slice(0, -4), good.replace(/.$/, "%")],
    "does not know": [good.replace("=1.", "=7.")],
    "damaged.": [`#live=1.a.${"A".repeat(40)}`, packed(Buffer.from([0xff, 0xfe, 0x41]))],
    "too long": [packed(Buffer.alloc(50_000_000, 0x20)), `#live=0.a.${"QUFB".repeat(20_000)}`],
    "do not show": [packed("print(1) #\u202e")],
  };
  for (const [words, links] of Object.entries(bad))
    for (const link of links)
      await assert.rejects(readLink(link), (error) => {
        assert(error instanceof LinkError && error.message.includes(words), error.message);
        return true;
      });
  await assert.rejects(makeLink("a", "x".repeat(20_001)), /too long/);
  await assert.rejects(makeLink("a", "\u202e"), /do not show/);
});

test("no text gives a terminal's commands or turns round", () => {
  const text = "\x1b]8;;http://x.invalid\x1b\\link\x1b]8;;\x1b\\ \x1b[31mred\x1b[0m";
  assert.equal(plain(text), "link red");
  assert.equal(firstLine("\x1b]8;;https://e.test\x07\u202egnorw\nmore"), "gnorw");
  assert.equal(firstLine("x".repeat(300)), `${"x".repeat(200)} …`);
});

test("a block says how wide its text is, and whether it is a table", () => {
  for (const [text, columns, isTable] of JSON.parse(process.env.TEXTS)) {
    const style = new Map();
    style.setProperty = style.set;
    const block = { className: "output stream highlight-x", style };
    tellSize(block, text);
    assert.equal(style.get("--livecell-columns"), columns);
    const kinds = isTable ? "output stream livecell-table highlight-x" : "output stream highlight-x";
    assert.equal(block.className, kinds);
  }
});

test("Markdown that could hold up the page is refused", () => {
  assert.match(toHtml("# Words\n\n|a|b|\n|-|-|\n|1|2|"), /<h1>Words[^]*<td>1/);
  const refused = {
    "signs of emphasis": "word *stressed* ".repeat(1500),
    "too deep": Array.from({ length: 70 }, (_, n) => `${" ".repeat(n)}- x`).join("\n"),
    "lie too deep": `${"> ".repeat(12)}x`,
    "characters": "word ".repeat(10_001),
    "lines": "a\n".repeat(2_001),
    "tables": `${"|a".repeat(200)}\n${"|-".repeat(200)}\n`.repeat(60),
  };
  for (const [words, text] of Object.entries(refused))
    assert.throws(() => toHtml(text), (error) => error.message.includes(words));
});

test("the packages that code imports, and those that these need", () => {
  const all = ["alpha", "beta", "gamma"].map((name) => ({
    file: `${name}.whl`,
    packages: [name],
    needs: name === "beta" ? ["alpha"] : [],
  }));
  assert.deepEqual(wanted(all, ["x = 1", "# import beta\nprint('beta')"]), []);
  assert.deepEqual(wanted(all, ["if x:\n    from beta.b import c"]), ["alpha.whl", "beta.whl"]);
  assert.deepEqual(wanted(all, ["__import__('gamma')"]), ["gamma.whl"]);
});

test("names are known before Python runs", () => {
  const loads = { type: "function", text: "loads(s)", doc: "Read." };
  const index = { json: { type: "namespace", members: { load: { type: "function" }, loads } } };
  const labels = (...words) => complete(index, ...words).options.map(({ label }) => label);
  assert.deepEqual(labels(["import json as j"], "j.lo"), ["load", "loads"]);
  assert.deepEqual(labels(["from json import loads"], "lo"), ["loads"]);
  assert.deepEqual(labels(["def mine(a): pass\nmy = 1"], "m"), ["mine", "my"]);
  assert.deepEqual(labels([], "json.lo"), []);
  const signature = (before) => complete(index, ["import json"], before).signature;
  assert.deepEqual(signature("json.loads([1], "), { text: "loads(s)", doc: "Read." });
  assert.equal(signature("json.loads([1, "), null);
});

test("a notebook has the reader's edits, without the outputs that were not theirs", () => {
  const cell = (source) => ({ cell_type: "code", source, outputs: [1], execution_count: 1 });
  const lab = { cells: [{ cell_type: "markdown" }, cell("x"), cell("y")] };
  const edits = [{ id: "a", isEdited: true, source: "1\n2" }, { id: "b", isEdited: false }];
  withEdits(lab, { a: 1, b: 2 }, edits);
  const mine = { ...cell(["1\n", "2"]), outputs: [], execution_count: null };
  assert.deepEqual(lab.cells.slice(1), [mine, cell("y")]);
});
