import type { Scope } from '#domain/language/syntax.ts';
import { findSecretNames, makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { encodeValue } from './wire.ts';

/**
 * The engine's form of a scope: the values, the secret placeholders in them that it must not inspect, and the
 * time.
 */
export function encodeScope(scope: Scope, time: string): string {
  const variables = Object.fromEntries([...scope].map(([name, value]) => [name, encodeValue(value)]));
  const text = JSON.stringify(variables);
  const opaque = findSecretNames(text).map((name) => {
    const placeholder = makeSecretPlaceholder(name);
    return [placeholder, nameOf(placeholder, scope)];
  });
  return `{"variables":${text},"opaque":${JSON.stringify(Object.fromEntries(opaque))},"time":${JSON.stringify(time)}}`;
}

/**
 * The variable that holds the placeholder, for messages: the placeholder itself can name a Kubernetes Secret.
 */
function nameOf(placeholder: string, scope: Scope): string {
  const variables = scope.get('var');
  const entries = variables?.kind === 'object' ? variables.entries : [];
  const found = entries.find(([, value]) => JSON.stringify(value).includes(placeholder));
  return found ? `the secret var.${found[0]}` : 'a secret';
}
