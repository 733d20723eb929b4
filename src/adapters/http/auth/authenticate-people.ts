import type { Identity } from '#domain/access/decide-access.ts';
import { identifyByToken } from '#flows/people/api-tokens.ts';
import type { UserSessionStore } from '#flows/people/ports.ts';
import type { TokenStore } from '#flows/people/token-ports.ts';
import { apiTokenHash } from './api-token.ts';
import { bearerToken, type Authenticate } from './authenticate.ts';
import type { SessionCodec } from './session-token.ts';

interface AuthenticationParts {
  sessions: Pick<UserSessionStore, 'identityOfSession'>;
  tokens: Pick<TokenStore, 'ownerOfToken'>;
  codec: Pick<SessionCodec, 'read'>;
  /** Identifies the owner of a token of the installation. */
  installation: Authenticate;
  /** Seconds after which an unused session ends; 0: never. */
  idleSeconds: number;
  now: () => Date;
}

/**
 * Returns a function that accepts a session token (in the header or in the cookie of a browser), an API token
 * or a token of the installation. For sessions and API tokens it reads the rights of the owner at each
 * request, so every replica applies a change of these rights at once.
 */
export function authenticatePeople({
  sessions,
  tokens,
  codec,
  installation,
  idleSeconds,
  now,
}: AuthenticationParts): Authenticate {
  async function identifySession(token: string): Promise<Identity | 'invalid'> {
    const at = now();
    const claims = await codec.read(token, at);
    return (claims && (await sessions.identityOfSession(claims, { at, idleSeconds }))) ?? 'invalid';
  }
  return async ({ authorization, cookie }) => {
    const token = bearerToken(authorization);
    if (token === undefined) return cookie === undefined ? 'anonymous' : await identifySession(cookie);
    const hash = apiTokenHash(token);
    if (hash !== undefined) return (await identifyByToken(hash, now(), tokens)) ?? 'invalid';
    return token.includes('.') ? await identifySession(token) : await installation({ authorization });
  };
}
