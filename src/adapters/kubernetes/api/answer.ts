/**
 * The value that the API server returned, or the problem: an error response, or no usable response. A problem
 * is a return value, not an exception.
 */
export type ApiAnswer<T> = { ok: true; value: T } | ApiProblem;

export interface ApiProblem {
  ok: false;
  /** HTTP status of an error response; 0 if there was none. */
  status: number;
  /**
   * The reason in the Status object of the API server, or `Http<status>` if the body has none. The client
   * adds `Unreachable`, `Timeout` and `TooLarge`; a reflector adds `WatchBroken`, `WatchError` and
   * `HandlerFailed`.
   */
  reason: string;
  message: string;
  retryAfterSeconds?: number;
}

/** The `reason` if the response has more bytes than the limit. */
export const TOO_LARGE = 'TooLarge';

/**
 * A problem as an exception, for callers that cannot continue without the value. If it reaches the work
 * queue, the queue retries the key.
 */
export class ApiError extends Error {
  readonly problem: ApiProblem;

  constructor(operation: string, problem: ApiProblem) {
    super(
      `${operation}: ${problem.message} (${problem.reason}${problem.status === 0 ? '' : `, ${problem.status}`})`,
    );
    this.name = 'ApiError';
    this.problem = problem;
  }
}

/** Returns the value, or throws an `ApiError` that names the operation. */
export function orThrow<T>(answer: ApiAnswer<T>, operation: string): T {
  if (answer.ok) return answer.value;
  throw new ApiError(operation, answer);
}

/** Returns the value; undefined if the object does not exist. Throws an `ApiError` for any other problem. */
export function orAbsent<T>(answer: ApiAnswer<T>, operation: string): T | undefined {
  if (answer.ok) return answer.value;
  if (answer.status === 404) return undefined;
  throw new ApiError(operation, answer);
}

/**
 * Reads the Status object in the body of an error response. If the body has none, the message quotes the
 * body's first 300 characters.
 */
export function apiProblem(status: number, body: string, retryAfter: string | undefined): ApiProblem {
  const failure = statusObject(body);
  const seconds = Number(retryAfter ?? failure.details?.retryAfterSeconds);
  return {
    ok: false,
    status,
    reason: failure.reason ?? `Http${status}`,
    message: failure.message ?? `the API server answered ${status}: ${body.slice(0, 300)}`,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
}

/** The problem of a request that failed or timed out without a usable response. */
export function apiUnreachable(error: unknown): ApiProblem {
  const message = Error.isError(error) ? error.message || error.name : String(error);
  const timedOut = Error.isError(error) && /timeout/i.test(`${error.name} ${error.message}`);
  return { ok: false, status: 0, reason: timedOut ? 'Timeout' : 'Unreachable', message };
}

function statusObject(body: string): StatusBody {
  try {
    const value: StatusBody | null = JSON.parse(body);
    return value ?? {};
  } catch {
    return {};
  }
}

interface StatusBody {
  reason?: string;
  message?: string;
  details?: { retryAfterSeconds?: number };
}
