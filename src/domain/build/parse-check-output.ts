import type { Masker } from './mask-secrets.ts';

/** Limit for the stdout of a check. */
export const MAX_CHECK_BYTES = 1024 * 1024;
const MAX_QUOTED_CHARACTERS = 200;
/** Limit for the versions that one check may add: the newest ones. */
export const MAX_CHECK_VERSIONS = 100;
/** Limit for these versions as JSON. Flattened versions may be much larger than the stdout of the check. */
export const MAX_VERSIONS_BYTES = 4 * 1024 * 1024;
/**
 * Limits of one flattened version. `characters` counts the names and values of all fields. The agent and the
 * gateway apply the same limits.
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
 * A check prints a JSON array of objects, oldest first. Each object is a version. An error quotes the start
 * of the masked output.
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

/** Why a check that printed too much failed. `head`: its first `MAX_CHECK_BYTES` bytes. */
export function explainLongOutput(head: string, mask: Masker['mask']): string {
  return refused(`printed more than ${MAX_CHECK_BYTES} bytes`, mask(head)).error;
}

/** The version that a push made: the last line of its stdout, if that is a JSON object. */
export function parsePushOutput(stdout: string): Record<string, string> | undefined {
  const line = stdout.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line.startsWith('{') ? flattenVersion(parseJson(line)?.value) : undefined;
}

/** The text is masked already, because a secret that is cut in two cannot be found. */
function refused(problem: string, masked: string): CheckOutput & { ok: false } {
  const start = masked.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
  const shown = start === '' ? 'It printed nothing.' : `It begins with: ${JSON.stringify(start)}`;
  return { ok: false, error: `The check ${problem}; expected a JSON array of objects. ${shown}` };
}

/** Texts without so many digits in a row have no whole number that JavaScript rounds. */
const MANY_DIGITS = /\d{16}/;

function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = MANY_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/** A reviver for JSON: whole numbers that JavaScript would round become texts, as they are written. */
function keepDigits(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return isRounded(value) && source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** The name of the first field with a whole number that JavaScript has rounded. */
export function roundedField(value: object): string | undefined {
  return [...leavesOf(value)].find(([, leaf]) => isRounded(leaf))?.[0];
}

/**
 * Flattens nested objects and arrays with `_`: `{"meta":{"sha":"b"},"tags":["x"]}` → `meta_sha`, `tags_0`.
 * Numbers and booleans become strings; null is left out. Undefined: not an object, without fields, or too
 * large.
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

/** All values that are neither objects nor null, in order, with their paths. */
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
