import type { FastifyReply } from 'fastify';
import { isError } from '#adapters/telemetry/is-error.ts';

/**
 * Kinds of failure that clients can distinguish (RFC 9457). The key is the stable end of `type`. The title of
 * a kind is fixed; details vary.
 */
const KINDS = {
  'invalid-request': { status: 400, title: 'The request is invalid' },
  'invalid-inputs': { status: 400, title: 'The job does not take these inputs' },
  'invalid-pipeline': { status: 400, title: 'The text of the pipeline has errors' },
  unauthenticated: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  'sign-in-failed': { status: 401, title: 'Signing in failed' },
  'provider-failed': { status: 401, title: 'The provider did not identify the user' },
  'local-sign-in-off': { status: 403, title: 'Sign-in with a password is off' },
  'wrong-password': { status: 403, title: 'The password is wrong' },
  'password-change-required': { status: 403, title: 'The password must be changed first' },
  'wrong-signature': { status: 403, title: 'The signature is wrong' },
  'sign-in-again': { status: 403, title: 'A recent sign-in is needed' },
  'cross-site-request': { status: 403, title: 'The request came from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'job-cannot-run': { status: 409, title: 'The job cannot run now' },
  refused: { status: 409, title: 'The current state does not allow this' },
  'already-exists': { status: 409, title: 'The name is taken' },
  'last-admin': { status: 409, title: 'There is no other admin' },
  'would-lock-out': { status: 409, title: 'Someone could no longer sign in' },
  'managed-by-manifest': { status: 409, title: 'Managed by a manifest' },
  'too-large': { status: 413, title: 'The request is too large' },
  'unsupported-type': { status: 415, title: 'The content type is not supported' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'The service is unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemKind = keyof typeof KINDS;

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The request id, as in `X-Request-Id` and the log. */
  instance: string;
  [extension: string]: unknown;
}

/** Thrown by hooks and handlers; the error handler sends it as the response. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly extensions: Record<string, unknown>;
  override readonly name = 'Problem';

  constructor(kind: ProblemKind, detail: string, extensions: Record<string, unknown> = {}) {
    super(detail);
    this.kind = kind;
    this.extensions = extensions;
  }

  get status(): number {
    return KINDS[this.kind].status;
  }

  document(requestId: string): ProblemDocument {
    return {
      ...this.extensions,
      type: `https://millrace.dev/problems/${this.kind}`,
      title: KINDS[this.kind].title,
      status: this.status,
      // Pages show only the detail.
      detail: this.kind === 'internal-error' ? `${this.message} ${requestId}.` : this.message,
      instance: `urn:request:${requestId}`,
    };
  }
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.kind === 'unauthenticated') void reply.header('www-authenticate', 'Bearer realm="millrace"');
  const { retry_after: wait = problem.status === 503 ? 1 : undefined } = problem.extensions;
  if (typeof wait === 'number') void reply.header('retry-after', String(wait));
  // The rest of the body stays unread, so the connection cannot take another request.
  if (problem.status === 413) void reply.header('connection', 'close');
  return reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .serializer((document: unknown) => JSON.stringify(document))
    .send(problem.document(reply.request.id));
}

export const NO_SUCH_PATH = 'No such path. /openapi lists the paths of this server.';
const NOT_JSON = 'This path takes only JSON. Send it with the header Content-Type: application/json.';
const BAD_JSON = 'The body is not valid JSON. Check its quotes, commas and brackets.';

/** `limit`: the largest body that the path takes, in bytes. */
export function tooLarge(limit: number): Problem {
  return new Problem(
    'too-large',
    `The body is larger than the ${limit} bytes that this path takes. Send less.`,
  );
}

/**
 * Problems for the error codes of Fastify and Node.js. Without `detail`, the problem has the message of the
 * error.
 */
const PROBLEMS_BY_CODE: Record<string, { kind: ProblemKind; detail?: string }> = {
  FST_ERR_VALIDATION: { kind: 'invalid-request' },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    kind: 'too-large',
    detail: 'The body is larger than this path takes. Send less.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { kind: 'unsupported-type', detail: NOT_JSON },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    kind: 'invalid-request',
    detail: 'The body is empty, but its Content-Type is JSON. Send a JSON object, or no Content-Type.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { kind: 'invalid-request', detail: BAD_JSON },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    kind: 'invalid-request',
    detail: 'The length of the body differs from Content-Length. Let your HTTP client set that header.',
  },
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: { kind: 'not-found', detail: NO_SUCH_PATH },
  FST_ERR_BAD_URL: {
    kind: 'invalid-request',
    detail: 'The path has a % that begins no valid escape. Write it as %25.',
  },
  FST_ERR_ASYNC_CONSTRAINT: { kind: 'invalid-request', detail: 'The request cannot be routed.' },
  FST_ERR_MAX_PARAM_LENGTH: { kind: 'not-found', detail: NO_SUCH_PATH },
  FST_ERR_NOT_FOUND: { kind: 'not-found', detail: NO_SUCH_PATH },
  ERR_HTTP_REQUEST_TIMEOUT: {
    kind: 'invalid-request',
    detail: 'The request took too long to arrive. Try again.',
  },
};

/** For the error codes of zlib, which start with `Z_`. */
const BAD_GZIP = { kind: 'invalid-request', detail: 'The body is not valid gzip.' } as const;

/**
 * Returns the problem for an error that a hook or a handler threw. The text of an unknown error is not sent,
 * because it may contain internal names. `bodyLimit`: the largest body that the path takes, in bytes.
 */
export function toProblem(error: unknown, bodyLimit?: number): Problem {
  if (error instanceof Problem) return error;
  if (isError(error) && 'code' in error) {
    const problem = problemByCode(String(error.code), error.message, bodyLimit);
    if (problem !== undefined) return problem;
  }
  if (isConnectionLost(error))
    return new Problem(
      'unavailable',
      'A service that Millrace needs does not respond. Try again in a second.',
    );
  if (isBadSyntax(error)) return new Problem('invalid-request', BAD_JSON);
  return new Problem(
    'internal-error',
    'Millrace failed to answer. Its log has the reason: tell whoever runs this installation the request id',
  );
}

function problemByCode(code: string, message: string, bodyLimit: number | undefined): Problem | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined) return tooLarge(bodyLimit);
  const problem = code.startsWith('Z_') ? BAD_GZIP : PROBLEMS_BY_CODE[code];
  return problem && new Problem(problem.kind, problem.detail ?? message);
}

/**
 * Error codes of connections that are refused or cut, of hosts that cannot be resolved, and of timeouts. Of
 * Postgres: the classes 08 (connection), 53 (no resources, such as connections) and 57 (stopped by an
 * operator, such as a shutdown or a cancelled statement). An error counts as well if its cause has such a
 * code.
 */
const UNAVAILABLE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|EBUSY|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|53\d{3}|57\w{3})$/;

function isConnectionLost(error: unknown, depth = 0): boolean {
  if (!isError(error) || depth > 5) return false;
  return (
    ('code' in error && UNAVAILABLE.test(String(error.code))) || isConnectionLost(error.cause, depth + 1)
  );
}

function isBadSyntax(error: unknown): boolean {
  return isError(error) && error.name === 'SyntaxError' && 'statusCode' in error && error.statusCode === 400;
}
