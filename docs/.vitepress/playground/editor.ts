// The editor of the playground: CodeMirror with TypeScript, in the colours of the site, and mistakes at their places.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { Problem } from "./protocol.ts";

export interface Editor {
  text(): string;
  replace(text: string): void;
  /** Null: there is none. */
  show(problem: Problem | null): void;
  close(): void;
}

export function openEditor(parent: HTMLElement, text: string, onChange: () => void): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        lintGutter(),
        javascript({ typescript: true }),
        syntaxHighlighting(classHighlighter),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": "operator file" }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(changed) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } });
    },
    show(problem) {
      const place = problem && placeOf(view.state, problem);
      const message = problem && [problem.message, problem.hint].filter(Boolean).join("\n");
      const diagnostics = place && message ? [{ ...place, severity: "error" as const, message }] : [];
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    close: () => view.destroy(),
  };
}

/** From its column to the end of the word there; the whole line where an engine points behind it. */
function placeOf(state: EditorState, { line, column }: Problem): { from: number; to: number } | null {
  if (line === null || line > state.doc.lines) return null;
  const { from: start, to: end, text } = state.doc.line(line);
  const from = Math.min(start + (column ?? 1) - 1, end);
  const to = state.wordAt(from)?.to ?? end;
  return to > from ? { from, to } : { from: start + text.search(/\S|$/), to: end };
}
