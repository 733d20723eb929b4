import { parse } from 'yaml';

export type SecretFile = { values: Map<string, string> } | { fault: string };

/** Larger files are not parsed. */
export const MAX_SECRET_FILE_BYTES = 64 * 1024;
/** The parser of YAML is slow, and its time grows faster than the text. */
export const MAX_YAML_BYTES = 16 * 1024;

const FORMATS: Readonly<Record<string, (text: string) => SecretFile>> = {
  json: (text) => membersOf(() => JSON.parse(text), 'JSON'),
  yaml: (text) => membersOf(() => parse(text, YAML), 'YAML'),
  env: (text) => ({ values: new Map(text.split(/\r?\n/).flatMap(readLine)) }),
  raw: (text) => ({ values: new Map([['content', text]]) }),
};

/** The search for duplicate keys takes quadratic time. As in JSON, the last one counts. */
const YAML = { maxAliasCount: 0, uniqueKeys: false };

/**
 * Parses a file into values by name. Without a format, the extension of the file name decides; otherwise it
 * is `raw`.
 */
export function parseSecretFile(text: string, name: string, format: string): SecretFile {
  const known = format === '' ? formatOf(name) : format;
  const max = known === 'yaml' ? MAX_YAML_BYTES : MAX_SECRET_FILE_BYTES;
  if (known !== 'raw' && Buffer.byteLength(text) > max)
    return { fault: `it is longer than ${max / 1024} KiB` };
  return FORMATS[known]?.(text) ?? { fault: 'its format is none of json, yaml, env and raw' };
}

function formatOf(name: string): string {
  const ending = /\.(json|env|ya?ml)$/.exec(name)?.[1] ?? 'raw';
  return ending === 'yml' ? 'yaml' : ending;
}

/** Errors of the parsers quote the text, so they are not passed on. */
function membersOf(read: () => unknown, format: string): SecretFile {
  try {
    const found = read();
    if (typeof found !== 'object' || found === null || Array.isArray(found))
      return { fault: `the ${format} in it is not an object` };
    return { values: new Map(Object.entries(found).map(([key, value]) => [key, stringOfEntry(value)])) };
  } catch {
    return { fault: `it is not valid ${format}` };
  }
}

/** Returns the JSON of a member that is not a string. */
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
  const quoted = text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first);
  return quoted ? text.slice(1, -1) : text;
}
