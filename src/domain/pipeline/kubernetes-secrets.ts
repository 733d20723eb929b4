import { builtInSource } from './built-in-source.ts';
import type { Pipeline, SecretVariable } from './pipeline.ts';
import { findSecretNames, makeSecretPlaceholder, replaceSecretPlaceholders } from './secret-placeholder.ts';

/**
 * Replaces the placeholders of secrets of the built-in type `kubernetes` by placeholders that name the Secret
 * and key of the value: `<Secret>/<key>`. A secret whose path or key depends on another secret keeps its
 * placeholder. A variable that the manifest takes from a Secret has the same kind of placeholder, so the
 * gateway reads both in the same way.
 */
export function placeKubernetesSecrets(pipeline: Pipeline): Pipeline {
  const { secrets = [], secretTypes = [] } = pipeline;
  const kubernetes = new Map(
    secretTypes.filter((type) => builtInSource(type) === 'svc://kubernetes').map((type) => [type.name, type]),
  );
  const placeholders = new Map<string, string>();
  for (const secret of secrets) {
    const type = kubernetes.get(secret.type);
    const place = type && placeOf(secret, type.config);
    if (place !== undefined) placeholders.set(secret.name, makeSecretPlaceholder(place));
  }
  if (placeholders.size === 0) return pipeline;
  const text = replaceSecretPlaceholders(JSON.stringify(pipeline), (name) => placeholders.get(name));
  const changed: Pipeline = JSON.parse(text);
  const otherSecrets = (changed.secrets ?? []).filter(({ name }) => !placeholders.has(name));
  const usedTypes = new Set(otherSecrets.map(({ type }) => type));
  const types = (changed.secretTypes ?? []).filter(({ name }) => usedTypes.has(name));
  delete changed.secrets;
  delete changed.secretTypes;
  return otherSecrets.length === 0 ? changed : { ...changed, secrets: otherSecrets, secretTypes: types };
}

function placeOf({ key, path }: SecretVariable, config: Record<string, string>): string | undefined {
  const place = `${path ?? config['path'] ?? ''}/${key}`;
  return findSecretNames(place).length === 0 ? place : undefined;
}
