import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startChromium } from '#testing/browser/chromium.ts';
import { openPerson, sendSignInForm } from '#testing/browser/site.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/*
 * Sign-in in a browser at an installation without an external URL, at any of its addresses and without TLS.
 */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const PASSWORD = 'correct horse battery';
/** Browsers treat loopback names as if they had TLS, but not this name. */
const NAME = 'millrace-public.millrace-system.svc';
const ADDRESS = '10.96.0.7';

let stores: TestStores;
let gateway: Gateway;
let gatewayWithUrl: Gateway;
let browser: Browser;
const portOf = ({ base }: Gateway): number => Number(new URL(base).port);

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { externalUrl: undefined });
  gatewayWithUrl = await openGateway(stores);
  const port = portOf(gateway);
  const served = [NAME, ADDRESS].map((host) => ({ host, port, browserPort: port }));
  browser = await startChromium(...served);
  await gateway.account('ann', { password: PASSWORD });
});
afterAll(async () => {
  await browser.close();
  await Promise.all([gateway.close(), gatewayWithUrl.close()]);
  await stores.close();
});

async function signIn(origin: string) {
  const { context, page } = await openPerson(browser, origin);
  await page.goto('/auth/login');
  await sendSignInForm(page, 'ann', PASSWORD);
  return { context, page };
}

describe('a browser without an external URL', () => {
  test.each(['127.0.0.1', 'localhost', NAME, ADDRESS])('signs in and out at http://%s', async (host) => {
    const { context, page } = await signIn(`http://${host}:${portOf(gateway)}`);
    await page.waitForURL('**/teams');
    expect(await page.locator('main').innerText()).toContain('You are in no team yet');
    expect(await context.cookies()).toMatchObject([
      { name: 'millrace-session', domain: host, httpOnly: true, secure: false, sameSite: 'Lax' },
    ]);
    // The session is valid for the next page and for forms.
    await page.goto('/profile');
    expect(await page.locator('h1').innerText()).toBe('Your profile');
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.waitForURL('**/auth/login');
    await page.goto('/teams');
    await page.waitForURL('**/auth/login**');
    await context.close();
  });
});

test('a page at another address than the external URL says which one to open and what to set', async () => {
  const { context, page } = await signIn(gatewayWithUrl.base);
  const text = await page.locator('main').innerText();
  expect(text).toContain(`This page was opened at ${gatewayWithUrl.base}`);
  expect(text).toContain('Open https://ci.example.org, or set externalURL in the chart');
  await context.close();
});
