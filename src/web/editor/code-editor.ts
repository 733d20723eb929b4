import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { KnownType } from './complete.ts';
import { completionFrom } from './completion-source.ts';
import type { TextFinding } from './finding.ts';
import { hcl } from './hcl-language.ts';
import { theme } from './theme.ts';

export interface CodeEditor {
  text(): string;
  showFindings(findings: readonly TextFinding[]): void;
  /** Moves the cursor to the place and scrolls to it. */
  goTo(line: number, column: number): void;
  focus(): void;
  destroy(): void;
}

interface CodeEditorParts {
  /** The element in whose shadow tree the editor is drawn. */
  parent: HTMLElement;
  text: string;
  readOnly: boolean;
  types: readonly KnownType[];
  /**
   * The label of the editor as a text, because a shadow tree cannot refer to elements outside by their ids.
   */
  label: string;
  changed: (text: string) => void;
}

/**
 * Creates an editor of HCL in a shadow tree. There CodeMirror uses constructed style sheets, which the
 * content security policy allows. In the document it would add style elements, which the policy forbids.
 */
export function createCodeEditor(parts: CodeEditorParts): CodeEditor {
  const root = parts.parent.shadowRoot ?? parts.parent.attachShadow({ mode: 'open' });
  const container = document.createElement('div');
  root.replaceChildren(container);
  const state = EditorState.create({ doc: parts.text, extensions: extensionsOf(parts) });
  const view = new EditorView({ state, root, parent: container });
  return {
    text: () => view.state.doc.toString(),
    showFindings: (findings) =>
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, findings))),
    goTo(line, column) {
      const at = offsetOf(view.state, line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function extensionsOf({ readOnly, types, label, changed }: CodeEditorParts): Extension[] {
  return [
    theme,
    hcl,
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    bracketMatching(),
    highlightActiveLine(),
    search({ top: true }),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ...(readOnly ? [EditorState.readOnly.of(true)] : editing(types, changed)),
    keymap.of([...searchKeymap, ...defaultKeymap]),
  ];
}

function editing(types: readonly KnownType[], changed: (text: string) => void): Extension[] {
  return [
    history(),
    closeBrackets(),
    indentOnInput(),
    lintGutter(),
    autocompletion({ override: [completionFrom(types)], icons: false }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, indentWithTab]),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString());
    }),
  ];
}

function diagnosticsOf(state: EditorState, findings: readonly TextFinding[]): Diagnostic[] {
  return findings.flatMap(({ line, column = 1, end_line, end_column, severity, message, help }) => {
    if (line === undefined) return [];
    const from = offsetOf(state, line, column);
    const to = end_line === undefined ? from : offsetOf(state, end_line, end_column ?? 1);
    return [
      {
        from,
        to: Math.max(from, to),
        severity,
        message: help === undefined ? message : `${message}\n${help}`,
      },
    ];
  });
}

const characters = new Intl.Segmenter();

/**
 * The offset of a line and a column, both from 1. Columns count visible characters. The text may have changed
 * since the check, so the result is limited to the current text.
 */
function offsetOf({ doc }: EditorState, line: number, column: number): number {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const before = Array.from(characters.segment(text))[column - 1];
  return before === undefined ? to : from + before.index;
}
