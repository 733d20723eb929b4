import { expandReferences } from './expand-references.ts';

const VERSION_FIELD = /\$(?:\{(version_\w+)\}|(version_\w+))/g;

/**
 * The value of `$NOTIFY_MESSAGE`: references to variables and to fields of the version are replaced, and `\n`
 * starts a new line. Unknown references stay as written.
 */
export function expandMessage(message: string, variables: Readonly<Record<string, string>>): string {
  return message
    .split('\\n')
    .map((line) => expandLine(line, variables))
    .join('\n');
}

/** In one pass, so that values are not expanded again. */
function expandLine(line: string, variables: Readonly<Record<string, string>>): string {
  let filled = '';
  let from = 0;
  for (const found of line.matchAll(VERSION_FIELD)) {
    const name = found[1] ?? found[2] ?? '';
    filled += expandReferences(line.slice(from, found.index), variables);
    filled += Object.hasOwn(variables, name) ? (variables[name] ?? '') : found[0];
    from = found.index + found[0].length;
  }
  return filled + expandReferences(line.slice(from), variables);
}
