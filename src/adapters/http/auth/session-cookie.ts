import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { isEncrypted, originOf } from './request-origin.ts';
import type { SessionCodec } from './session-token.ts';

/** How browsers send a session, and how a request proves that one of our pages sent it. */
export interface BrowserRules {
  /** The cookies that the browser of this request accepts and sends back. */
  cookies: (request: FastifyRequest) => BrowserCookies;
  /**
   * Origin of the external URL. Undefined if there is no external URL: then any host that the browser uses
   * counts as ours.
   */
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
 * Browsers send these cookies to this host only and hide them from scripts. Browsers refuse Secure cookies
 * over plain HTTP, so without TLS the cookies have neither that attribute nor the `__Host-` prefix.
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
 * Returns the session cookie of the request. Without an external URL the gateway cannot know whether a proxy
 * terminates TLS. So it prefers the `__Host-` cookie, which browsers send only with TLS.
 */
export function sessionCookie(request: FastifyRequest, rules: BrowserRules): string | undefined {
  const cookies = request.server.parseCookie(request.headers.cookie ?? '');
  const name = rules.cookies(request).session;
  return rules.origin === undefined ? (cookies[SECURE.session] ?? cookies[name]) : cookies[name];
}
