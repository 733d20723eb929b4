/** The response of the API server, or why there is none. Refusals are values, not exceptions. */
export type ApiAnswer<T> = { ok: true; value: T } | ApiProblem;

export interface ApiProblem {
  ok: false;
  /** HTTP status; 0 without a response. */
  status: number;
  /**
   * Reason code of the API server. Without a response: `Unreachable`, `Timeout` or `TooLarge`; from a
   * reflector, `WatchBroken` or `HandlerFailed`.
   */
  reason: string;
  message: string;
  retryAfterSeconds?: number;
}

/** The reason when an answer has more bytes than the limit. */
export const TOO_LARGE = 'TooLarge';

/** Thrown by callers that need the value. The work queue retries. */
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

/** Returns the value. Throws the problem, with the operation that failed. */
export function orThrow<T>(answer: ApiAnswer<T>, operation: string): T {
  if (answer.ok) return answer.value;
  throw new ApiError(operation, answer);
}

/** Returns the value, undefined if the object does not exist. Throws any other problem. */
export function orAbsent<T>(answer: ApiAnswer<T>, operation: string): T | undefined {
  if (answer.ok) return answer.value;
  if (answer.status === 404) return undefined;
  throw new ApiError(operation, answer);
}

/**
 * Reads the Status object of an error response. For any other body, the message has the body's first
 * characters.
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

/** The connection failed. */
export function apiUnreachable(error: unknown): ApiProblem {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const timedOut = error instanceof Error && /timeout/i.test(`${error.name} ${error.message}`);
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
