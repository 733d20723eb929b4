import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { writeAccountChange } from '#flows/people/manage-accounts.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Responses to browsers, and refusals of forms that other sites make browsers send. The tests use HTTP
 * without a browser.
 */
const APP = '/teams/main/pipelines/app';
const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e';
const PASSWORD = 'correct horse battery';
const FROM_OUR_PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };

let stores: TestStores;
let gateway: Gateway;
let cookie: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: EVIL });
  const unit = job('unit', getStep('git.app', { trigger: false }), task(EVIL));
  const definition = samplePipeline({ jobs: [{ ...unit, inputs: INPUTS }] });
  const saved = await stores.pipelines.savePipeline(toSave(definition, { displayName: EVIL }));
  await recordFoundVersions(stores, saved, [{ ref: EVIL }]);
  await gateway.account('ann', { teams: { main: 'admin' }, password: PASSWORD });
  await writeAccountChange('ann', { fullName: EVIL }, { by: 'ann', at: new Date() }, stores.access);
  const as = await gateway.session('ann');
  cookie = `__Host-millrace-session=${as}`;
  await gateway.ask('POST /api-tokens', { as, body: { name: EVIL, personal: true } });
  await gateway.ask(`POST ${APP}/jobs/unit/trigger`, { as });
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

const INPUTS: Input[] = [
  { name: 'text', type: 'string', description: EVIL, default: EVIL },
  { name: 'boxes', type: 'list', description: EVIL, default: '', options: [EVIL, 'b'] },
  { name: 'count', type: 'number', default: '1' },
];

