import { isDebugWork, isSecrets } from './answers.ts';
import type { DebugLinks } from './debug-sessions.ts';
import { GatewayError, type GatewayClient } from './gateway-client.ts';
import type { SecretLinks } from './secrets.ts';

type Client = Pick<GatewayClient, 'post'>;

/**
 * Requests secrets once the session is confirmed: until then, the gateway does not know the key of this
 * agent.
 */
export function secretsRequestAfter(client: Client, confirmed: Promise<void>): SecretLinks['request'] {
  return async (request) => {
    await confirmed;
    const answer = await client.post('/agent/v1/secrets', JSON.stringify(request));
    if (!isSecrets(answer)) throw new GatewayError('the gateway sent secrets in an unknown format');
    return answer;
  };
}

export function debugExchange(client: Client): DebugLinks['exchange'] {
  return async (request) => {
    const answer = await client.post('/agent/v1/debug', JSON.stringify(request));
    if (!isDebugWork(answer)) throw new GatewayError('the gateway sent shells in an unknown format');
    return answer;
  };
}
