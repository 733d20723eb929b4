import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import {
  findSecretNames,
  makeSecretPlaceholder,
  replaceSecretPlaceholders,
} from '#domain/pipeline/secret-placeholder.ts';

/**
 * What identifies the check scope (the history) of a resource: its type and its params. Secrets are
 * placeholders, so a new value of a secret keeps the history. A built-in type counts by its name, so a
 * release that fixes its script keeps the history, too.
 */
export interface ScopeKey {
  type: { builtIn: string } | Pick<ResourceType, 'params' | 'check' | 'pull' | 'push'>;
  params: Record<string, string>;
}

/** Undefined: the definition lacks the resource or its type. */
export function scopeKeyOf(definition: Pipeline | undefined, name: string): ScopeKey | undefined {
  const resource = definition?.resources.find((candidate) => candidate.name === name);
  const type = definition?.resourceTypes.find((candidate) => candidate.name === resource?.type);
  return resource === undefined || type === undefined ? undefined : keyOf(resource, type);
}

function keyOf(resource: Resource, type: ResourceType): ScopeKey {
  const params = { ...resource.params, ...asTexts(resource.source) };
  if (type.builtIn) return { type: { builtIn: builtInSource(type) ?? `svc://${type.name}` }, params };
  const { check, pull, push } = type;
  const commands = { ...(check && { check }), ...(pull && { pull }), ...(push && { push }) };
  return { type: { params: type.params.toSorted(), ...commands }, params };
}

function asTexts(source: Resource['source'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, canonicalText(value)]));
}

/** JSON with sorted keys: equal values give equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const MAX_CHANGES = 3;
const MAX_VALUE_CHARACTERS = 60;

/** What differs between two scopes, in a few words: `branch main → release`. */
export function describeScopeChange(before: ScopeKey, after: ScopeKey): string {
  const names = [...new Set([...Object.keys(before.params), ...Object.keys(after.params)])].toSorted();
  const changes = names
    .filter((name) => before.params[name] !== after.params[name])
    .map((name) => `${name} ${displayed(before.params[name])} → ${displayed(after.params[name])}`);
  if (canonicalText(before.type) !== canonicalText(after.type))
    changes.unshift('another definition of its type');
  const omitted = changes.length - MAX_CHANGES;
  return [...changes.slice(0, MAX_CHANGES), ...(omitted > 0 ? [`${omitted} more`] : [])].join(', ');
}

/** Shows the names of secrets, and hides credentials in URLs. */
function displayed(value: string | undefined): string {
  if (value === undefined || value === '') return 'none';
  const named = replaceSecretPlaceholders(hideCredentials(value), (name) => `(secret ${name})`);
  const clean = named.replaceAll(/\s+/g, ' ');
  return clean.length > MAX_VALUE_CHARACTERS ? `${clean.slice(0, MAX_VALUE_CHARACTERS)}…` : clean;
}

/**
 * After each `://`, hides the text up to an `@`: the last one before the next `/` or, if there is none, the
 * last one before the next white space. Placeholders of secrets stay visible. Credentials may contain
 * characters that a URL must escape, so this function hides too much rather than too little.
 */
function hideCredentials(text: string): string {
  const [first = '', ...others] = text.split('://');
  const clean = others.map((part, index) => {
    // Only credentials have another `://` in the same word before any `/`.
    if (index < others.length - 1 && !/[\s/]/.test(part)) return '…';
    const [authority = ''] = part.split('/', 1);
    const [word = ''] = part.split(/\s/, 1);
    const end = authority.includes('@') ? authority.lastIndexOf('@') : word.lastIndexOf('@');
    if (end < 0) return part;
    const secrets = findSecretNames(part.slice(0, end)).map(makeSecretPlaceholder);
    return `…${secrets.join('')}${part.slice(end)}`;
  });
  return [first, ...clean].join('://');
}
