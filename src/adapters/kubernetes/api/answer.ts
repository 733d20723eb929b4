/** What the API server said, or that it said nothing: refusals are values, never exceptions. */
export type ApiAnswer<T> = { ok: true; value: T } | ApiProblem;

export interface ApiProblem {
  ok: false;
  /** HTTP status; 0 when there was no answer at all. */
  status: number;
  /** Machine word: the API server's, or `Unreachable`, `Timeout`, `BadAnswer`, `Stopped`. */
  reason: string;
  message: string;
  retryAfterSeconds?: number;
}

/** For those who cannot go on without the value: the queue's retry is their answer. */
export class ApiError extends Error {
  readonly problem: ApiProblem;

  constructor(doing: string, problem: ApiProblem) {
    super(
      `${doing}: ${problem.message} (${problem.reason}${problem.status === 0 ? '' : `, ${problem.status}`})`,
    );
    this.name = 'ApiError';
    this.problem = problem;
  }
}

/** The value, or the problem thrown with what was being done. */
export function orThrow<T>(answer: ApiAnswer<T>, doing: string): T {
  if (answer.ok) return answer.value;
  throw new ApiError(doing, answer);
}

/** The value, nothing when there is no such object, any other problem thrown. */
export function orAbsent<T>(answer: ApiAnswer<T>, doing: string): T | undefined {
  if (answer.ok) return answer.value;
  if (answer.status === 404) return undefined;
  throw new ApiError(doing, answer);
}

/** Reads the Status object of an error answer; anything else becomes a sentence with its first bytes. */
export function apiProblem(status: number, body: string, retryAfter: string | undefined): ApiProblem {
  const told = statusObject(body);
  const seconds = Number(retryAfter ?? told.details?.retryAfterSeconds);
  return {
    ok: false,
    status,
    reason: told.reason ?? `Http${status}`,
    message: told.message ?? `the API server answered ${status}: ${body.slice(0, 300)}`,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
}

/** A problem of the connection itself. */
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
