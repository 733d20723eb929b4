import {
  MAX_CHECK_BYTES,
  MAX_CHECK_VERSIONS,
  VERSION_LIMITS,
  type CheckOutput,
} from './parse-check-output.ts';
import { readJsonStream } from './read-json-stream.ts';
import { storable } from './storable.ts';

/*
 * What the programs of Concourse's resource types print: check an array of versions, in and out an object with
 * the version and its metadata.
 */

/** Stdout of one program. */
export const MAX_PROTOCOL_BYTES = MAX_CHECK_BYTES;
const MAX_QUOTED_CHARACTERS = 200;

/** What a get or put shows of its version. */
export interface Metadata {
  name: string;
  value: string;
}

/** Entries and characters beyond these are left out. The agent and the gateway apply the same limits. */
export const METADATA_LIMITS = { entries: 50, name: 200, value: 4096, characters: 32 * 1024 };

export interface ProtocolResult {
  /** Absent: a get that repeats none. */
  version?: Record<string, string>;
  metadata: Metadata[];
  /** Something exceeded the limits. */
  cut: boolean;
}

export type ProtocolOutput = { ok: true; result: ProtocolResult } | { ok: false; error: string };

/** Masks secrets. Before anything is cut: half a secret would not be found. */
type Mask = (text: string) => string;

/** Oldest first. `null` and `[]` mean that there is none. */
export function parseProtocolCheck(stdout: string, mask: Mask): CheckOutput {
  const refuse = (what: string): CheckOutput => refused(`The check ${what}`, ARRAY, mask(stdout));
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
        return refuse(`printed an array whose element ${versions.length} is no version`);
      versions.push(version);
    }
  }
  return {
    ok: true,
    versions: versions.slice(-MAX_CHECK_VERSIONS),
    left: Math.max(0, versions.length - MAX_CHECK_VERSIONS),
  };
}

/** `program`: `in` or `out`. Only `out` must name a version. Values of the metadata are masked and shortened. */
export function parseProtocolResult(program: 'in' | 'out', stdout: string, mask: Mask): ProtocolOutput {
  const refuse = (what: string): ProtocolOutput => refused(`${program} ${what}`, OBJECT, mask(stdout));
  const members = readObject(stdout);
  if (typeof members === 'string') return refuse(members);
  const given = members.get('version') ?? undefined;
  const version = versionOf(given);
  const needsVersion = given !== undefined || program === 'out';
  if (version === undefined && needsVersion) return refuse('printed no version');
  const metadata = metadataOf(members.get('metadata') ?? [], mask);
  if (metadata === undefined) return refuse('printed metadata that is no list of names and values');
  return { ok: true, result: { ...(version && { version }), ...metadata } };
}

/** The members of the one object in a text, or what is there instead. */
function readObject(stdout: string): Map<string, unknown> | string {
  const values = readJsonStream(stdout);
  if (values?.length === 0) return 'printed nothing';
  const [value, ...more] = values ?? [];
  if (values === undefined || more.length > 0) return 'did not print one JSON object';
  return membersOf(value) ?? 'printed JSON that is not an object';
}

const ARRAY = 'a JSON array of objects of strings';
const OBJECT = 'a JSON object with version and metadata';

function refused(what: string, expected: string, masked: string): { ok: false; error: string } {
  const start = masked.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
  const shown = start === '' ? '' : ` It begins with: ${JSON.stringify(start)}`;
  return { ok: false, error: `${what}; expected ${expected}.${shown}` };
}

/** A flat object of strings, which the program gets back exactly as it is. */
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

/** Values that are no text are shown as JSON. Undefined: it is no list of objects with a name. */
function metadataOf(value: unknown, mask: Mask): Pick<ProtocolResult, 'metadata' | 'cut'> | undefined {
  if (!Array.isArray(value)) return undefined;
  const shown: Metadata[] = [];
  let characters = 0;
  let cut = false;
  for (const entry of value) {
    const whole = entryOf(entry, mask);
    if (whole === undefined) return undefined;
    const one = {
      name: start(whole.name, METADATA_LIMITS.name),
      value: start(whole.value, METADATA_LIMITS.value),
    };
    characters += one.name.length + one.value.length;
    const fits = shown.length < METADATA_LIMITS.entries && characters <= METADATA_LIMITS.characters;
    if (fits) shown.push(one);
    cut ||= !fits || one.name !== whole.name || one.value !== whole.value;
  }
  return { metadata: shown, cut };
}

function entryOf(entry: unknown, mask: Mask): Metadata | undefined {
  const members = membersOf(entry);
  const name = members?.get('name');
  if (members === undefined || typeof name !== 'string') return undefined;
  const given = members.get('value') ?? '';
  const value = typeof given === 'string' ? given : JSON.stringify(given);
  return { name: storable(mask(name)), value: storable(mask(value)) };
}

const start = (text: string, limit: number): string => text.slice(0, limit).toWellFormed();

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : undefined;
}
