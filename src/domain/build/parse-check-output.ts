/** Stdout of a check, at most. */
export const CHECK_OUTPUT_LIMIT = 1024 * 1024;
const SHOWN = 200;
/** One check brings at most so many versions; the newest count. */
export const MOST_VERSIONS = 100;
/**
 * Of one version, after flattening; `characters` counts names and values of all fields. The agent and the
 * gateway hold to the same.
 */
export const VERSION_LIMIT = { fields: 256, characters: 64 * 1024, name: 200 };

export type CheckOutput =
  | { ok: true; versions: Record<string, string>[]; /** How many older ones there were. */ left: number }
  | { ok: false; error: string };

/** A check answers with a JSON array of objects, oldest first; each object is a version. */
export function parseCheckOutput(stdout: string): CheckOutput {
  if (stdout.length > CHECK_OUTPUT_LIMIT) {
    return refuse(`printed more than ${CHECK_OUTPUT_LIMIT} bytes`, stdout);
  }
  const parsed = parseJson(stdout);
  if (parsed === undefined) return refuse('did not print JSON', stdout);
  if (!Array.isArray(parsed.value)) return refuse('printed JSON that is not an array', stdout);
  const versions: Record<string, string>[] = [];
  for (const [index, entry] of parsed.value.entries()) {
    const version = flattenVersion(entry);
    if (version === undefined)
      return refuse(
        `printed an array whose element ${index} is not an object with 1 to ${VERSION_LIMIT.fields} fields in 64 KiB`,
        stdout,
      );
    versions.push(version);
  }
  return {
    ok: true,
    versions: versions.slice(-MOST_VERSIONS),
    left: Math.max(0, versions.length - MOST_VERSIONS),
  };
}

/** The version that a push names with the last line of its stdout, if that is a JSON object. */
export function parsePushOutput(stdout: string): Record<string, string> | undefined {
  const line = stdout.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line.startsWith('{') ? flattenVersion(parseJson(line)?.value) : undefined;
}

function refuse(what: string, stdout: string): CheckOutput {
  const start = stdout.slice(0, SHOWN).toWellFormed();
  const shown = start === '' ? 'It printed nothing.' : `It begins with: ${JSON.stringify(start)}`;
  return { ok: false, error: `The check ${what}; expected a JSON array of objects. ${shown}` };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/**
 * Nested objects and arrays flatten with `_` (`{"meta":{"sha":"b"},"tags":["x"]}` → `meta_sha`, `tags_0`);
 * numbers and booleans become strings; null is left out. Undefined: not an object, or one with no fields or
 * too many.
 */
export function flattenVersion(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields: [string, string][] = [];
  let size = 0;
  for (const [path, leaf] of leavesOf(value)) {
    const text = typeof leaf === 'string' ? leaf : JSON.stringify(leaf);
    size += path.length + text.length;
    fields.push([path, text]);
    if (fields.length > VERSION_LIMIT.fields || size > VERSION_LIMIT.characters) return undefined;
    if (path.length > VERSION_LIMIT.name) return undefined;
  }
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** Everything in it that is no object, in order, with its path. */
function* leavesOf(value: object): Generator<[string, unknown]> {
  const open: [string, unknown][] = [['', value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, part] = next;
    if (typeof part !== 'object') yield next;
    if (typeof part !== 'object' || part === null) continue;
    const prefix = path === '' ? '' : `${path}_`;
    for (const [key, field] of Object.entries(part).toReversed()) open.push([prefix + key, field]);
  }
}
