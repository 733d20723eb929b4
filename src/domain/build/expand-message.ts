import { expandReferences } from './expand-references.ts';

const VERSION_FIELD = /\$(?:\{(version_\w+)\}|(version_\w+))/g;

/**
 * The value of `$NOTIFY_MESSAGE`. References to variables of the build and to fields of the version
 * (`$version_<key>`) are replaced; unknown references stay as written. Then each `\n` becomes a line break,
 * even inside a value.
 */
export function expandMessage(message: string, variables: Readonly<Record<string, string>>): string {
  return replaceReferences(message, variables).replaceAll('\\n', '\n');
}

/** Replaces all references in one pass, so that a reference inside a value stays as written. */
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
