import { types } from 'node:util';

/** True also for errors of another realm and for those of Fastify, which skips the native constructor. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
