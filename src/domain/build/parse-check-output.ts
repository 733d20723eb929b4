import type { Masker } from './mask-secrets.ts';

/** Limit for the stdout of a check. */
export const MAX_CHECK_BYTES = 1024 * 1024;
const MAX_QUOTED_CHARACTERS = 200;
/** Maximum number of versions that one check can add. If it prints more, only the newest count. */
export const MAX_CHECK_VERSIONS = 100;
/** Limit for the JSON text of these versions, which may be much larger flattened than as printed. */
export const MAX_VERSIONS_BYTES = 4 * 1024 * 1024;
/**
 * Limits for one flattened version. `fields`: number of fields. `characters`: characters of all names and
 * values together. `name`: characters of one name. The agent and the gateway apply the same limits.
 */
export const VERSION_LIMITS = { fields: 256, characters: 64 * 1024, name: 200 };

export type CheckOutput =
  | {
      ok: true;
      versions: Record<string, string>[];
      /** How many older versions were left out. */
      leftOut: number;
    }
  | { ok: false; error: string };

/**
 * The versions that a check printed, oldest first, or why its output is wrong. A check must print a JSON
 * array of objects, oldest first; each object is a version. An error quotes the start of the masked output.
 */
export function parseCheckOutput(stdout: string, mask: Masker['mask']): CheckOutput {
  const refuse = (problem: string): CheckOutput => refused(problem, mask(stdout));
  const parsed = parseJson(stdout);
  if (parsed === undefined) return refuse('did not print JSON');
  if (!Array.isArray(parsed.value)) return refuse('printed JSON that is not an array');
  const versions: Record<string, string>[] = [];
  for (const [index, element] of parsed.value.entries()) {
    const version = flattenVersion(element);
    if (version === undefined)
      return refuse(
        `printed an array whose element ${index} is not an object with 1 to ${VERSION_LIMITS.fields} fields in 64 KiB`,
      );
    versions.push(version);
  }
  return {
    ok: true,
    versions: versions.slice(-MAX_CHECK_VERSIONS),
    leftOut: Math.max(0, versions.length - MAX_CHECK_VERSIONS),
  };
}

/** The error of a check that printed more than `MAX_CHECK_BYTES` bytes. `head`: these first bytes. */
export function explainLongOutput(head: string, mask: Masker['mask']): string {
  return refused(`printed more than ${MAX_CHECK_BYTES} bytes`, mask(head)).error;
}

/**
 * The version that a push created: the last line of its stdout. Undefined: that line is not a JSON object, or
 * not a version within the limits.
 */
export function parsePushOutput(stdout: string): Record<string, string> | undefined {
  const line = stdout.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line.startsWith('{') ? flattenVersion(parseJson(line)?.value) : undefined;
}

/**
 * `masked`: the masked output, or its masked first `MAX_CHECK_BYTES` bytes. It must be masked before this
 * function shortens it, because a secret that is cut in two cannot be found.
 */
function refused(problem: string, masked: string): CheckOutput & { ok: false } {
  const start = masked.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
  const shown = start === '' ? 'It printed nothing.' : `It begins with: ${JSON.stringify(start)}`;
  return { ok: false, error: `The check ${problem}; expected a JSON array of objects. ${shown}` };
}

/** Only a text that matches can have a whole number that JavaScript would round. */
const MANY_DIGITS = /\d{16}/;

function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = MANY_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/**
 * A reviver for `JSON.parse`: a whole number that JavaScript would round becomes a text, as it was written.
 */
function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return isRounded(value) && source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/**
 * The flattened name of the first field whose value is a whole number that JavaScript has rounded. Undefined:
 * there is none.
 */
export function roundedField(value: object): string | undefined {
  return [...leavesOf(value)].find(([, leaf]) => isRounded(leaf))?.[0];
}

/**
 * Flattens nested objects and arrays with `_`: `{"meta":{"sha":"b"},"tags":["x"]}` → `meta_sha`, `tags_0`.
 * Numbers and booleans become strings, and null is left out. Undefined: the value is not an object, has no
 * fields or exceeds `VERSION_LIMITS`.
 */
export function flattenVersion(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields: [string, string][] = [];
  let size = 0;
  for (const [path, leaf] of leavesOf(value)) {
    const text = typeof leaf === 'string' ? leaf : JSON.stringify(leaf);
    size += path.length + text.length;
    fields.push([path, text]);
    if (fields.length > VERSION_LIMITS.fields || size > VERSION_LIMITS.characters) return undefined;
    if (path.length > VERSION_LIMITS.name) return undefined;
  }
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** All strings, numbers and booleans in the value, in order, with their flattened names. */
function* leavesOf(value: object): Generator<[string, unknown]> {
  const pending: [string, unknown][] = [['', value]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, part] = next;
    if (part === null) continue;
    if (typeof part !== 'object') {
      yield next;
      continue;
    }
    const prefix = path === '' ? '' : `${path}_`;
    for (const [key, field] of Object.entries(part).toReversed()) pending.push([prefix + key, field]);
  }
}
