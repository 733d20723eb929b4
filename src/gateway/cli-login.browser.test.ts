import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';

/*
 * The page where a person confirms a login of the command line. If PICTURES names a folder, screenshots go
 * there.
 */
const PAGE = '/profile/cli-login';
const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const UNKNOWN = 'No login waits under this code.';

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;
/** Milliseconds by which the gateway's clock is ahead. */
let clockAheadMs = 0;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, async (stores, options) =>
    openGateway(stores, { ...options, now: () => new Date(Date.now() + clockAheadMs) }),
  );
  await site.gateway.account('ann', { password: PASSWORD });
});
beforeEach(async () => {
  const person = await openPerson(site.browser, ORIGIN);
  ({ page, complaints } = person);
  close = async () => await person.context.close();
});
afterEach(async () => {
  await close();
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  await site.close();
});

/** Begins a login as the command line does. `finish` requests the session with the secret of the login. */
async function beginLogin() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const response = await site.gateway.ask<{ data: { code: string } }>('POST /auth/cli-logins', {
    body: { challenge, client: "ann's laptop" },
    headers: { 'x-forwarded-for': '192.0.2.7' },
  });
  return {
    code: response.body.data.code,
    /** Requests the session. The user is undefined if there is no session. */
    finish: async () => {
      type Finished = { data?: { session?: { username: string } } };
      const answer = await site.gateway.ask<Finished>('POST /auth/cli-logins/finish', { body: { verifier } });
      return { status: answer.status, user: answer.body.data?.session?.username };
    },
  };
}

async function signIn(): Promise<void> {
  await sendSignInForm(page, 'ann', PASSWORD);
}

/** Opens a page and signs in when the page redirects to the sign-in form. */
async function open(path: string): Promise<void> {
  await page.goto(path);
  await signIn();
  await page.waitForURL(`**${path}`);
}

const press = async (name: string): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).click();
const textAppears = async (words: string): Promise<void> =>
  await page.locator('main').getByText(words).waitFor();

async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
}

test('the right code shows which machine asks, and "Confirm" gives it a session', async () => {
  const { code, finish } = await beginLogin();
  await open(PAGE);
  await checkPage('cli-login-code');
  await page.getByLabel('Code').fill(code.toLowerCase().replace('-', ' '));
  await press('Continue');
  await press('Confirm');
  await textAppears('The command line is logged in.');
  expect(await finish()).toEqual({ status: 200, user: 'ann' });
});

test('the page names the user, the server, the code, the machine and its address', async () => {
  const { code, finish } = await beginLogin();
  await open(`${PAGE}?code=${code}`);
  expect(await page.locator('main').innerText()).toContain('asks to act as ann at ci.example.org');
  expect((await page.locator('dd').allInnerTexts()).slice(0, 3)).toEqual([code, "ann's laptop", '192.0.2.7']);
  await checkPage('cli-login');
  expect(await finish()).toEqual({ status: 200, user: undefined });
});

test('a wrong code finds no login, and the person can enter another one', async () => {
  const { code } = await beginLogin();
  await open(PAGE);
  for (const wrong of ['BBBB-BBBB', 'no code']) {
    await page.getByLabel('Code').fill(wrong);
    await press('Continue');
    await page.waitForURL(`**?code=${wrong.replace(' ', '+')}`);
    await textAppears(UNKNOWN);
    expect(await page.getByRole('button', { name: /Confirm|Refuse/ }).count()).toBe(0);
  }
  await checkPage('cli-login-wrong');
  await page.getByLabel('Code').fill(code);
  await press('Continue');
  await textAppears(code);
});

test('"Refuse" gives no session', async () => {
  const { code, finish } = await beginLogin();
  await open(`${PAGE}?code=${code}`);
  await press('Refuse');
  await textAppears('The login was refused. The command line gets nothing.');
  expect(await finish()).toEqual({ status: 404, user: undefined });
  await page.goto(`${PAGE}?code=${code}`);
  await textAppears(UNKNOWN);
});

test('a login that expired while its page was open cannot be confirmed', async () => {
  const { code, finish } = await beginLogin();
  await open(`${PAGE}?code=${code}`);
  clockAheadMs += 6 * MINUTE;
  await press('Confirm');
  await page.getByRole('alert').filter({ hasText: UNKNOWN }).waitFor();
  expect(await finish()).toEqual({ status: 404, user: undefined });
});

test('someone who signed in long ago signs in again before they confirm, and comes back', async () => {
  await open(PAGE);
  clockAheadMs += 11 * MINUTE;
  const { code, finish } = await beginLogin();
  await page.goto(`${PAGE}?code=${code}`);
  await textAppears('You signed in more than ten minutes ago.');
  expect(await page.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  await checkPage('cli-login-old-session');
  await page.getByRole('link', { name: 'Sign in again to confirm' }).click();
  await signIn();
  await page.waitForURL(`**${PAGE}?code=${code}`);
  await press('Confirm');
  await textAppears('The command line is logged in.');
  expect(await finish()).toEqual({ status: 200, user: 'ann' });
});
