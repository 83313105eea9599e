// The editor of a cell: CodeMirror 6, loaded when a reader first presses Edit.
//
// Colours come from the book's own highlighting: the parts of the language get the
// class names that Pygments gives them, so they follow any theme, light or dark.

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
import { Decoration, EditorView, keymap } from "@codemirror/view";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";

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

/**
 * Put an editor into `parent`.
 *
 * `onChange(source)` is called after each change, `onRun()` on Shift+Enter and on
 * Ctrl+Enter or Cmd+Enter, `onLeave()` on Escape.
 */
export function openEditor({ parent, source, label, hint, onChange, onRun, onLeave }) {
  const run = () => (onRun(), true);
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
        keymap.of([
          { key: "Shift-Enter", run },
          { key: "Mod-Enter", run },
          { key: "Ctrl-Enter", run },
          { key: "Escape", run: () => (onLeave(), true) },
          { key: "Tab", run: indentMoreOrInsert, shift: indentLess },
          { key: "Enter", run: insertNewlineAndIndent },
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
