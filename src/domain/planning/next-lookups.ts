import { defined } from '#defined';
import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline, SecretType, SecretVariable } from '#domain/pipeline/pipeline.ts';
import { fillSecretPlaceholders, findSecretNames } from '#domain/pipeline/secret-placeholder.ts';
import { MAX_FILLED_CHARACTERS, TOO_LONG_CONFIGURATION } from './secret-limits.ts';

/** One secret to read. Its path, key and configuration have values in place of placeholders. */
export interface SecretLookup {
  /** The name in the placeholder: a variable, or `<Secret>/<key>` for a Secret of the team's namespace. */
  name: string;
  /**
   * A built-in source without its scheme, such as `vault`; the name of a secret type of the pipeline; or
   * `undeclared` if the pipeline declares no secret of this name.
   */
  source: string;
  /** The command of a type of the pipeline; the agent runs it. */
  get?: Command;
  key: string;
  /** Empty if neither the variable nor its type has one. */
  path: string;
  config: Record<string, string>;
  /** Why the lookup cannot be made. */
  fault?: string;
}

type Declared = Pick<Pipeline, 'secrets' | 'secretTypes'>;

/** The results of earlier lookups, by name: values, and reasons why there is no value. */
export interface LookedUp {
  values: ReadonlyMap<string, string>;
  missing: ReadonlyMap<string, string>;
}

/**
 * The lookups to make now: of `names`, and of the secrets that these lookups need first. Empty: all lookups
 * have been made, or those that are left need a secret without a value or need each other.
 */
export function nextLookups(
  names: readonly string[],
  declared: Declared,
  { values: known, missing }: LookedUp,
): SecretLookup[] {
  const variables = new Map((declared.secrets ?? []).map((secret) => [secret.name, secret]));
  const types = new Map((declared.secretTypes ?? []).map((type) => [type.name, type]));
  const visited = new Set<string>();
  const possible: SecretLookup[] = [];
  const queue = [...names];
  // The loop also visits the names that it adds to the queue.
  for (const name of queue) {
    if (visited.has(name) || known.has(name) || missing.has(name)) continue;
    visited.add(name);
    const lookup = lookupOf(name, variables.get(name), types);
    const needs = findSecretNames(JSON.stringify(lookup)).filter((need) => !known.has(need));
    if (needs.length === 0) possible.push(fillLookup(lookup, known));
    else queue.push(...needs);
  }
  return possible;
}

/**
 * The lookup of one name, still with placeholders. Names of variables have no slash, so a slash separates a
 * Secret from its key.
 */
function lookupOf(
  name: string,
  variable: SecretVariable | undefined,
  types: ReadonlyMap<string, SecretType>,
): SecretLookup {
  const type = types.get(variable?.type ?? '');
  if (variable === undefined || type === undefined) {
    const slash = name.indexOf('/');
    if (slash < 0) return { name, source: 'undeclared', key: name, path: '', config: {} };
    const [path, key] = [name.slice(0, slash), name.slice(slash + 1)];
    return { name, source: 'kubernetes', key, path, config: {} };
  }
  const source = builtInSource(type)?.slice('svc://'.length) ?? type.name;
  return {
    name,
    source,
    key: variable.key,
    path: variable.path ?? type.config['path'] ?? '',
    config: type.config,
    ...defined({ get: type.get }),
  };
}

/** Inserts values into the JSON text of the lookup, escaped for JSON. */
function fillLookup(lookup: SecretLookup, known: ReadonlyMap<string, string>): SecretLookup {
  const valueOf = (name: string): string | undefined => {
    const value = known.get(name);
    return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
  };
  const text = fillSecretPlaceholders(JSON.stringify(lookup), valueOf, MAX_FILLED_CHARACTERS);
  if (text === undefined) return { ...lookup, fault: TOO_LONG_CONFIGURATION };
  const filled: SecretLookup = JSON.parse(text);
  return { ...filled, name: lookup.name };
}
