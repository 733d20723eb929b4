import type { Scope } from '#domain/language/syntax.ts';
import { findSecretNames, makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { writeValue } from './wire.ts';

/** What the engine needs for a scope: the values, the placeholders in them that it must not look at, and the time. */
export function writeScope(scope: Scope, time: string): string {
  const variables = Object.fromEntries([...scope].map(([name, value]) => [name, writeValue(value)]));
  const text = JSON.stringify(variables);
  const opaque = findSecretNames(text).map((name) => [makeSecretPlaceholder(name), `the secret var.${name}`]);
  return `{"variables":${text},"opaque":${JSON.stringify(Object.fromEntries(opaque))},"time":${JSON.stringify(time)}}`;
}
