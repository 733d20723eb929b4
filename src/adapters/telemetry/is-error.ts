import { types } from 'node:util';

/**
 * Also true for errors of another realm, which fail `instanceof`, and for those of Fastify, which are not
 * native errors.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
