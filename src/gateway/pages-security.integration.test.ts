import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* The security of pages and forms as sent over HTTP. `pages.browser.test.ts` tests pages in a browser. */
const PASSWORD = 'correct horse';
const APP = '/teams/main/pipelines/app';
let stores: TestStores;
let gateway: Gateway;
let cookie = '';

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await gateway.account('ann', { password: PASSWORD, teams: { main: 'admin' } });
  cookie = `__Host-millrace-session=${await gateway.session('ann')}`;
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

async function page(path: string, as = cookie) {
  const answer = await request(`${gateway.base}${path}`, { headers: { accept: 'text/html', cookie: as } });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function post(path: string, fields: Record<string, string>, headers: Record<string, string>) {
  const answer = await request(`${gateway.base}${path}`, {
    method: 'POST',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  await answer.body.dump();
  return {
    status: answer.statusCode,
    location: answer.headers['location'],
    cookies: answer.headers['set-cookie'],
  };
}

const FROM_OUR_PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };
const PAGES = [
  '/teams',
  '/profile',
  '/profile/password',
  APP,
  `${APP}/jobs/unit`,
  `${APP}/resources/git.app`,
  `${APP}/caches`,
  '/teams/main/triggers',
];

describe('every page', () => {
  test.each(['/auth/login', ...PAGES])('at %s allows only our own scripts and no frame', async (path) => {
    const { status, headers, text } = await page(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    // The page has no inline script, style or handler, which its policy would block.
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+\s*=|\sstyle\s*=|javascript:/i);
  });

  test.each(PAGES)('at %s has a sign-out button', async (path) => {
    expect((await page(path)).text).toMatch(/<form method="post" action="\/auth\/logout"/);
  });
});

describe('a password field', () => {
  test.each([
    ['/auth/login', ['current-password']],
    ['/profile', ['current-password', 'new-password']],
    ['/profile/password', ['current-password', 'new-password']],
  ])('on %s is masked, allows pasting and is known to password managers', async (path, kinds) => {
    const inputs = (await page(path)).text.match(/<input[^>]*password"[^>]*>/g) ?? [];
    const fields = inputs.filter((field) => /name="[^"]*password"/.test(field));
    expect(fields.map((field) => /autocomplete="([^"]*)"/.exec(field)?.[1])).toEqual(kinds);
    for (const field of fields) {
      expect(field).toContain('type="password"');
      expect(field).not.toMatch(/onpaste|readonly|maxlength="\d{1,2}"/);
    }
  });
});

describe('the sign-in form', () => {
  const fields = { username: 'ann', password: PASSWORD };

  test('redirects only to our own pages', async () => {
    for (const returnTo of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const { status, location } = await post(
        '/auth/login',
        { ...fields, return_to: returnTo },
        FROM_OUR_PAGE,
      );
      expect([status, location]).toEqual([303, '/teams']);
      expect((await page(`/auth/login?return_to=${encodeURIComponent(returnTo)}`, '')).text).not.toContain(
        'evil',
      );
    }
  });

  test.each([{}, { origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'is refused from another site: %j',
    async (headers) => {
      const answer = await post('/auth/login', fields, { ...headers });
      expect([answer.status, answer.cookies]).toEqual([403, undefined]);
    },
  );

  test('replaces the session that the browser had', async () => {
    expect((await post('/auth/login', fields, { ...FROM_OUR_PAGE, cookie })).status).toBe(303);
    expect((await gateway.ask('GET /profile', { headers: { cookie } })).status).toBe(401);
  });
});

test.each([`${APP}/pause`, `${APP}/jobs/unit/trigger`, '/profile', '/auth/logout', '/api-tokens'])(
  'a form that changes something needs its CSRF token: %s',
  async (path) => {
    for (const csrf_token of ['', 'nonsense']) {
      expect(
        (await post(path, { csrf_token, name: 'x', full_name: 'x' }, { ...FROM_OUR_PAGE, cookie })).status,
      ).toBe(403);
    }
  },
);
