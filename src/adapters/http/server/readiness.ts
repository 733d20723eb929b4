import { within } from '#adapters/http/protocol/timeout.ts';
import type { Readiness } from '#adapters/telemetry/metrics-server.ts';

export interface Health {
  status: 'ok' | 'error';
  db: 'connected' | 'disconnected';
  version: string;
  error?: string;
}

/** The answer of `/health`. */
export async function healthOf(
  readiness: Readiness,
  version: string,
): Promise<{ status: 200 | 503; body: Health }> {
  const error = await readiness();
  if (error === undefined) return { status: 200, body: { status: 'ok', db: 'connected', version } };
  return { status: 503, body: { status: 'error', db: 'disconnected', version, error } };
}

/**
 * Asks the database, at most once a second and never longer than two, however many probes ask. The reason
 * stays in the log: an error's text may name hosts and users.
 */
export function databaseReadiness(ping: () => Promise<unknown>, lost: (error: unknown) => void): Readiness {
  let answer: Promise<string | undefined> | undefined;
  let askedAt = -Infinity;
  return () => {
    if (answer === undefined || performance.now() - askedAt > 1000) {
      askedAt = performance.now();
      answer = within(2000, ping()).then(
        () => undefined,
        (error: unknown) => {
          lost(error);
          return 'The database does not answer.';
        },
      );
    }
    return answer;
  };
}
