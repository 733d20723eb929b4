import type { SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import { isConfirmation, isSession } from './answers.ts';
import { GatewayError, throwForStatus, type GatewayClient } from './gateway-client.ts';
import { retry, type RetryLimits } from './retry.ts';

const PATH = '/agent/v1/session';

export interface Opening {
  /** Resolves with the work. It may start before the session is confirmed. */
  work: Promise<SessionResponse>;
  /**
   * Resolves when the gateway accepts reports. Rejects with `SessionOver` if the gateway refuses the session,
   * and with the last error if the limits are reached.
   */
  confirmed: Promise<void>;
}

/** Requests a session until the gateway confirms it. The work may arrive before the confirmation. */
export function requestSession(
  client: GatewayClient,
  request: () => SessionRequest,
  limits: RetryLimits,
): Opening {
  const work = Promise.withResolvers<SessionResponse>();
  const attempt = async (): Promise<void> => {
    let confirmed = false;
    await client.postForLines(PATH, JSON.stringify(request()), (line) => {
      if (isSession(line)) {
        work.resolve(line);
        confirmed = !('provisional' in line);
      } else if (isConfirmation(line)) {
        throwForStatus(PATH, line.confirmed ? 200 : line.status, 'the session was not confirmed');
        confirmed = true;
      } else throw new GatewayError('the gateway sent a plan in an unknown format');
    });
    if (!confirmed) throw new GatewayError('the gateway did not confirm the session');
  };
  const confirmed = retry(attempt, limits);
  confirmed.catch(work.reject);
  return { work: work.promise, confirmed };
}
