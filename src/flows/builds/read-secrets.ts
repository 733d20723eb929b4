import type { SecretOutput } from '#domain/build/parse-secret-output.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { nextLookups, type SecretLookup } from '#domain/planning/next-lookups.ts';
import {
  MAX_SECRET_CHARACTERS,
  MAX_SECRETS,
  TOO_LONG_SECRET,
  TOO_MANY_SECRETS,
} from '#domain/planning/secret-limits.ts';
import type { SecretOwner, SecretsAnswer, TeamSecrets } from './session-ports.ts';

/** Outputs of the gets of secret types, which the agent ran, by the name of the secret. */
export type GivenSecrets = ReadonlyMap<string, SecretOutput>;

/**
 * `run`: the agent must run these gets first. `known`: secret values that the gets may contain, to be masked.
 */
export type SecretsRead =
  | SecretsAnswer
  | { answer: 'run'; lookups: SecretLookup[]; known: readonly string[] };

export interface SecretsToRead extends SecretOwner {
  definition: Pipeline;
  given: GivenSecrets;
}

/**
 * Reads the secrets with these names. Before a secret, reads the secrets that it needs, such as the token of
 * a Vault. The answer has only the secrets with these names.
 */
export async function lookUpSecrets(
  names: readonly string[],
  { definition, given, ...owner }: SecretsToRead,
  secrets: TeamSecrets,
): Promise<SecretsRead> {
  const { team, namespace, pipelineId } = owner;
  const values = new Map<string, string>();
  const plain = new Set<string>();
  const missing = new Map<string, string>();
  for (;;) {
    const lookups = nextLookups(names, definition, { values, missing });
    if (values.size + missing.size + lookups.length > MAX_SECRETS) return tooManySecrets(names);
    const [toRun, toRead] = splitByGet(lookups, given);
    if (toRead.length === 0 && toRun.length > 0)
      return { answer: 'run', lookups: toRun, known: valuesToMask(values, plain) };
    if (toRead.length === 0) break;
    const read = await readAll(toRead, given, { owner: { team, namespace, pipelineId }, secrets });
    if (read.answer !== 'read') return read;
    for (const { name } of toRead) recordLookup(name, read, { values, missing });
    for (const name of read.plain ?? []) plain.add(name);
  }
  return { answer: 'read', plain, ...resultsFor(names, { values, missing }) };
}

interface Results {
  values: Map<string, string>;
  missing: Map<string, string>;
}

/** For each of the names, its value or the reason why it has none. */
function resultsFor(names: readonly string[], { values, missing }: Results): Results {
  const results: Results = { values: new Map(), missing: new Map() };
  for (const name of names) {
    const value = values.get(name);
    if (value === undefined) results.missing.set(name, reasonOf(name, missing));
    else results.values.set(name, value);
  }
  return results;
}

/** Splits the look-ups: first those for which the agent must run a get, then those that can be read now. */
function splitByGet(lookups: readonly SecretLookup[], given: GivenSecrets): [SecretLookup[], SecretLookup[]] {
  const needsRun = ({ get, name, fault }: SecretLookup): boolean =>
    get !== undefined && fault === undefined && !given.has(name);
  return [lookups.filter(needsRun), lookups.filter((lookup) => !needsRun(lookup))];
}

/** Reads stored secrets, and takes those of secret types from `given`, the outputs of their gets. */
async function readAll(
  lookups: readonly SecretLookup[],
  given: GivenSecrets,
  { owner, secrets }: { owner: SecretOwner; secrets: TeamSecrets },
): Promise<SecretsAnswer> {
  const stored = lookups.filter(isStored);
  const fromGets = lookups.filter((lookup) => !isStored(lookup));
  const read: SecretsAnswer =
    stored.length === 0 ? { answer: 'read', values: new Map() } : await secrets.read(owner, stored);
  if (read.answer !== 'read') return read;
  const values = new Map(read.values);
  const missing = new Map(read.missing);
  for (const { name, source, fault } of fromGets) {
    const output = fault === undefined ? given.get(name) : { fault };
    if (output !== undefined && 'value' in output) values.set(name, output.value);
    else
      missing.set(
        name,
        `The ${source} secret ${name} has no value: ${output?.fault ?? 'its get returned nothing'}.`,
      );
  }
  return { ...read, values, missing };
}

const isStored = ({ get, fault }: SecretLookup): boolean => get === undefined && fault === undefined;

/** Gives the reason to the first name only, so that people see it once. */
function tooManySecrets(names: readonly string[]): SecretsRead {
  const missing = names.slice(0, 1).map((name) => [name, TOO_MANY_SECRETS] as const);
  return { answer: 'read', values: new Map(), missing: new Map(missing) };
}

function valuesToMask(values: ReadonlyMap<string, string>, plain: ReadonlySet<string>): string[] {
  return [...new Set([...values].flatMap(([name, value]) => (plain.has(name) ? [] : [value])))];
}

/** Records the value of the secret, or the reason why it has none. */
function recordLookup(
  name: string,
  read: SecretsAnswer & { answer: 'read' },
  { values, missing }: Results,
): void {
  const value = read.values.get(name);
  if (value !== undefined && value.length > MAX_SECRET_CHARACTERS)
    missing.set(name, withoutValue(name, TOO_LONG_SECRET));
  else if (value !== undefined) values.set(name, value);
  else missing.set(name, read.missing?.get(name) ?? withoutValue(name, NOT_STORED));
}

/**
 * Why the secret has no value. `missing` has no reason for a secret that was never looked up, because it
 * needs its own value, or the value of a secret that has none.
 */
function reasonOf(name: string, missing: ReadonlyMap<string, string>): string {
  const ownReason = missing.get(name);
  if (ownReason !== undefined) return ownReason;
  if (missing.size === 0) return withoutValue(name, 'looking it up needs its own value');
  return `${withoutValue(name, 'a secret that it needs has none')} ${[...missing.values()].join(' ')}`;
}

const NOT_STORED = 'no store of secrets has it';

const withoutValue = (name: string, why: string): string => `The secret ${name} has no value: ${why}.`;
