import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { guardedWebFetch, type GuardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
import { PROVIDER_PRESETS } from '#domain/access/provider-presets.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { PASSWORD, startGitea, type Gitea } from '#testing/forges/gitea.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { makeCertificate } from '#testing/network/certificate.ts';
import { Browser, type ReceivedPage } from '#testing/people/identity-provider.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/*
 * Sign-in with a real Gitea, configured as Millrace's preset says. The test sends Gitea's forms with the
 * minimal browser of identity-provider.ts.
 */
const CALLBACK = `${ORIGIN}/auth/oauth/gitea/callback`;

let stores: TestStores;
let gateway: Gateway;
let gitea: Gitea;
let guarded: GuardedWebFetch;
let browser: Browser;
let ca = '';

beforeAll(async () => {
  stores = await openStores();
  const certificate = await makeCertificate('gitea');
  ca = certificate.cert;
  gitea = await startGitea({ certificate });
  for (const name of ['Ann.Lee', 'bob']) await gitea.createUser(name);
  await gitea.call('POST', '/orgs', { username: 'shop' });
  const teams = await gitea.call<{ id: number; name: string }[]>('GET', '/orgs/shop/teams');
  await gitea.call('PUT', `/teams/${teams[0]?.id ?? 0}/members/Ann.Lee`);
  const application = await gitea.call<{ client_id: string; client_secret: string }>(
    'POST',
    '/user/applications/oauth2',
    { name: 'Millrace', redirect_uris: [CALLBACK], confidential_client: true },
  );
  guarded = guardedWebFetch({ allowedRanges: ['127.0.0.0/8'], ca });
  gateway = await openGateway(stores, {
    client: openIdClient({
      secretOf: async () => application.client_secret,
      fetch: async (url, init) => await guarded.fetch(url, init),
      now: () => performance.now(),
    }),
  });
  const { name: canonical, issuerUrl = '', ...preset } = presetOf('gitea');
  const definition = {
    ...preset,
    canonical,
    clientId: application.client_id,
    enabled: true,
    secretKey: 'known',
  };
  const issuer = issuerUrl.replace('{host}', new URL(gitea.address).host);
  const act = { by: 'manifest', at: new Date() };
  await saveProvider({ ...definition, issuerUrl: issuer }, act, stores.access.oauth);
  const groups = [{ claim: 'shop:owners', provider: 'gitea', role: 'maintain' as const }];
  await stores.teams.saveTeam({ name: 'shop', namespace: 'shop', groups });
});
beforeEach(() => {
  browser = new Browser({ origin: ORIGIN, base: gateway.base }, [ca]);
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([gitea.stop(), guarded.close()]);
  await stores.close();
});

function presetOf(presetName: string) {
  const preset = PROVIDER_PRESETS.find(({ name }) => name === presetName);
  if (preset === undefined) throw new Error(`there is no preset ${presetName}`);
  return preset;
}

interface Answer {
  data: {
    status: string;
    username: string;
    full_name: string;
    profile_token: string;
    session: { username: string };
  };
}
function dataOf({ text }: ReceivedPage): Answer['data'] {
  const answer: Answer = JSON.parse(text);
  return answer.data;
}

const startSignIn = async (): Promise<ReceivedPage> => await browser.go(`${ORIGIN}/auth/oauth/gitea`);

/** Fills in Gitea's own form for user name and password. */
async function logIn(name: string): Promise<ReceivedPage> {
  const form = await startSignIn();
  expect(form).toMatchObject({ status: 200, text: expect.stringContaining('name="user_name"') });
  return await browser.submit({ url: form.url, fields: { user_name: name, password: PASSWORD } });
}

/** Presses the button of the form in which Gitea asks whether the person agrees. */
async function answerGrant(page: ReceivedPage, granted: 'true' | 'false'): Promise<ReceivedPage> {
  const inputs = page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [name, unescapeHtml(value)]),
  );
  expect(fields).toMatchObject({ redirect_uri: CALLBACK, scope: 'openid profile email groups' });
  return await browser.submit({ url: `${gitea.address}/login/oauth/grant`, fields: { ...fields, granted } });
}

const unescapeHtml = (html: string): string =>
  html.replaceAll('&#43;', '+').replaceAll('&#34;', '"').replaceAll('&amp;', '&');

async function complete(page: ReceivedPage, username: string): Promise<string> {
  const body = { profile_token: dataOf(page).profile_token, username, full_name: '', session: 'token' };
  const application = await gateway.ask<{ data: { token: string } }>('POST /auth/oauth/complete-profile', {
    body,
    headers: { cookie: browser.cookiesOf(ORIGIN) },
  });
  expect(application.status).toBe(201);
  return application.body.data.token;
}

describe('signing in with Gitea', () => {
  test('suggests its user name the first time, then gives the roles of its organisations', async () => {
    const page = await answerGrant(await logIn('Ann.Lee'), 'true');
    expect(page.status).toBe(200);
    expect(dataOf(page)).toMatchObject({ status: 'complete-profile', username: 'ann.lee' });
    const as = await complete(page, 'ann');
    const profile = await gateway.ask('GET /profile', { as });
    expect(profile.body.data).toMatchObject({ username: 'ann', teams: { shop: 'maintain' } });
  });

  test('needs no form when the person comes back', async () => {
    const agreed = await answerGrant(await logIn('bob'), 'true');
    await complete(agreed, 'bob');
    browser.forget(ORIGIN);
    const page = await startSignIn();
    expect(dataOf(page)).toMatchObject({ status: 'signed-in', session: { username: 'bob' } });
    const profile = await gateway.ask('GET /profile', { headers: { cookie: browser.cookiesOf(ORIGIN) } });
    expect(profile.body.data).toMatchObject({ username: 'bob', teams: {} });
  });

  test('fails if the person does not agree', async () => {
    const { name } = await gitea.createUser('carl');
    const page = await answerGrant(await logIn(name), 'false');
    expect(page.status).toBe(401);
    expect(page.text).toContain('https://millrace.dev/problems/provider-failed');
  });
});
