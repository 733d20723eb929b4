import type { RouteRules } from '#adapters/http/auth/route-rules.ts';

/**
 * `data`: read by programs. `page`: shown by a browser, with our own scripts and styles. `image`: embedded by
 * anybody, also elsewhere.
 */
export type ContentKind = 'data' | 'page' | 'image';

type Headers = Record<string, string>;

const ALL: Headers = {
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
};

/**
 * An image that is opened by itself is sandboxed; what is sandboxed and has an opener policy, browsers refuse
 * to show (HTML standard, navigation).
 */
const NO_IMAGE: Headers = {
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-permitted-cross-domain-policies': 'none',
};

const BY_KIND: Record<ContentKind, Headers> = {
  /** Never a document to a browser: nothing may run, or frame it. */
  data: {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  /** Forms go nowhere else, not even by a redirect: what leads to an identity provider is a link. */
  page: {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    // With `no-referrer` browsers would hide the origin of our own forms, which says that they are ours.
    'referrer-policy': 'same-origin',
  },
  /** Opened by itself, an SVG is a document: it runs nothing and is of no origin. */
  image: {
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  },
};

const A_YEAR = 'max-age=31536000';

/** What every answer of a kind carries. Browsers are bound to HTTPS only where people come by HTTPS. */
export function securityHeaders(externalUrl: string | undefined): Record<ContentKind, Headers> {
  const secure = externalUrl?.startsWith('https:') === true && { 'strict-transport-security': A_YEAR };
  const { data, page, image } = BY_KIND;
  return {
    data: { ...ALL, ...NO_IMAGE, ...secure, ...data },
    page: { ...ALL, ...NO_IMAGE, ...secure, ...page },
    image: { ...ALL, ...secure, ...image },
  };
}

const OF_A_TEAM = new Set(['read', 'write', 'maintain', 'admin', 'public']);

/**
 * What a team shares may be kept and asked for again by its tag; all else is somebody's own, or a secret, and
 * is kept nowhere.
 */
export function cachingOf(rules: RouteRules | undefined): string {
  return rules !== undefined && OF_A_TEAM.has(rules.needs) ? 'private, no-cache' : 'no-store';
}
