import type { Identity } from '#domain/access/decide-access.ts';

/** `invalid`: a credential was shown and is wrong, which is never the same as showing none. */
export type Authorization = Identity | 'anonymous' | 'invalid';

/** What a request shows of who sends it. */
export interface Credentials {
  /** The header, whole. */
  authorization?: string | undefined;
  /** The session of a browser. Not looked at when there is a header. */
  cookie?: string | undefined;
}

export interface Authorize {
  (credentials: Credentials): Promise<Authorization>;
}

/** Looks each credential up once, however often it is shown. For one round of checks: it never forgets. */
export function authorizeOnce(authorize: Authorize): Authorize {
  const known = new Map<string, Promise<Authorization>>();
  return async (credentials) => {
    const key = JSON.stringify([credentials.authorization, credentials.cookie]);
    const found = known.get(key) ?? authorize(credentials);
    known.set(key, found);
    return await found;
  };
}

/** The token of an `Authorization: Bearer` header; empty, which no token is, for any other scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\w.~+/=-]{1,2048})$/i.exec(header)?.[1] ?? '';
}
