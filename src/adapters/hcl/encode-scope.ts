import type { Scope } from '#domain/language/syntax.ts';
import { findSecretNames, makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { encodeValue } from './wire.ts';

/**
 * Encodes a scope for the engine as JSON: the values, the time, and the placeholders of secrets in the
 * values. The engine refuses expressions that inspect such a placeholder.
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
 * Names the variable that holds the placeholder, for messages. They do not show the placeholder itself,
 * because it can contain the name of a Kubernetes Secret.
 */
function describeSecret(placeholder: string, scope: Scope): string {
  const variables = scope.get('var');
  const entries = variables?.kind === 'object' ? variables.entries : [];
  const variable = entries.find(([, value]) => JSON.stringify(value).includes(placeholder));
  return variable ? `the secret var.${variable[0]}` : 'a secret';
}
