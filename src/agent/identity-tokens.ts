import type { IdentityTokensRequest } from '#domain/build/agent-protocol.ts';
import type { Masker } from '#domain/build/mask-secrets.ts';
import { identityTokensOf } from './answers.ts';
import { GatewayError, type GatewayClient } from './gateway-client.ts';
import { isFinal, retry } from './retry.ts';

/** A gateway may get its keys a minute or two after they were rotated. */
const IDENTITY_LIMIT_MS = 5 * 60_000;

/**
 * Fetches the variables with the identity tokens of a step. Waits until the signal for a gateway that is
 * unreachable.
 */
export type FetchIdentity = (
  request: IdentityTokensRequest,
  stop: AbortSignal,
) => Promise<{ variables: Record<string, string> } | { problem: string }>;

/** `confirmed`: before that the gateway does not know the session. */
export function identityFetch(client: GatewayClient, confirmed: Promise<void>): FetchIdentity {
  const post = async (request: IdentityTokensRequest) => {
    await confirmed;
    const answer = await client.post('/agent/v1/identity-tokens', JSON.stringify(request));
    const tokens = identityTokensOf(answer);
    if (tokens === undefined) throw new GatewayError('the gateway answered without identity tokens');
    return tokens;
  };
  return async ({ step, seconds }, stop) => {
    const request = { step, ...(seconds !== undefined && { seconds: Math.ceil(seconds) }) };
    const until = Date.now() + IDENTITY_LIMIT_MS;
    try {
      const answer = await Promise.race([
        retry(() => post(request), { until: () => until, signal: stop }),
        rejectedBy(stop),
      ]);
      return 'refused' in answer ? { problem: answer.refused } : { variables: answer.tokens };
    } catch (error) {
      const why = isFinal(error) ? 'refuses them' : 'does not answer';
      return { problem: `The gateway that issues identity tokens ${why}.` };
    }
  };
}

/** Rejects on the signal, so that a stopped step does not wait for a request that is under way. */
function rejectedBy(stop: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stopped = (): void => reject(new GatewayError('the step was stopped'));
    if (stop.aborted) stopped();
    else stop.addEventListener('abort', stopped, { once: true });
  });
}

/**
 * Masks the signatures of tokens: nobody accepts one without it. The rest is no secret, and its patterns
 * would take ten times the memory.
 */
export function maskTokens(masker: Masker, variables: Readonly<Record<string, string>>): void {
  masker.add(Object.values(variables).flatMap((token) => token.split('.').at(-1) ?? []));
}
