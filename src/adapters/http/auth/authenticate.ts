import type { Identity } from '#domain/access/decide-access.ts';

/** `invalid`: a credential was sent and is wrong. `anonymous`: none was sent. */
export type Authentication = Identity | 'anonymous' | 'invalid';

/** The credentials of a request. */
export interface RequestCredentials {
  /** The value of the `Authorization` header. */
  authorization?: string | undefined;
  /** The session cookie of a browser. Ignored if there is a header. */
  cookie?: string | undefined;
}

export interface Authenticate {
  (credentials: RequestCredentials): Promise<Authentication>;
}

/**
 * Returns a function that looks each credential up once. Use it for one round of checks only, because it
 * keeps every result.
 */
export function authenticateOnce(authenticate: Authenticate): Authenticate {
  const results = new Map<string, Promise<Authentication>>();
  return async (credentials) => {
    const key = JSON.stringify([credentials.authorization, credentials.cookie]);
    const result = results.get(key) ?? authenticate(credentials);
    results.set(key, result);
    return await result;
  };
}

/**
 * Returns the token of an `Authorization: Bearer` header, or undefined without a header. For any other scheme
 * or form it returns an empty text, which is never a valid token.
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\w.~+/=-]{1,2048})$/i.exec(header)?.[1] ?? '';
}
