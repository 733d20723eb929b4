import type { IdentityTokensRequest } from '#domain/build/agent-protocol.ts';
import type { Masker } from '#domain/build/mask-secrets.ts';
import { identityTokensOf } from './answers.ts';
import { GatewayError, type GatewayClient } from './gateway-client.ts';
import { isFinal, retry } from './retry.ts';

/** How long to try again: a gateway may get new keys a minute or two after they were rotated. */
const RETRY_LIMIT_MS = 5 * 60_000;

/**
 * Fetches the variables with the identity tokens of a step, valid for `lifetimeSeconds` if it is given. While
 * the gateway is unreachable, it tries again for some minutes, or until `stop` aborts.
 */
export type FetchIdentity = (
  forStep: { step: string; lifetimeSeconds?: number },
  stop: AbortSignal,
) => Promise<{ variables: Record<string, string> } | { problem: string }>;

/**
 * Returns a function whose requests wait for `confirmed`: until then, the gateway does not know the session.
 */
export function identityFetcher(client: GatewayClient, confirmed: Promise<void>): FetchIdentity {
  const post = async (request: IdentityTokensRequest) => {
    await confirmed;
    const answer = await client.post('/agent/v1/identity-tokens', JSON.stringify(request));
    const tokens = identityTokensOf(answer);
    if (tokens === undefined) throw new GatewayError('the gateway answered without identity tokens');
    return tokens;
  };
  return async ({ step, lifetimeSeconds }, stop) => {
    const request = { step, ...(lifetimeSeconds !== undefined && { seconds: Math.ceil(lifetimeSeconds) }) };
    const until = performance.now() + RETRY_LIMIT_MS;
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

/** Rejects when `stop` aborts, so that a stopped step does not wait for the response to a request. */
function rejectedBy(stop: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const rejectNow = (): void => reject(new GatewayError('the step was stopped'));
    if (stop.aborted) rejectNow();
    else stop.addEventListener('abort', rejectNow, { once: true });
  });
}

/**
 * Masks only the signatures of tokens, because nobody accepts a token without its signature. To mask whole
 * tokens would take ten times the memory.
 */
export function maskTokens(masker: Masker, variables: Readonly<Record<string, string>>): void {
  masker.add(Object.values(variables).flatMap((token) => token.split('.').at(-1) ?? []));
}
