import type { Pipeline, SecretVariable } from './pipeline.ts';
import { findSecretNames, makeSecretPlaceholder, replaceSecretPlaceholders } from './secret-placeholder.ts';

/**
 * A secret of the built-in type `kubernetes` whose place is known becomes a placeholder of its place, `<Secret>/<key>`, like a variable
 * that the manifest takes from a Secret: the gateway reads both alike.
 */
export function placeKubernetesSecrets(pipeline: Pipeline): Pipeline {
  const { secrets = [], secretTypes = [] } = pipeline;
  const kubernetes = new Map(
    secretTypes
      .filter(({ builtIn, origin }) => builtIn && origin?.source === 'svc://kubernetes')
      .map((type) => [type.name, type]),
  );
  const placed = new Map<string, string>();
  for (const secret of secrets) {
    const type = kubernetes.get(secret.type);
    const place = type && placeOf(secret, type.config);
    if (place !== undefined) placed.set(secret.name, makeSecretPlaceholder(place));
  }
  if (placed.size === 0) return pipeline;
  const text = replaceSecretPlaceholders(JSON.stringify(pipeline), (name) => placed.get(name));
  const { secrets: _, secretTypes: __, ...rest }: Pipeline = JSON.parse(text);
  const left = secrets.filter(({ name }) => !placed.has(name));
  if (left.length === 0) return rest;
  const used = new Set(left.map(({ type }) => type));
  const changed: Pipeline = JSON.parse(text);
  return {
    ...rest,
    secrets: (changed.secrets ?? []).filter(({ name }) => !placed.has(name)),
    secretTypes: (changed.secretTypes ?? []).filter(({ name }) => used.has(name)),
  };
}

function placeOf({ key, path }: SecretVariable, config: Record<string, string>): string | undefined {
  const place = `${path ?? config['path'] ?? ''}/${key}`;
  return findSecretNames(place).length === 0 ? place : undefined;
}
