import type { Scope } from '#domain/language/syntax.ts';
import { findSecretNames, makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { encodeValue } from './wire.ts';

/**
 * Encodes a scope for the engine: the values, the secret placeholders in the values, which the engine must
 * not inspect, and the time.
 */
export function encodeScope(scope: Scope, time: string): string {
  const variables = Object.fromEntries([...scope].map(([name, value]) => [name, encodeValue(value)]));
  const text = JSON.stringify(variables);
  const opaque = findSecretNames(text).map((name) => {
    const placeholder = makeSecretPlaceholder(name);
    return [placeholder, describeSecret(placeholder, scope)];
  });
  return `{"variables":${text},"opaque":${JSON.stringify(Object.fromEntries(opaque))},"time":${JSON.stringify(time)}}`;
}

/**
 * Names the variable that holds the placeholder, for messages: the placeholder itself can name a Kubernetes
 * Secret.
 */
function describeSecret(placeholder: string, scope: Scope): string {
  const variables = scope.get('var');
  const entries = variables?.kind === 'object' ? variables.entries : [];
  const variable = entries.find(([, value]) => JSON.stringify(value).includes(placeholder));
  return variable ? `the secret var.${variable[0]}` : 'a secret';
}
