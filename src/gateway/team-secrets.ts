import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import type { SecretOwner, SecretsAnswer, TeamSecrets } from '#flows/builds/session-ports.ts';

/**
 * The value of a secret, or why it cannot be read. `transient`: a later attempt may succeed. `plain`: the
 * value need not be masked.
 */
export type SecretLookupResult = { value: string; plain?: boolean } | { fault: string; transient?: boolean };

/** Reads secrets of one kind. The results have the order of the lookups. */
export type SecretSource = (
  owner: SecretOwner,
  lookups: readonly SecretLookup[],
) => Promise<SecretLookupResult[]>;

/**
 * Reads secrets from all their sources concurrently. `sources`: by the type of secret. If any value cannot be
 * read for a transient reason, the whole answer is `unavailable`.
 */
export function teamSecrets(sources: Readonly<Record<string, SecretSource>>): TeamSecrets {
  return {
    async read(owner, lookups) {
      const groups = [...Map.groupBy(lookups, ({ source }) => source)];
      const results = await Promise.all(
        groups.map(async ([source, group]) => {
          const readSource = Object.hasOwn(sources, source) ? sources[source] : undefined;
          const answers = (await readSource?.(owner, group)) ?? [];
          return group.map((lookup, index): [SecretLookup, SecretLookupResult] => [
            lookup,
            answers[index] ?? UNREADABLE,
          ]);
        }),
      );
      return answerOf(results.flat());
    },
  };
}

const UNREADABLE: SecretLookupResult = { fault: 'the pipeline declares no such secret' };

function answerOf(results: readonly (readonly [SecretLookup, SecretLookupResult])[]): SecretsAnswer {
  const values = new Map<string, string>();
  const plain = new Set<string>();
  const missing = new Map<string, string>();
  const transient: string[] = [];
  for (const [{ name, source }, result] of results) {
    if ('fault' in result) {
      const reason = `The ${titleOfSource(source)} ${name} has no value: ${result.fault}.`;
      if (result.transient === true) transient.push(reason);
      else missing.set(name, reason);
    } else {
      values.set(name, result.value);
      if (result.plain === true) plain.add(name);
    }
  }
  if (transient.length > 0) return { answer: 'unavailable', reason: transient.join(' ') };
  return { answer: 'read', values, plain, missing };
}

const titleOfSource = (source: string): string => (source === 'undeclared' ? 'secret' : `${source} secret`);
