import type { FastifyReply, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { isError } from './is-error.ts';

/** Keys whose values never reach the log, wherever a caller put them. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'nonce',
  'key',
  'secret',
  'connectionString',
];

export type Log = Logger;

/** JSON lines with the level as a word and the time in ISO form; one field per secret-looking key is blanked, two levels deep. */
export function createLog(level: string, door: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { door },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[hidden]' },
    serializers: { err: describeError, error: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Message, code and stack of an error and its cause; never its own fields, which may hold a query's values or a request. */
function describeError(error: unknown): unknown {
  if (!isError(error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: String(error.code) }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}

/** Asked every few seconds; what they find is logged where it is found. */
const PROBES = new Set(['/health']);

/** The one line of a request: the route's pattern, never its path or query, since a path may be a webhook's token. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status } = reply;
  const facts = {
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    status,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
  if (PROBES.has(facts.route)) request.log.debug(facts, 'answered');
  else if (status >= 500) request.log.error(facts, 'answered');
  else request.log.info(facts, 'answered');
}
