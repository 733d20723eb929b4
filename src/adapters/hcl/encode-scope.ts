import type { Scope } from '#domain/language/syntax.ts';
import { findSecretNames, makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { writeValue } from './wire.ts';

/**
 * What the engine needs for a scope: the values, the placeholders in them that it must not look at, and the
 * time.
 */
export function writeScope(scope: Scope, time: string): string {
  const variables = Object.fromEntries([...scope].map(([name, value]) => [name, writeValue(value)]));
  const text = JSON.stringify(variables);
  const opaque = findSecretNames(text).map((name) => {
    const placeholder = makeSecretPlaceholder(name);
    return [placeholder, nameOf(placeholder, scope)];
  });
  return `{"variables":${text},"opaque":${JSON.stringify(Object.fromEntries(opaque))},"time":${JSON.stringify(time)}}`;
}

/**
 * The placeholder may be named after a place in Kubernetes; whoever wrote the pipeline knows the variable.
 */
function nameOf(placeholder: string, scope: Scope): string {
  const variables = scope.get('var');
  const entries = variables?.kind === 'object' ? variables.entries : [];
  const found = entries.find(([, value]) => JSON.stringify(value).includes(placeholder));
  return found ? `the secret var.${found[0]}` : 'a secret';
}
