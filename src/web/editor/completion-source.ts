import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { suggestAt, type KnownType, type Suggestion } from './complete.ts';

/** Completes names and values from the schema of the language. */
export function completionFrom(
  types: readonly KnownType[],
): (context: CompletionContext) => CompletionResult | null {
  return ({ state, pos, explicit }) => {
    const { from, suggestions } = suggestAt(state.doc.toString(), pos, types);
    const isTyping = pos > from || state.sliceDoc(from - 1, from) === '"';
    if (suggestions.length === 0 || (!explicit && !isTyping)) return null;
    return { from, options: suggestions.map(completionOf), validFor: WORD };
  };
}

const WORD = /^[\w-]*$/;

function completionOf({ label, kind, about, template }: Suggestion): Completion {
  const common = { label, detail: kind === 'value' ? '' : kind, info: about };
  return template === undefined ? common : snippetCompletion(template, common);
}
