import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { findSecretNames } from '#domain/pipeline/secret-placeholder.ts';
import { containersFor } from './containers.ts';
import type { PlanContainer } from './plan.ts';

/**
 * The containers for the `get` commands of the secret types whose secrets some work needs: one for each image
 * of these commands. No step runs in them, so a step cannot replace a program that such a command runs.
 * `partsWithPlaceholders` returns the parts of the work that may name secrets, without text from outside.
 */
export function secretContainersOf(
  pipeline: Pipeline,
  partsWithPlaceholders: () => unknown,
): PlanContainer[] {
  if (!(pipeline.secretTypes ?? []).some(({ get }) => get !== undefined)) return [];
  const gets = getsFor(pipeline, findSecretNames(JSON.stringify(partsWithPlaceholders())));
  return containersFor(gets).map(({ name, ...container }) => ({
    ...container,
    name: container.image === undefined ? 'secrets' : `secrets-${name}`,
    forSecrets: true,
  }));
}

/** The `get` commands of these secrets, and of the secrets that they need. */
function getsFor({ secrets = [], secretTypes = [] }: Pipeline, names: readonly string[]): Command[] {
  const variables = new Map(secrets.map((secret) => [secret.name, secret]));
  const types = new Map(secretTypes.map((type) => [type.name, type]));
  const queue = [...names];
  const visited = new Set<string>();
  const usedTypes = new Set<string>();
  // The loop also visits the names that it adds to the queue.
  for (const name of queue) {
    const secret = variables.get(name);
    const type = types.get(secret?.type ?? '');
    if (visited.has(name) || secret === undefined || type === undefined) continue;
    visited.add(name);
    usedTypes.add(type.name);
    queue.push(...findSecretNames(JSON.stringify([secret, type])));
  }
  return secretTypes.flatMap(({ name, get }) => (get !== undefined && usedTypes.has(name) ? [get] : []));
}
