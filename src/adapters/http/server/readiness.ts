import { withTimeout } from '#adapters/http/protocol/timeout.ts';
import type { Readiness } from '#adapters/telemetry/metrics-server.ts';

export interface HealthBody {
  status: 'ok' | 'error';
  db: 'connected' | 'disconnected';
  version: string;
  error?: string;
}

/** The response of `/health`. */
export async function healthOf(
  readiness: Readiness,
  version: string,
): Promise<{ status: 200 | 503; body: HealthBody }> {
  const error = await readiness();
  if (error === undefined) return { status: 200, body: { status: 'ok', db: 'connected', version } };
  return { status: 503, body: { status: 'error', db: 'disconnected', version, error } };
}

/**
 * Returns a function that pings the database at most once a second, however many probes come, and waits at
 * most two seconds for an answer. It returns undefined if the database answers, otherwise a sentence. The
 * error is only reported to the log, because its text may name hosts and users.
 */
export function databaseReadiness(
  ping: () => Promise<unknown>,
  reportError: (error: unknown) => void,
): Readiness {
  let result: Promise<string | undefined> | undefined;
  let pingedAt = -Infinity;
  return () => {
    if (result === undefined || performance.now() - pingedAt > 1000) {
      pingedAt = performance.now();
      result = withTimeout(2000, ping()).then(
        () => undefined,
        (error: unknown) => {
          reportError(error);
          return 'The database does not answer.';
        },
      );
    }
    return result;
  };
}
