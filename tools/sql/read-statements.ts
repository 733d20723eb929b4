import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const ROOT = join(import.meta.dirname, '../..');

/** SQL that locks rows. */
export interface LockingStatement {
  /** `UPDATE builds`, `DELETE FROM jobs`, or `FOR UPDATE` for a query that locks rows. */
  kind: string;
  /** The table that it writes; undefined for a query that locks rows. */
  table?: string;
  /** Its text, without the statement around it. The text of a query that locks rows ends before the lock. */
  text: string;
  /** The text of the template before a write; empty for a query that locks rows. */
  before: string;
}

/** The sources of the adapter, without tests. */
export function filesWithSql(): string[] {
  return globSync('src/adapters/database/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted();
}

/** Returns the statements of a source file that lock rows. Each value in them is a `$`. */
export function lockingStatements(
  file: string,
  source = readFileSync(join(ROOT, file), 'utf8'),
): LockingStatement[] {
  return textsIn(parseSync(source, { syntax: 'typescript', target: 'es2024' }))
    .map((text) => withoutComments(text).replaceAll(/\s+/g, ' '))
    .flatMap((text) => [...writesIn(text), ...rowLocksIn(text)]);
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('--', 1)[0] ?? '')
    .join(' ');
}

/** Returns the text of each template that is in no other template. */
function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (!isNode(node)) return [];
  if (node['type'] === 'TemplateLiteral') return [textOf(node)];
  return Object.values(node).flatMap(textsIn);
}

function textOf({ quasis, expressions }: Record<string, unknown>): string {
  const values = arrayOf(expressions).map((expression) => textsIn(expression).join(' ') || '$');
  return arrayOf(quasis)
    .map((quasi, index) => `${isNode(quasi) ? String(quasi['raw']) : ''}${values[index] ?? ''}`)
    .join('');
}

/** The words before an `UPDATE` that does not begin a statement: those of a row lock or of an upsert. */
const NO_WRITE_AFTER = ['FOR ', 'FOR NO KEY ', 'DO '];

function writesIn(text: string): LockingStatement[] {
  return [...text.matchAll(/\b(UPDATE|DELETE FROM) ([a-z_]+)/g)]
    .map((match) => ({
      kind: match[0],
      table: match[2] ?? '',
      text: text.slice(match.index, endOf(text, match.index)),
      before: text.slice(0, match.index),
    }))
    .filter(({ before }) => !NO_WRITE_AFTER.some((end) => before.endsWith(end)));
}

function rowLocksIn(text: string): LockingStatement[] {
  return [...text.matchAll(/\bFOR (?:NO KEY UPDATE|UPDATE|SHARE)(?: OF [a-z]+)?(?: SKIP LOCKED)?/g)].map(
    (match) => ({
      kind: match[0],
      text: text.slice(startOf(text, match.index), match.index).trim(),
      before: '',
    }),
  );
}

/** Returns where the query around a position starts: after the parenthesis around it, or with the text. */
function startOf(text: string, end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at -= 1) {
    if (text[at] === ')') depth += 1;
    if (text[at] === '(') depth -= 1;
    if (depth < 0) return at + 1;
  }
  return 0;
}

/** Returns where the statement ends: at the parenthesis around it, or with the text. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth < 0) return at;
  }
  return text.length;
}

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