const send = async (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  await fetch(`${gateway.base}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    redirect: 'manual',
  });
const login = { username: 'ann', password: PASSWORD };

describe('a form without a session', () => {
  const refused: Record<string, Record<string, string>> = {
    'of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    'of a site in a subdomain': { origin: 'https://evil.ci.example.org', 'sec-fetch-site': 'same-site' },
    'of a page with an opaque origin': { origin: 'null' },
    'without origin headers': {},
  };
  test.each(Object.entries(refused))('%s signs nobody in', async (_name, headers) => {
    for (const path of ['/auth/login', '/auth/oauth/complete-profile']) {
      const answer = await send(path, login, headers);
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
  });

  test('of our own page signs in and redirects only to our own pages', async () => {
    for (const returnTo of [
      '/teams/main/pipelines',
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
    ]) {
      const answer = await send('/auth/login', { ...login, return_to: returnTo }, FROM_OUR_PAGE);
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        returnTo.startsWith('/teams') ? returnTo : '/teams',
      ]);
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Host-millrace-session=.*HttpOnly; Secure; SameSite=Lax/,
      );
    }
  });
});

test('a form with a session needs its CSRF token and our own origin', async () => {
  const as = cookie.replace('__Host-millrace-session=', '');
  const session = await gateway.ask<{ data: { csrf_token: string } }>('GET /auth/session', { as });
  const { csrf_token: csrfToken } = session.body.data;
  const attempts: [fields: Record<string, string>, headers: Record<string, string>, status: number][] = [
    [{}, FROM_OUR_PAGE, 403],
    [{ csrf_token: 'guessed' }, FROM_OUR_PAGE, 403],
    [{ csrf_token: csrfToken }, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    [{ csrf_token: csrfToken }, FROM_OUR_PAGE, 303],
  ];
  for (const [fields, headers, status] of attempts) {
    const answer = await send(`${APP}/jobs/unit/pause`, fields, { ...headers, cookie });
    expect([fields, answer.status]).toEqual([fields, status]);
    const paused = (await stores.views.job({ team: 'main', pipeline: 'app', job: 'unit' }))?.paused;
    expect(paused).toBe(status === 303);
  }
});

describe('every page', () => {
  const pages = [
    '/auth/login',
    '/teams',
    '/teams/main',
    '/teams/main/pipelines',
    APP,
    `${APP}/jobs/unit`,
    `${APP}/jobs/unit/builds`,
    `${APP}/jobs/unit/builds/1`,
    `${APP}/resources/git.app`,
    `${APP}/resources/git.app?text=${encodeURIComponent(EVIL)}&webhook=shown`,
    `${APP}/caches`,
    '/teams/main/triggers',
    '/profile',
    '/profile/password',
    '/openapi',
    '/no/such/page',
    `/teams/${encodeURIComponent(EVIL)}/pipelines`,
  ];
  test.each(pages)(
    'at %s escapes what people wrote, and contains nothing that its Content-Security-Policy forbids',
    async (path) => {
      const answer = await fetch(`${gateway.base}${path}`, { headers: { accept: 'text/html', cookie } });
      const text = await answer.text();
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('vary')).toMatch(/\bAccept\b/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
      // Each tag is well formed: attributes have lower-case names and values in double quotes.
      const tags = text.match(/<[^>]*>/g) ?? [];
      const malformed = tags.filter(
        (tag) =>
          !/^<(?:!doctype html|\/[a-z0-9]+ ?|[a-z0-9]+(?: [a-z-]+(?:="[^"<>]*")?)*\s*\/?)>$/.test(
            tag.replaceAll(/\s+/g, ' '),
          ),
      );
      expect(malformed).toEqual([]);
      expect(
        tags.filter((tag) =>
          /^<(script(?!( type="module")? src="\/assets\/)|style|iframe|object|base)/.test(tag),
        ),
      ).toEqual([]);
      // Without the values of attributes, only their names are left to check.
      const tagsWithoutValues = tags.map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
      expect(tagsWithoutValues.filter((tag) => /\s(on[a-z]+|style|srcdoc)\b/.test(tag))).toEqual([]);
      expect(tags.filter((tag) => /(href|src|action)="\s*(javascript|data:text)/i.test(tag))).toEqual([]);
      expect(text).not.toContain('\u202e');
      // Every page has headings, landmarks, and a label for each field.
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).toMatch(/<html lang="en">[\s\S]*<main id="main"/);
      expect(fieldsWithoutLabel(text)).toEqual([]);
    },
  );
});

test('the page of a job with inputs accepts a value for each input', async () => {
  const as = cookie.replace('__Host-millrace-session=', '');
  const session = await gateway.ask<{ data: { csrf_token: string } }>('GET /auth/session', { as });
  const post = async (verb: string, fields: Record<string, string>) => {
    const { csrf_token } = session.body.data;
    return await send(`${APP}/jobs/unit/${verb}`, { csrf_token, ...fields }, { ...FROM_OUR_PAGE, cookie });
  };
  await post('unpause', {});
  const fields = { 'text.text': 'x', 'list.boxes': '', 'item.1.boxes': 'b', 'filled.count': '' };
  const triggered = await post('trigger', fields);
  expect([triggered.status, triggered.headers.get('location')]).toEqual([303, `${APP}/jobs/unit/builds/2`]);
  const build = await stores.views.build({ team: 'main', pipeline: 'app', job: 'unit', number: '2' });
  expect(build?.inputValues).toEqual({ text: 'x', boxes: 'b', count: '1' });
  const refused = await post('trigger', { ...fields, 'filled.count': 'many' });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('Input count must be a number, not &quot;many&quot;.'),
  ]);
});

test.each([
  APP,
  `${APP}/jobs/unit/builds`,
  `${APP}/jobs/unit/builds/1`,
  `${APP}/resources/git.app`,
  `${APP}/caches`,
  `${APP}/secrets`,
  '/teams/main/new-pipeline',
  '/teams/main/triggers',
  '/teams/main/settings',
  '/teams/main/members',
  '/teams/main/secrets',
  '/teams/main/audit',
])('the breadcrumbs at %s have the name of the team, as addresses and commands do', async (path) => {
  const answer = await fetch(`${gateway.base}${path}`, { headers: { accept: 'text/html', cookie } });
  const [, breadcrumbs = ''] =
    /<nav aria-label="Where this is"([\s\S]*?)<\/nav>/.exec(await answer.text()) ?? [];
  expect(breadcrumbs).toContain('<li><a href="/teams/main/pipelines">main</a></li>');
});

test('a page is JSON for programs at the same path', async () => {
  const as = cookie.replace('__Host-millrace-session=', '');
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9']) {
    const answer = await gateway.ask(`GET ${APP}`, { as, headers: { accept } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  }
  const missing = await gateway.ask('GET /no/such', { as });
  expect(missing.headers.get('content-type')).toMatch(/^application\/problem\+json/);
});

function fieldsWithoutLabel(text: string): string[] {
  const fields = text.match(/<(?:input|select|textarea)[^>]*>/g) ?? [];
  return fields.filter((field) => {
    const id = / id="([^"]*)"/.exec(field)?.[1];
    return (
      !/type="hidden"|aria-label="/.test(field) &&
      !(id !== undefined && (text.includes(`for="${id}"`) || id === 'follow'))
    );
  });
}
