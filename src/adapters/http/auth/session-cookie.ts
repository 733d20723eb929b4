import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { isEncrypted, originOf } from './request-origin.ts';
import type { SessionCodec } from './session-token.ts';

/** How browsers carry a session, and what proves that a page of ours sent a request. */
export interface BrowserRules {
  /** The cookies that this request's browser accepts and sends back. */
  cookies: (request: FastifyRequest) => BrowserCookies;
  /** Of the external URL. Undefined: not set, and whatever host the browser used is ours. */
  origin: string | undefined;
  csrfToken: SessionCodec['csrfToken'];
}

interface BrowserCookies {
  session: string;
  /** Binds a sign-in by a provider to the browser that began it. */
  flow: string;
  /** Where to go after a sign-in by a provider. */
  back: string;
  options: CookieSerializeOptions;
}

/**
 * Cookies are sent to this host only, and no script reads them. Browsers refuse Secure cookies over plain
 * HTTP, so the cookies of an installation without TLS have neither that attribute nor the `__Host-` name that
 * promises it.
 */
const SECURE = cookiesNamed('__Host-millrace', true);
const PLAIN = cookiesNamed('millrace', false);

function cookiesNamed(prefix: string, secure: boolean): BrowserCookies {
  return {
    session: `${prefix}-session`,
    flow: `${prefix}-flow`,
    back: `${prefix}-return`,
    options: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
  };
}

export function browserRules(
  externalUrl: string | undefined,
  codec: Pick<SessionCodec, 'csrfToken'>,
): BrowserRules {
  const fixed = externalUrl?.startsWith('http:') === true ? PLAIN : SECURE;
  return {
    cookies: (request) => (externalUrl !== undefined || isEncrypted(request) ? fixed : PLAIN),
    origin: originOf(externalUrl),
    csrfToken: (sessionId) => codec.csrfToken(sessionId),
  };
}

/**
 * The session that the browser sent. Where TLS may end in front of us unseen, the cookie that proves TLS
 * wins.
 */
export function sessionCookie(request: FastifyRequest, rules: BrowserRules): string | undefined {
  const sent = request.server.parseCookie(request.headers.cookie ?? '');
  const name = rules.cookies(request).session;
  return rules.origin === undefined ? (sent[SECURE.session] ?? sent[name]) : sent[name];
}
