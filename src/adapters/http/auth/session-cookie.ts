import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { isEncrypted, originOf } from './request-origin.ts';
import type { SessionCodec } from './session-token.ts';

/** How browsers send a session, and the proof that one of our pages sent a request. */
export interface BrowserRules {
  /** The cookies that the browser of this request accepts and sends back. */
  cookies: (request: FastifyRequest) => BrowserCookies;
  /** Origin of the external URL. Undefined: not set, and any host that the browser uses counts as ours. */
  origin: string | undefined;
  csrfToken: SessionCodec['csrfToken'];
}

/** The names of the cookies, and their options. */
interface BrowserCookies {
  session: string;
  /** Binds a sign-in with a provider to the browser that started it. */
  flow: string;
  /** Holds the path to open after a sign-in with a provider. */
  returnPath: string;
  options: CookieSerializeOptions;
}

/**
 * Cookies are sent to this host only and hidden from scripts. Browsers refuse Secure cookies over plain HTTP,
 * so without TLS they have neither that attribute nor the `__Host-` prefix.
 */
const SECURE = cookiesNamed('__Host-millrace', true);
const PLAIN = cookiesNamed('millrace', false);

function cookiesNamed(prefix: string, secure: boolean): BrowserCookies {
  return {
    session: `${prefix}-session`,
    flow: `${prefix}-flow`,
    returnPath: `${prefix}-return`,
    options: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
  };
}

export function browserRules(
  externalUrl: string | undefined,
  codec: Pick<SessionCodec, 'csrfToken'>,
): BrowserRules {
  const cookiesOfExternalUrl = externalUrl?.startsWith('http:') === true ? PLAIN : SECURE;
  return {
    cookies: (request) => (externalUrl !== undefined || isEncrypted(request) ? cookiesOfExternalUrl : PLAIN),
    origin: originOf(externalUrl),
    csrfToken: (sessionId) => codec.csrfToken(sessionId),
  };
}

/**
 * The session cookie of the request. Without an external URL we cannot see whether a proxy ends TLS, so the
 * cookie that proves TLS wins.
 */
export function sessionCookie(request: FastifyRequest, rules: BrowserRules): string | undefined {
  const cookies = request.server.parseCookie(request.headers.cookie ?? '');
  const name = rules.cookies(request).session;
  return rules.origin === undefined ? (cookies[SECURE.session] ?? cookies[name]) : cookies[name];
}
