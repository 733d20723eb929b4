import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { didYouMean } from '#domain/language/suggest.ts';

/** An error of the validator, with what `verbose` adds: the value, and the schema that it does not match. */
interface ValidationError {
  keyword: string;
  instancePath: string;
  message?: string;
  data?: unknown;
  parentSchema?: { properties?: object; additionalProperties?: unknown };
}

/** A message names at most this many unknown fields, so that a large body gets no large response. */
const MAX_NAMED_FIELDS = 3;
const MAX_NAME_CHARACTERS = 100;

/**
 * Returns the error for a part of a request (`body`, `querystring`, …) that does not match its schema. If an
 * object has unknown fields, the message is about these alone, because a misspelt field is often also the
 * required one that is missing.
 */
export function describeInvalid(errors: ValidationError[], part: string): Error {
  for (const { instancePath, data, parentSchema: { properties, additionalProperties } = {} } of errors) {
    if (additionalProperties !== false || properties === undefined) continue;
    const message = describeUnknownFields(data, Object.keys(properties), instancePath);
    if (message !== undefined) return new Error(message);
  }
  return new Error(
    errors.map(({ instancePath, message = '' }) => `${part}${instancePath} ${message}`).join(', '),
  );
}

/** Throws a problem if the body of a route that takes none has fields. */
export async function refuseFields({ body }: FastifyRequest): Promise<void> {
  const message = describeUnknownFields(body, []);
  if (message !== undefined) throw new Problem('invalid-request', message);
}

/** Returns undefined if the value has no unknown fields. `path` leads from the body to the value. */
function describeUnknownFields(value: unknown, known: readonly string[], path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const prefix = path.slice(1).replaceAll('/', '.');
  const endings = unknown.slice(0, MAX_NAMED_FIELDS).map((name) => didYouMean(name, known));
  const sentences = endings.map((ending, index) => {
    const field = [prefix, (unknown[index] ?? '').slice(0, MAX_NAME_CHARACTERS)].filter(
      (word) => word !== '',
    );
    return `Unknown field ${JSON.stringify(field.join('.'))} in the body${ending || '.'}`;
  });
  const others = unknown.length - sentences.length;
  return [
    ...sentences,
    ...(others > 0 ? [`${others} more fields are unknown.`] : []),
    ...(endings.includes('') || others > 0 ? [describeKnown(known)] : []),
  ].join(' ');
}

function describeKnown(known: readonly string[]): string {
  return known.length === 0 ? 'This path takes no fields.' : `Known fields: ${known.join(', ')}.`;
}
