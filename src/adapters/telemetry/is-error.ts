import { types } from 'node:util';

/**
 * Also for errors of another realm, and for those of Fastify, which are made without the native constructor.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
