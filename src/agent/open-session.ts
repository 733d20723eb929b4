import type { SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import { isConfirmation, isSession } from './answers.ts';
import { GatewayError, refuseStatus, type GatewayClient } from './gateway-client.ts';
import { retrying, type RetryLimits } from './retry.ts';

const PATH = '/agent/v1/session';

export interface Opening {
  /** May begin as soon as it is here. */
  work: Promise<SessionResponse>;
  /** From then on the gateway takes reports; rejects with `SessionOver` when it never will. */
  confirmed: Promise<void>;
}

/** Asks for the work until the session is confirmed. The work may come before that, and then begins. */
export function openSession(
  client: GatewayClient,
  request: () => SessionRequest,
  limits: RetryLimits,
): Opening {
  const work = Promise.withResolvers<SessionResponse>();
  const ask = async (): Promise<void> => {
    let confirmed = false;
    await client.postForLines(PATH, JSON.stringify(request()), (line) => {
      if (isSession(line)) {
        work.resolve(line);
        confirmed = !('provisional' in line);
      } else if (isConfirmation(line)) {
        refuseStatus(PATH, line.confirmed ? 200 : line.status, 'the work may not go on');
        confirmed = true;
      } else throw new GatewayError('the gateway answered with a plan of another format');
    });
    if (!confirmed) throw new GatewayError('the gateway did not confirm the session');
  };
  const confirmed = retrying(ask, limits);
  confirmed.catch(work.reject);
  return { work: work.promise, confirmed };
}
