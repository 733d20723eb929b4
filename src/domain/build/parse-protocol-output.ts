import {
  MAX_CHECK_BYTES,
  MAX_CHECK_VERSIONS,
  VERSION_LIMITS,
  type CheckOutput,
} from './parse-check-output.ts';
import { readJsonStream } from './read-json-stream.ts';
import { storable } from './storable.ts';

/*
 * Parses what the programs of Concourse's resource types print. `check` prints an array of versions. `in` and
 * `out` print an object with the version and its metadata.
 */

/** Limit for the stdout of one program. */
export const MAX_PROTOCOL_BYTES = MAX_CHECK_BYTES;
const MAX_QUOTED_CHARACTERS = 200;

/** A fact about the version of a get or put, which people see in the build. */
export interface Metadata {
  name: string;
  value: string;
}

/**
 * Limits for the metadata of one version; what exceeds them is left out. `entries`: number of entries.
 * `name`, `value`: characters of one name or value. `characters`: characters of all entries together. The
 * agent and the gateway apply the same limits.
 */
export const METADATA_LIMITS = { entries: 50, name: 200, value: 4096, characters: 32 * 1024 };

export interface ProtocolResult {
  /** Absent: the program `in` of a get did not print the version. */
  version?: Record<string, string>;
  metadata: Metadata[];
  /** Part of the metadata was left out because of `METADATA_LIMITS`. */
  cut: boolean;
}

export type ProtocolOutput = { ok: true; result: ProtocolResult } | { ok: false; error: string };

/**
 * Masks the secrets in a text. Mask a text before you cut it, because a secret that is cut in two is not
 * found.
 */
type Mask = (text: string) => string;

/**
 * The versions that a check printed, oldest first, or why its output is wrong. `null` and `[]` mean that
 * there are no versions.
 */
export function parseProtocolCheck(stdout: string, mask: Mask): CheckOutput {
  const refuse = (problem: string): CheckOutput => refused(`The check ${problem}`, ARRAY, mask(stdout));
  const values = readJsonStream(stdout);
  if (values === undefined) return refuse('did not print JSON');
  if (values.length === 0) return refuse('printed nothing');
  const versions: Record<string, string>[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!Array.isArray(value)) return refuse('printed JSON that is not an array');
    for (const entry of value) {
      const version = versionOf(entry);
      if (version === undefined)
        return refuse(`printed an array whose element ${versions.length} is not a version`);
      versions.push(version);
    }
  }
  return {
    ok: true,
    versions: versions.slice(-MAX_CHECK_VERSIONS),
    leftOut: Math.max(0, versions.length - MAX_CHECK_VERSIONS),
  };
}

/**
 * The result that a get (`in`) or a put (`out`) printed, or why the output is wrong. Only `out` must print a
 * version. Names and values of the metadata are masked, and shortened to `METADATA_LIMITS`.
 */
export function parseProtocolResult(program: 'in' | 'out', stdout: string, mask: Mask): ProtocolOutput {
  const refuse = (problem: string): ProtocolOutput => refused(`${program} ${problem}`, OBJECT, mask(stdout));
  const members = readObject(stdout);
  if (typeof members === 'string') return refuse(members);
  const printedVersion = members.get('version') ?? undefined;
  const version = versionOf(printedVersion);
  const needsVersion = printedVersion !== undefined || program === 'out';
  if (version === undefined && needsVersion) return refuse('printed no version');
  const metadata = metadataOf(members.get('metadata') ?? [], mask);
  if (metadata === undefined) return refuse('printed metadata that is not a list of names and values');
  return { ok: true, result: { ...(version && { version }), ...metadata } };
}

/**
 * The members of the only object in the text. If there is none, a text that says what the program did
 * instead.
 */
function readObject(stdout: string): Map<string, unknown> | string {
  const values = readJsonStream(stdout);
  if (values?.length === 0) return 'printed nothing';
  const [value, ...others] = values ?? [];
  if (values === undefined || others.length > 0) return 'did not print one JSON object';
  return membersOf(value) ?? 'printed JSON that is not an object';
}

const ARRAY = 'a JSON array of objects of strings';
const OBJECT = 'a JSON object with version and metadata';

function refused(problem: string, expected: string, masked: string): { ok: false; error: string } {
  const start = masked.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
  const shown = start === '' ? '' : ` It begins with: ${JSON.stringify(start)}`;
  return { ok: false, error: `${problem}; expected ${expected}.${shown}` };
}

/**
 * The version, if the value is a flat object of strings within `VERSION_LIMITS`, otherwise undefined. Nothing
 * is converted, because the programs must get their versions back unchanged.
 */
function versionOf(value: unknown): Record<string, string> | undefined {
  const members = [...(membersOf(value) ?? [])];
  const fields = members.flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' ? [[name, text]] : [],
  );
  const size = fields.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const fits =
    fields.length > 0 &&
    fields.length === members.length &&
    fields.length <= VERSION_LIMITS.fields &&
    size <= VERSION_LIMITS.characters &&
    fields.every(([name]) => name.length <= VERSION_LIMITS.name);
  return fits ? Object.fromEntries(fields) : undefined;
}

/**
 * The metadata within `METADATA_LIMITS`. Values that are not texts are shown as JSON. Undefined: `value` is
 * not a list of objects that have names.
 */
function metadataOf(value: unknown, mask: Mask): Pick<ProtocolResult, 'metadata' | 'cut'> | undefined {
  if (!Array.isArray(value)) return undefined;
  const shown: Metadata[] = [];
  let characters = 0;
  let cut = false;
  for (const entry of value) {
    const full = metadataEntry(entry, mask);
    if (full === undefined) return undefined;
    const short = {
      name: firstCharacters(full.name, METADATA_LIMITS.name),
      value: firstCharacters(full.value, METADATA_LIMITS.value),
    };
    characters += short.name.length + short.value.length;
    const fits = shown.length < METADATA_LIMITS.entries && characters <= METADATA_LIMITS.characters;
    if (fits) shown.push(short);
    cut ||= !fits || short.name !== full.name || short.value !== full.value;
  }
  return { metadata: shown, cut };
}

function metadataEntry(entry: unknown, mask: Mask): Metadata | undefined {
  const members = membersOf(entry);
  const name = members?.get('name');
  if (members === undefined || typeof name !== 'string') return undefined;
  const printedValue = members.get('value') ?? '';
  const value = typeof printedValue === 'string' ? printedValue : JSON.stringify(printedValue);
  return { name: storable(mask(name)), value: storable(mask(value)) };
}

const firstCharacters = (text: string, limit: number): string => text.slice(0, limit).toWellFormed();

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined;
}
