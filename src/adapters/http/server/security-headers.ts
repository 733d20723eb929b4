import type { RouteRules } from '#adapters/http/auth/route-rules.ts';

/**
 * `data`: read by programs. `page`: shown by a browser, with our scripts and styles. `image`: may be embedded
 * anywhere.
 */
export type ContentKind = 'data' | 'page' | 'image';

type Headers = Record<string, string>;

const EVERYWHERE: Headers = {
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
};

/**
 * Browsers refuse to show a document that is sandboxed and also has an opener policy (HTML standard,
 * navigation). An image that is opened in a tab of its own is a sandboxed document, so these headers are not
 * added to images.
 */
const ALL_BUT_IMAGES: Headers = {
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-permitted-cross-domain-policies': 'none',
};

const BY_KIND: Record<ContentKind, Headers> = {
  /** If a browser opens the data as a document, nothing in it may run and no page may frame it. */
  data: {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  /**
   * The browser lets a form lead only to our own pages, even after a redirect. So a page sends people to an
   * identity provider with a link, not with a form.
   */
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
    // With `no-referrer` browsers would hide the origin of our own forms, which the CSRF check needs.
    'referrer-policy': 'same-origin',
  },
  /** An SVG that is opened in a tab of its own is a document: it may run nothing and has no origin. */
  image: {
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  },
};

const ONE_YEAR = 'max-age=31536000';

/** The headers of every response of a kind. HTTPS is enforced only if the external URL has it. */
export function securityHeaders(externalUrl: string | undefined): Record<ContentKind, Headers> {
  const secure = externalUrl?.startsWith('https:') === true && { 'strict-transport-security': ONE_YEAR };
  const { data, page, image } = BY_KIND;
  return {
    data: { ...EVERYWHERE, ...ALL_BUT_IMAGES, ...secure, ...data },
    page: { ...EVERYWHERE, ...ALL_BUT_IMAGES, ...secure, ...page },
    image: { ...EVERYWHERE, ...secure, ...image },
  };
}

const TEAM_NEEDS = new Set(['read', 'write', 'maintain', 'admin', 'public']);

/**
 * The `cache-control` of a route whose handler sets none. Browsers may cache what the members of a team
 * share, but must revalidate it by its ETag. They may not cache anything else, such as personal data.
 */
export function cacheControlOf(rules: RouteRules | undefined): string {
  return rules !== undefined && TEAM_NEEDS.has(rules.needs) ? 'private, no-cache' : 'no-store';
}
