import { describe, expect, test } from '@jest/globals';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { AccessLevel } from '#domain/access/decide-access.ts';
import type { App, Route } from './route.ts';
import type { ContentKind } from './security-headers.ts';
import { createServer } from './server.ts';

interface AnswerParts {
  type: string;
  needs?: AccessLevel;
  content?: ContentKind;
}

const PATH = '/teams/:team/answer';

/** One path, whose answer the test sets. */
function server({ type, needs = 'nothing', content }: AnswerParts, externalUrl?: string): App {
  const rules: RouteRules = { needs, about: 'What this test is about.' };
  const config = { rules, ...(content !== undefined && { content }) };
  const handler = async (
    _request: unknown,
    reply: { type(value: string): { send(text: string): unknown } },
  ) => reply.type(type).send('text');
  const testRoute: Route = {
    method: 'GET',
    url: PATH,
    rules,
    register: (app) => void app.route({ method: 'GET', url: PATH, config, handler }),
  };
  const teams = new Map([['main', 'admin' as const]]);
  return createServer({
    routes: [testRoute],
    authenticate: async ({ authorization }) =>
      authorization === undefined
        ? 'anonymous'
        : { user: 'root', userId: 1, sessionId: 'a', globalAdmin: true, teams, credential: 'session' },
    log: createLog('silent', 'test'),
    externalUrl,
  });
}

const headersOf = async (answer: AnswerParts, externalUrl?: string) => {
  const app = server(answer, externalUrl);
  return (await app.inject({ url: '/teams/main/answer', headers: { authorization: 'x' } })).headers;
};

describe('the security headers', () => {
  test('of data forbid everything', async () => {
    expect(await headersOf({ type: 'application/json' })).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test('of a page allow its own scripts and styles and forbid frames', async () => {
    const headers = await headersOf({ type: 'text/html; charset=utf-8' });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(String(headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
  });

  test('of an image let any page show it and forbid scripts', async () => {
    const headers = await headersOf({ type: 'image/svg+xml', content: 'image' });
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    // By the HTML standard, browsers do not show a sandboxed document that has an opener policy.
    expect(headers).not.toHaveProperty('cross-origin-opener-policy');
  });

  test('let other origins read images only', async () => {
    for (const type of ['application/json', 'text/html', 'text/plain']) {
      expect(await headersOf({ type })).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('every answer', () => {
  test.each(['/absent', '/teams/%ff', '/teams/main/answer'])(
    'has the security headers, even a refusal: %s',
    async (url) => {
      const app = server({ type: 'application/json', needs: 'admin' });
      const { headers, statusCode } = await app.inject(url);
      expect(statusCode).toBeGreaterThanOrEqual(400);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  test.each([
    ['https://ci.example.org', 'max-age=31536000'],
    ['http://ci.example.org', undefined],
    [undefined, undefined],
  ])(
    'has Strict-Transport-Security only if the external URL has HTTPS: %s',
    async (externalUrl, expected) => {
      const headers = await headersOf({ type: 'application/json' }, externalUrl);
      expect(headers['strict-transport-security']).toBe(expected);
    },
  );

  const policyOf: [AccessLevel, string][] = [
    ['nothing', 'no-store'],
    ['user', 'no-store'],
    ['session', 'no-store'],
    ['global-admin', 'no-store'],
    ['read', 'private, no-cache'],
    ['admin', 'private, no-cache'],
  ];
  test.each(policyOf)(
    'of a route that requires %s has the Cache-Control header %s',
    async (needs, caching) => {
      expect((await headersOf({ type: 'application/json', needs }))['cache-control']).toBe(caching);
    },
  );
});
