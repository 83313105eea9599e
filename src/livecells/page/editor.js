// The editor of a cell: CodeMirror 6, loaded when a reader first presses Edit.
//
// Colours come from the book's own highlighting: the parts of the language get the
// class names that Pygments gives them, so they follow any theme, light or dark.

import { autocompletion, closeCompletion } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  insertNewlineAndIndent,
} from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import {
  bracketMatching,
  forceParsing,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import {
  EditorSelection,
  EditorState,
  StateEffect,
  StateField,
} from "@codemirror/state";
import { Decoration, EditorView, keymap, showTooltip } from "@codemirror/view";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

const PARSING = 1000; // ms that Enter may wait for the code above to be parsed

const pygments = tagHighlighter([
  { tag: tags.keyword, class: "k" },
  { tag: tags.operatorKeyword, class: "ow" },
  { tag: tags.moduleKeyword, class: "kn" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: tags.self, class: "bp" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
  { tag: tags.meta, class: "nd" },
  { tag: tags.number, class: "mi" },
  { tag: [tags.string, tags.special(tags.string)], class: "s2" },
  { tag: tags.escape, class: "se" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.operator, class: "o" },
  { tag: [tags.punctuation, tags.bracket, tags.separator], class: "p" },
]);

const markLine = StateEffect.define();
const markedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    // A line that has been worked on is no longer the line that failed.
    if (transaction.docChanged) marks = Decoration.none;
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const number = effect.value;
      const isThere = number >= 1 && number <= transaction.state.doc.lines;
      marks = isThere
        ? Decoration.set([
            Decoration.line({ class: "livecell-errline" }).range(
              transaction.state.doc.line(number).from,
            ),
          ])
        : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setHelp = StateEffect.define();
const help = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setHelp)) return effect.value;
    }
    return shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** The signature of a call as a tooltip above the cursor. */
function tooltip({ text, doc }, pos) {
  return {
    pos,
    above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = "livecell-signature";
      dom.append(Object.assign(document.createElement("code"), { textContent: text }));
      if (doc) dom.append(Object.assign(document.createElement("p"), { textContent: doc }));
      return { dom };
    },
  };
}

/** Show the signature of the call that the cursor is in, as long as it is in one. */
function signatures(ask) {
  let timer = 0;
  let asked = 0;
  return EditorView.updateListener.of(({ docChanged, selectionSet, state, view }) => {
    if (!docChanged && !selectionSet) return;
    clearTimeout(timer);
    const { head } = state.selection.main;
    const before = state.sliceDoc(0, head);
    asked += 1;
    const number = asked;
    timer = setTimeout(async () => {
      const completion = before.includes("(") ? await ask(before) : null;
      if (number !== asked || !view.dom.isConnected) return;
      const shown = completion?.signature ? tooltip(completion.signature, head) : null;
      if (shown || view.state.field(help)) view.dispatch({ effects: setHelp.of(shown) });
    }, 150);
  });
}

/**
 * Put an editor into `parent`.
 *
 * `onChange(source)` is called after each change, `onRun()` on Shift+Enter and on
 * Ctrl+Enter or Cmd+Enter, `onLeave()` on Escape. `complete(before)` resolves to what could
 * stand after some code: {length, options, signature}, or null.
 */
export function openEditor(options) {
  const { parent, source, label, hint, onChange, onRun, onLeave, complete } = options;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: source,
      extensions: [
        history(),
        pythonLanguage,
        syntaxHighlighting(pygments),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        markedLine,
        help,
        signatures(complete),
        autocompletion({
          override: [completions(complete)],
          // Enter is a new line, unless the reader has gone to a name with the arrows.
          selectOnOpen: false,
          icons: false,
        }),
        keymap.of([
          { key: "Shift-Enter", run },
          { key: "Mod-Enter", run },
          { key: "Ctrl-Enter", run },
          { key: "Escape", run: () => (onLeave(), true) },
          { key: "Tab", run: indentMoreOrInsert, shift: indentLess },
          { key: "Enter", run: newLine },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-describedby": hint,
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  function run() {
    closeCompletion(view);
    onRun();
    return true;
  }
  return {
    focus: () => view.focus(),
    hasFocus: () => view.hasFocus,
    markLine: (number) => view.dispatch({ effects: markLine.of(number ?? 0) }),
    setSource(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      if (text !== view.state.doc.toString()) view.dispatch({ changes });
    },
    close: () => view.destroy(),
  };
}

/** CodeMirror's own form of what `complete` finds. */
function completions(complete) {
  return async ({ state, pos, explicit }) => {
    const before = state.sliceDoc(0, pos);
    if (!explicit && !/[\w.]$/.test(before)) return null;
    const completion = await complete(before);
    if (!completion?.options.length) return null;
    const { length } = completion;
    const options = completion.options.map(({ label, type }) => ({ label, type, detail: type }));
    return { from: pos - length, options, validFor: /^\w*$/ };
  };
}

/** Enter: a new line, indented as the code asks for, however busy the machine is. */
function newLine(view) {
  // A key that was pressed before the line above has been parsed would not be indented.
  forceParsing(view, view.state.selection.main.head, PARSING);
  return insertNewlineAndIndent(view);
}

/** Tab: indent the lines of a selection, else go on to the next multiple of four. */
function indentMoreOrInsert(view) {
  const { state } = view;
  if (state.selection.ranges.some((range) => !range.empty)) return indentMore(view);
  view.dispatch(
    state.update(
      state.changeByRange((range) => {
        const column = range.head - state.doc.lineAt(range.head).from;
        const insert = " ".repeat(4 - (column % 4));
        return {
          changes: { from: range.head, insert },
          range: EditorSelection.cursor(range.head + insert.length),
        };
      }),
      { scrollIntoView: true, userEvent: "input" },
    ),
  );
  return true;
}

/** `source` as coloured nodes, for a cell that shows an edit without its editor. */
export function highlight(source) {
  const nodes = [];
  highlightCode(
    source,
    pythonLanguage.parser.parse(source),
    pygments,
    (text, classes) => {
      if (!classes) {
        nodes.push(text);
        return;
      }
      const span = document.createElement("span");
      span.className = classes;
      span.textContent = text;
      nodes.push(span);
    },
    () => nodes.push("\n"),
  );
  return nodes;
}
