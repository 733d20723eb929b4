import { builtInSource } from './built-in-source.ts';
import type { Pipeline, SecretVariable } from './pipeline.ts';
import { findSecretNames, makeSecretPlaceholder, replaceSecretPlaceholders } from './secret-placeholder.ts';

/**
 * A secret of the built-in type `kubernetes` whose place is known becomes a placeholder of its place,
 * `<Secret>/<key>`, like a variable that the manifest takes from a Secret: the gateway reads both alike.
 */
export function placeKubernetesSecrets(pipeline: Pipeline): Pipeline {
  const { secrets = [], secretTypes = [] } = pipeline;
  const kubernetes = new Map(
    secretTypes.filter((type) => builtInSource(type) === 'svc://kubernetes').map((type) => [type.name, type]),
  );
  const placed = new Map<string, string>();
  for (const secret of secrets) {
    const type = kubernetes.get(secret.type);
    const place = type && placeOf(secret, type.config);
    if (place !== undefined) placed.set(secret.name, makeSecretPlaceholder(place));
  }
  if (placed.size === 0) return pipeline;
  const text = replaceSecretPlaceholders(JSON.stringify(pipeline), (name) => placed.get(name));
  const changed: Pipeline = JSON.parse(text);
  const left = (changed.secrets ?? []).filter(({ name }) => !placed.has(name));
  const used = new Set(left.map(({ type }) => type));
  const types = (changed.secretTypes ?? []).filter(({ name }) => used.has(name));
  delete changed.secrets;
  delete changed.secretTypes;
  return left.length === 0 ? changed : { ...changed, secrets: left, secretTypes: types };
}

function placeOf({ key, path }: SecretVariable, config: Record<string, string>): string | undefined {
  const place = `${path ?? config['path'] ?? ''}/${key}`;
  return findSecretNames(place).length === 0 ? place : undefined;
}
