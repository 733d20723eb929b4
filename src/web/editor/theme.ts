import { EditorView } from '@codemirror/view';

const MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';

/**
 * The editor's theme. It uses the colours of the page, which the shadow tree inherits as custom properties.
 */
export const theme = EditorView.theme({
  '&': {
    height: 'var(--editor-height)',
    border: '1px solid var(--soft)',
    borderRadius: 'var(--corner)',
    backgroundColor: 'var(--ground)',
    color: 'var(--text)',
    fontSize: '0.85rem',
  },
  '&.cm-focused': { outline: '3px solid var(--link)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: MONOSPACE, lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    border: 'none',
    borderRight: '1px solid var(--line)',
    backgroundColor: 'var(--raised)',
    color: 'var(--soft)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--raised) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--link) 28%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--busy) 25%, transparent)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--busy) 40%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--raised)', outline: '1px solid var(--soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { outline: '1px solid var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--busy)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lint-marker': { width: '0.7em', height: '0.7em', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--busy)', borderRadius: '0' },
  '.cm-tooltip': {
    border: '1px solid var(--soft)',
    borderRadius: 'var(--corner)',
    backgroundColor: 'var(--ground)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: MONOSPACE, maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--button)',
    color: 'var(--on-button)',
  },
  '.cm-completionDetail': { marginLeft: '0.75em', fontStyle: 'normal', color: 'var(--soft)' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { padding: '0.4rem 0.6rem', maxWidth: '22rem' },
  '.cm-diagnostic': { padding: '0.3rem 0.6rem', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--busy)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--ground)',
    border: '1px solid var(--soft)',
    color: 'var(--text)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--ground)',
    border: '1px solid var(--soft)',
    color: 'var(--text)',
  },
});
