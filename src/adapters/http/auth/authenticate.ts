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

/** Looks each credential up once. For one round of checks only: it never drops what it has found. */
export function authenticateOnce(authenticate: Authenticate): Authenticate {
  const known = new Map<string, Promise<Authentication>>();
  return async (credentials) => {
    const key = JSON.stringify([credentials.authorization, credentials.cookie]);
    const result = known.get(key) ?? authenticate(credentials);
    known.set(key, result);
    return await result;
  };
}

/**
 * Returns the token of an `Authorization: Bearer` header; for any other scheme an empty text, which is never
 * a token.
 */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\w.~+/=-]{1,2048})$/i.exec(header)?.[1] ?? '';
}
