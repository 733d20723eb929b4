import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Label } from '#domain/language/syntax.ts';
import { withArticle } from '#domain/language/with-article.ts';

const name = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const typeName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;
const variableName = /^[\p{L}_][\p{L}\p{N}_-]{0,62}$/u;
const title = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,100}$/u;

const nameKinds = {
  /** Names of jobs and resources, which are used in paths and labels. */
  name: {
    pattern: name,
    help: 'Use 1 to 63 letters, digits, "-", "_" or "."; the first and last must be a letter or digit.',
  },
  /** Names of types. With a dot in a type, `<type>.<name>` would be ambiguous. */
  type: {
    pattern: typeName,
    help: 'Use 1 to 63 letters, digits, "-" or "_"; the first and last must be a letter or digit.',
  },
  /** Names of variables, inputs and identities. */
  variable: {
    pattern: variableName,
    help: 'Use letters, digits, "_" and "-"; the first must be a letter or "_".',
  },
  /** Titles of tasks, gates and branches, which only people read. */
  title: { pattern: title, help: 'Use 1 to 100 characters on one line.' },
};

/** Reports an invalid name. `noun`: what has the name, for example `job`. */
export function checkName(report: Report, kind: keyof typeof nameKinds, noun: string, label: Label): boolean {
  const { pattern, help } = nameKinds[kind];
  if (pattern.test(label.text)) return true;
  report(
    diagnose(
      'invalid-name',
      label.range,
      `${JSON.stringify(label.text)} cannot be the name of ${withArticle(noun)}`,
      help,
    ),
  );
  return false;
}

/**
 * Marks the name as taken. If it is taken already, reports the line of the earlier label and returns false.
 */
export function claimName(taken: Map<string, Label>, report: Report, noun: string, label: Label): boolean {
  const earlier = taken.get(label.text);
  taken.set(label.text, earlier ?? label);
  if (!earlier) return true;
  const { line } = earlier.range.start;
  const message = `there is already ${withArticle(noun)} "${label.text}" in line ${line}`;
  report({ ...diagnose('duplicate-name', label.range, message), otherLine: line });
  return false;
}
