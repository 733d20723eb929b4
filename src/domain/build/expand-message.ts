import { expandReferences } from './expand-references.ts';

const VERSION_FIELD = /\$(?:\{(version_\w+)\}|(version_\w+))/g;

/**
 * The value of `$NOTIFY_MESSAGE`: references to variables and to fields of the version are replaced, then
 * `\n` starts a new line, in values too. Unknown references stay as written.
 */
export function expandMessage(message: string, variables: Readonly<Record<string, string>>): string {
  return replaceReferences(message, variables).replaceAll('\\n', '\n');
}

/** Replaces all references in one pass, so that references in values are not replaced. */
function replaceReferences(message: string, variables: Readonly<Record<string, string>>): string {
  let filled = '';
  let from = 0;
  for (const match of message.matchAll(VERSION_FIELD)) {
    const name = match[1] ?? match[2] ?? '';
    filled += expandReferences(message.slice(from, match.index), variables);
    filled += Object.hasOwn(variables, name) ? (variables[name] ?? '') : match[0];
    from = match.index + match[0].length;
  }
  return filled + expandReferences(message.slice(from), variables);
}
