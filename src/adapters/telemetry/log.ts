import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { pino, type DestinationStream, type Logger } from 'pino';
import { gatherLines, type GatheredLines } from './buffered-output.ts';
import { isError } from './is-error.ts';

/** Keys whose values never reach the log, wherever a caller put them. */
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
/** Fields of fields of fields. */
const LOOKED_INTO = 3;

export type Log = Logger;

/**
 * JSON lines with the level as a word and the time in ISO form; one field per secret-looking key is blanked,
 * two levels deep.
 */
export function createLog(level: string, door: string, destination?: DestinationStream): Log {
  const lines = gatherLines(destination);
  const options = {
    level,
    base: { door },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: hideSecrets, bindings: hideSecrets },
    hooks: { streamWrite: (line: string) => lines.taken() + cleanLine(line) },
    serializers: { err: describeError, error: describeError },
  };
  const log = pino(options, lines.destination);
  writers.set(log, writerOf(log, door, lines));
  return log;
}

/** By hand, because pino's own redaction takes as long as all else that is done for a small request. */
function hideSecrets(fields: object): Record<string, unknown> {
  return { ...fields, ...hiddenIn(fields, LOOKED_INTO) };
}

/** The fields that are shown otherwise. */
function hiddenIn(fields: object, depth: number): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (SECRET_KEYS.has(key)) changed[key] = '[hidden]';
    else if (depth > 1 && typeof value === 'object' && value !== null && !isError(value)) {
      const within = hiddenIn(value, depth - 1);
      if (Object.keys(within).length > 0) changed[key] = { ...value, ...within };
    }
  }
  return changed;
}

/** A token in a path, whoever wrote the path into a message; the pattern of the route stays. */
const TOKEN_IN_PATH = /(\/webhooks\/)[^\s"\\/?#:][^\s"\\/?#]*/g;

/** Beyond what JSON escapes: control characters of terminals and what turns the direction of text. */
const UNSEEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The last thing before a line is written: whatever got into it, it shows no token and moves no terminal. */
function cleanLine(line: string): string {
  return line
    .replaceAll(TOKEN_IN_PATH, '$1[hidden]')
    .replaceAll(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Message, code and stack of an error and its cause; never its own fields, which may hold a query's values or
 * a request.
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
 * What the line of a request tells: the route's pattern, never its path or query, since a path may be a
 * webhook's token.
 */
export interface Answer {
  requestId: string;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
}

/** Asked every few seconds; what they find is logged where it is found. */
const PROBES = new Set(['/health']);
const ANSWERED = 'answered';

type WriteAnswer = (answer: Answer) => void;
const writers = new WeakMap<FastifyBaseLogger, WriteAnswer>();

/** Writes the one line of each request. */
export function answerLog(log: FastifyBaseLogger): WriteAnswer {
  const write = writers.get(log) ?? ((answer: Answer) => log.info(answer, ANSWERED));
  return (answer) => {
    if (PROBES.has(answer.route)) log.debug(answer, ANSWERED);
    else if (answer.status >= 500) log.error(answer, ANSWERED);
    else write(answer);
  };
}

export function answerOf(request: FastifyRequest, reply: FastifyReply, route: string | undefined): Answer {
  return {
    requestId: request.id,
    method: request.method,
    route: route ?? 'none',
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
}

/**
 * The same line as `log.info` writes, from the same facts, for a tenth of the time: each of them is a number,
 * or a text of a fixed set or form, in which there is nothing to hide or to clean.
 */
function writerOf(log: Log, door: string, lines: GatheredLines): WriteAnswer {
  const end = `,"msg":"${ANSWERED}"}\n`;
  const start = `{"level":"info","time":"`;
  const next = `","door":${JSON.stringify(door)},"requestId":`;
  return ({ requestId, method, route, status, milliseconds }) => {
    if (!log.isLevelEnabled('info')) return;
    const texts = `${JSON.stringify(requestId)},"method":${JSON.stringify(method)},"route":${JSON.stringify(route)}`;
    lines.add(`${start}${isoTime()}${next}${texts},"status":${status},"milliseconds":${milliseconds}${end}`);
  };
}

let lastTime = 0;
let lastText = '';

/** Many lines are of the same millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
