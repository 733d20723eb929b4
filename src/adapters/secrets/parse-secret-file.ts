import { parse } from 'yaml';

export type SecretFile = { values: Map<string, string> } | { fault: string };

/** Larger files are refused, unless their format is `raw`. */
export const MAX_SECRET_FILE_BYTES = 64 * 1024;
/** Larger YAML files are refused, because the time of the YAML parser grows faster than the text. */
export const MAX_YAML_BYTES = 16 * 1024;

const FORMATS: ReadonlyMap<string, (text: string) => SecretFile> = new Map([
  ['json', (text: string) => readMembers(() => JSON.parse(text), 'JSON')],
  ['yaml', (text: string) => readMembers(() => parse(text, YAML_OPTIONS), 'YAML')],
  ['env', (text: string) => ({ values: new Map(text.split(/\r?\n/).flatMap(readLine)) })],
  ['raw', (text: string) => ({ values: new Map([['content', text]]) })],
]);

/**
 * `uniqueKeys: false` avoids the search for duplicate keys, which takes quadratic time. As in JSON, the last
 * of several equal keys counts.
 */
const YAML_OPTIONS = { maxAliasCount: 0, uniqueKeys: false };

/**
 * Parses a file into values by name. If `format` is empty, the extension of the file name decides, and a file
 * with another extension is `raw`: its only value is named `content`.
 */
export function parseSecretFile(text: string, name: string, format: string): SecretFile {
  const usedFormat = format === '' ? formatOf(name) : format;
  const maxBytes = usedFormat === 'yaml' ? MAX_YAML_BYTES : MAX_SECRET_FILE_BYTES;
  if (usedFormat !== 'raw' && Buffer.byteLength(text) > maxBytes)
    return { fault: `it is longer than ${maxBytes / 1024} KiB` };
  return FORMATS.get(usedFormat)?.(text) ?? { fault: 'its format is none of json, yaml, env and raw' };
}

function formatOf(name: string): string {
  const extension = /\.(json|env|ya?ml)$/.exec(name)?.[1] ?? 'raw';
  return extension === 'yml' ? 'yaml' : extension;
}

/** Errors of the parsers are not passed on, because they quote the text. */
function readMembers(read: () => unknown, format: string): SecretFile {
  try {
    const parsed = read();
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return { fault: `the ${format} in it is not an object` };
    return { values: new Map(Object.entries(parsed).map(([key, value]) => [key, stringOfEntry(value)])) };
  } catch {
    return { fault: `it is not valid ${format}` };
  }
}

/** Returns a string unchanged, and anything else as JSON. */
export function stringOfEntry(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Parses `NAME=value`, optionally after `export`. Other lines, such as comments, are ignored. */
function readLine(line: string): [string, string][] {
  const { name, value = '' } =
    /^\s*(?:export\s+)?(?<name>[A-Za-z_][\w.-]*)\s*=(?<value>.*)$/.exec(line)?.groups ?? {};
  return name === undefined ? [] : [[name, unquoted(value.trim())]];
}

function unquoted(text: string): string {
  const [first = ''] = text;
  const isQuoted = text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}
