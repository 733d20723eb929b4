import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { findSecretNames } from '#domain/pipeline/secret-placeholder.ts';
import { containersFor } from './containers.ts';
import type { PlanContainer } from './plan.ts';

/**
 * The containers for gets of secret types that work with these texts needs: one for each image of the gets. No
 * step runs in them, so a step cannot replace a program that a get runs. `namedIn`: anything with placeholders,
 * without text from outside.
 */
export function secretContainersOf(pipeline: Pipeline, namedIn: () => unknown): PlanContainer[] {
  if (!(pipeline.secretTypes ?? []).some(({ get }) => get !== undefined)) return [];
  const gets = getsFor(pipeline, findSecretNames(JSON.stringify(namedIn())));
  return containersFor(gets).map(({ name, ...container }) => ({
    ...container,
    name: container.image === undefined ? 'secrets' : `secrets-${name}`,
    forSecrets: true,
  }));
}

/** Gets of these secrets and of those that they need. */
function getsFor({ secrets = [], secretTypes = [] }: Pipeline, names: readonly string[]): Command[] {
  const variables = new Map(secrets.map((secret) => [secret.name, secret]));
  const types = new Map(secretTypes.map((type) => [type.name, type]));
  const open = [...names];
  const seen = new Set<string>();
  const used = new Set<string>();
  for (const name of open) {
    const secret = variables.get(name);
    const type = types.get(secret?.type ?? '');
    if (seen.has(name) || secret === undefined || type === undefined) continue;
    seen.add(name);
    used.add(type.name);
    open.push(...findSecretNames(JSON.stringify([secret, type])));
  }
  return secretTypes.flatMap(({ name, get }) => (get !== undefined && used.has(name) ? [get] : []));
}
