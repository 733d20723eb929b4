import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { pino, type DestinationStream, type Logger } from 'pino';
import { bufferOutput, type BufferedOutput } from './buffered-output.ts';
import { isError } from './is-error.ts';

/** Fields whose values are hidden in the first MAX_DEPTH levels of the fields of a line. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-csrf-token',
  'x-hub-signature-256',
  'x-gitlab-token',
  'password',
  'token',
  'webhook_token',
  'webhook_secret',
  'profile_token',
  'csrf_token',
  'client_secret',
  'code_verifier',
  'nonce',
  'key',
  'secret',
  'connectionString',
]);
/** How many levels of nested fields are searched for secrets, including the first. */
const MAX_DEPTH = 3;

export type Log = Logger;

/**
 * Creates a logger that writes JSON lines, with the level as a word and the time in ISO 8601. Values of
 * secret fields are hidden. `component` names the process on each line.
 */
export function createLog(level: string, component: string, destination?: DestinationStream): Log {
  const output = bufferOutput(destination);
  const options = {
    level,
    base: { component },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: hideSecrets, bindings: hideSecrets },
    hooks: { streamWrite: (line: string) => output.takeBuffered() + cleanLine(line) },
    serializers: { err: describeError, error: describeError },
  };
  const log = pino(options, output.destination);
  accessWriters.set(log, accessWriter(log, component, output));
  return log;
}

/**
 * Replaces the values of secret fields. Pino's redaction is not used, because it takes as long as the rest of
 * a small request.
 */
function hideSecrets(fields: object): Record<string, unknown> {
  return { ...fields, ...hiddenFields(fields, MAX_DEPTH) };
}

/** Returns only the fields that are or contain secrets, with these secrets hidden. */
function hiddenFields(fields: object, depth: number): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (SECRET_KEYS.has(key)) changed[key] = '[hidden]';
    else if (depth > 1 && typeof value === 'object' && value !== null && !isError(value)) {
      const nested = hiddenFields(value, depth - 1);
      if (Object.keys(nested).length > 0) changed[key] = { ...value, ...nested };
    }
  }
  return changed;
}

/** A webhook token in a path. The pattern of the route, `/webhooks/:token`, does not match. */
const TOKEN_IN_PATH = /(\/webhooks\/)[^\s"\\/?#:][^\s"\\/?#]*/g;

/**
 * Invisible characters that JSON does not escape: control characters of terminals, and those that change the
 * text direction.
 */
const INVISIBLE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Cleans a line before it is written, so that it shows no webhook token of a path and cannot control a
 * terminal.
 */
function cleanLine(line: string): string {
  return line
    .replaceAll(TOKEN_IN_PATH, '$1[hidden]')
    .replaceAll(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns name, message, code and stack of an error and of its cause. Other fields are left out, because they
 * may hold values of a query or a request.
 */
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

/**
 * A line of the access log. `route` is the pattern of the route, because the path may contain a webhook
 * token.
 */
export interface AccessLine {
  requestId: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
}

/**
 * Routes that probes request every few seconds. Their lines have the level debug, because a failing probe is
 * logged elsewhere.
 */
const PROBE_ROUTES = new Set(['/health']);
const MESSAGE = 'answered';

type WriteLine = (line: AccessLine) => void;
const accessWriters = new WeakMap<FastifyBaseLogger, WriteLine>();

/** Returns a function that writes one line for each request. */
export function accessLog(log: FastifyBaseLogger): WriteLine {
  const write = accessWriters.get(log) ?? ((line: AccessLine) => log.info(line, MESSAGE));
  return (line) => {
    if (PROBE_ROUTES.has(line.route)) log.debug(line, MESSAGE);
    else if (line.status >= 500) log.error(line, MESSAGE);
    else write(line);
  };
}

export function accessLineOf(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string | undefined,
): AccessLine {
  return {
    requestId: request.id,
    method: request.method,
    route: route ?? 'none',
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
}

/**
 * Returns a function that writes the line that `log.info` would write, in a tenth of the time. Each value is
 * a number, or comes from a fixed set, or has a fixed form, so nothing needs to be hidden or cleaned.
 */
function accessWriter(log: Log, component: string, output: BufferedOutput): WriteLine {
  const end = `,"msg":"${MESSAGE}"}\n`;
  const start = `{"level":"info","time":"`;
  const afterTime = `","component":${JSON.stringify(component)},"requestId":`;
  return ({ requestId, method, route, status, milliseconds }) => {
    if (!log.isLevelEnabled('info')) return;
    const texts = `${JSON.stringify(requestId)},"method":${JSON.stringify(method)},"route":${JSON.stringify(route)}`;
    output.add(
      `${start}${isoTime()}${afterTime}${texts},"status":${status},"milliseconds":${milliseconds}${end}`,
    );
  };
}

let lastTime = 0;
let lastText = '';

/** The current time in ISO 8601, formatted once per millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
