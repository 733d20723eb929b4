import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { fold, scopeOf } from './fold.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A regular expression of the project. `source` is undefined if it is not built from constants. */
export interface Regex {
  file: string;
  source: string | undefined;
  flags: string;
}

/** The programs, tools and harnesses of the project, without test files. */
export function filesWithRegexes(): string[] {
  return globSync(['{src,config,tools,bench,e2e}/**/*.{ts,tsx,js}', '*.js'], { cwd: ROOT })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .toSorted();
}

export function regexesIn(file: string, text = readFileSync(join(ROOT, file), 'utf8')): Regex[] {
  const program: unknown = parseSync(text, {
    ...(/\.tsx?$/.test(file) ? { syntax: 'typescript', tsx: file.endsWith('x') } : { syntax: 'ecmascript' }),
    target: 'es2024',
  });
  const scope = scopeOf(program, (imported) => readImported(file, imported));
  return nodesOf(program).flatMap((node) => {
    const found = regexOf(node, (part) => fold(part, scope));
    return found === undefined ? [] : [{ file, ...found }];
  });
}

/** The regular expression of a node: a literal, a call of `RegExp`, or a `pattern` as in a JSON Schema. */
function regexOf(
  node: Record<string, unknown>,
  evaluate: (part: unknown) => string | undefined,
): Omit<Regex, 'file'> | undefined {
  const { type, key, callee, pattern, flags } = node;
  if (type === 'RegExpLiteral')
    return { source: String(pattern), flags: typeof flags === 'string' ? flags : '' };
  if (type === 'KeyValueProperty') return valueOf(key) === 'pattern' ? schemaPattern(node) : undefined;
  if (valueOf(callee) !== 'RegExp') return undefined;
  const [source, options] = argumentsOf(node);
  return { source: evaluate(source), flags: evaluate(options) ?? '' };
}

const valueOf = (node: unknown): unknown => (isRecord(node) ? node['value'] : undefined);

function schemaPattern({ value }: Record<string, unknown>): Omit<Regex, 'file'> | undefined {
  if (!isRecord(value) || value['type'] !== 'StringLiteral') return undefined;
  return { source: String(value['value']), flags: 'u' };
}

function argumentsOf({ arguments: args }: Record<string, unknown>): unknown[] {
  if (!Array.isArray(args)) return [];
  return args.map((argument: unknown) => (isRecord(argument) ? argument['expression'] : argument));
}

function nodesOf(tree: unknown): Record<string, unknown>[] {
  if (Array.isArray(tree)) return tree.flatMap(nodesOf);
  if (!isRecord(tree)) return [];
  return [tree, ...Object.values(tree).flatMap(nodesOf)];
}

/**
 * The text of an imported module of the adapters, the domain or a relative path; undefined for all others.
 */
function readImported(from: string, name: string): string | undefined {
  const folders: Record<string, string> = { '#adapters/': 'src/adapters/', '#domain/': 'src/domain/' };
  const folder = Object.keys(folders).find((prefix) => name.startsWith(prefix));
  if (folder !== undefined)
    return readFileSync(join(ROOT, folders[folder] ?? '', name.slice(folder.length)), 'utf8');
  return name.startsWith('.') ? readFileSync(join(ROOT, from, '..', name), 'utf8') : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
