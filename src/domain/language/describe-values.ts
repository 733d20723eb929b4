import type { Reference, Scope, Value } from './syntax.ts';

const MAX_NAMES = 3;
const MAX_TEXT_LENGTH = 40;
const MAX_KEYS = 5;

/**
 * Describes the values of the references in an expression, for a message: `var.region is "eu"`. Leaves out
 * values that contain secrets. Undefined: there is no value to describe. `secretsIn`: the names of the
 * secrets in a text.
 */
export function describeValues(
  references: readonly Reference[],
  scope: Scope,
  secretsIn: (text: string) => string[],
): string | undefined {
  const values = new Map<string, Value>();
  for (const reference of references) {
    const [name, value] = resolve(reference, scope) ?? [];
    if (name !== undefined && value && stringsIn(value).flatMap(secretsIn).length === 0)
      values.set(name, value);
  }
  if (values.size === 0) return undefined;
  const descriptions = [...values]
    .slice(0, MAX_NAMES)
    .map(([name, value]) => `${name} is ${describe(value)}`);
  return descriptions.join(', ');
}

/**
 * The longest prefix of the reference that has a value, and that value. If `each.value` has no `port`, it is
 * `each.value` for the reference `each.value.port`. Undefined: at most the first name has a value.
 */
function resolve({ name, steps }: Reference, scope: Scope): [name: string, value: Value] | undefined {
  let value = scope.get(name);
  let path = name;
  for (const step of steps) {
    const member: Value | undefined =
      value && 'entries' in value ? value.entries.find(([key]) => key === step.name)?.[1] : undefined;
    if (!member) break;
    value = member;
    path = `${path}.${step.name}`;
  }
  return value && path !== name ? [path, value] : undefined;
}

/** Every string in a value, including keys. */
export function stringsIn(value: Value): string[] {
  if (value.kind === 'string') return [value.text];
  if ('items' in value) return value.items.flatMap(stringsIn);
  return 'entries' in value ? value.entries.flatMap(([key, element]) => [key, ...stringsIn(element)]) : [];
}

function describe(value: Value): string {
  if (value.kind === 'string') return JSON.stringify(cut(value.text));
  if (value.kind === 'number') return cut(value.digits);
  if (value.kind === 'bool') return String(value.value);
  if ('entries' in value) return describeMap(value.entries.map(([key]) => key));
  if (!('items' in value)) return 'null';
  return value.items.length === 0
    ? 'an empty list'
    : `a ${value.kind === 'set' ? 'set' : 'list'} of ${value.items.length}`;
}

function describeMap(keys: readonly string[]): string {
  if (keys.length === 0) return 'an empty map';
  const named = keys.slice(0, MAX_KEYS).map((key) => cut(key));
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : '';
  return `a map with ${named.join(', ')}${more}`;
}

const cut = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
