import { expandReferences } from './expand-references.ts';

const VERSION_FIELD = /\$(?:\{(version_\w+)\}|(version_\w+))/g;

/**
 * The value of `$NOTIFY_MESSAGE`: references to variables and to fields of the version are replaced, then `\n`
 * starts a new line, in values too. Unknown references stay as written.
 */
export function expandMessage(message: string, variables: Readonly<Record<string, string>>): string {
  return fillIn(message, variables).replaceAll('\\n', '\n');
}

/** In one pass, so that values are not expanded again. */
function fillIn(message: string, variables: Readonly<Record<string, string>>): string {
  let filled = '';
  let from = 0;
  for (const found of message.matchAll(VERSION_FIELD)) {
    const name = found[1] ?? found[2] ?? '';
    filled += expandReferences(message.slice(from, found.index), variables);
    filled += Object.hasOwn(variables, name) ? (variables[name] ?? '') : found[0];
    from = found.index + found[0].length;
  }
  return filled + expandReferences(message.slice(from), variables);
}
