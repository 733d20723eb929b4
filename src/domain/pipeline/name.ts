import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Label } from '#domain/language/syntax.ts';
import { withArticle } from '#domain/language/with-article.ts';

const name = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const typeName = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;
const variableName = /^[\p{L}_][\p{L}\p{N}_-]{0,62}$/u;
const title = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,100}$/u;

const kinds = {
  /** Names of jobs and resources, which are used in paths and labels. */
  name: {
    pattern: name,
    help: 'Use 1 to 63 letters, digits, "-", "_" or "."; the first and last must be a letter or digit.',
  },
  /** Types: a dot would blur `<type>.<name>`. */
  type: {
    pattern: typeName,
    help: 'Use 1 to 63 letters, digits, "-" or "_"; the first and last must be a letter or digit.',
  },
  variable: {
    pattern: variableName,
    help: 'Use letters, digits, "_" and "-"; the first must be a letter or "_".',
  },
  /** Tasks: only people read them. */
  title: { pattern: title, help: 'Use 1 to 100 characters on one line.' },
};

export function checkName(report: Report, kind: keyof typeof kinds, what: string, label: Label): boolean {
  const { pattern, help } = kinds[kind];
  if (pattern.test(label.text)) return true;
  report(
    diagnose(
      'invalid-name',
      label.range,
      `${JSON.stringify(label.text)} cannot be the name of ${withArticle(what)}`,
      help,
    ),
  );
  return false;
}

/** Takes the name, or reports where it was taken before. */
export function claimName(taken: Map<string, Label>, report: Report, what: string, label: Label): boolean {
  const before = taken.get(label.text);
  taken.set(label.text, before ?? label);
  if (!before) return true;
  const { line } = before.range.start;
  const message = `there is already ${withArticle(what)} "${label.text}" in line ${line}`;
  report({ ...diagnose('duplicate-name', label.range, message), otherLine: line });
  return false;
}
