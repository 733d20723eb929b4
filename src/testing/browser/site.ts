import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { guardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
import type { OAuthClient } from '#flows/people/oauth-ports.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { tlsInFront } from '#testing/network/tls-in-front.ts';
import { CLIENT, startIdentityProvider } from '#testing/people/identity-provider.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { startChromium } from './chromium.ts';

/*
 * Everything that a person uses: a browser, HTTPS under the installation's name, the gateway with a real
 * Postgres, and two real identity providers.
 */
interface OpenedGateway {
  base: string;
  close(): Promise<void>;
}

export async function openSite<G extends OpenedGateway>(
  origin: string,
  openGateway: (stores: TestStores, options: { client: OAuthClient }) => Promise<G>,
) {
  const stores = await openStores();
  const [one, two] = [await startProvider(origin, 'one'), await startProvider(origin, 'two')];
  const guarded = guardedWebFetch({ allowedRanges: ['127.0.0.0/8'], ca: `${one.ca}\n${two.ca}` });
  const client = openIdClient({
    secretOf: async () => CLIENT.secret,
    fetch: async (url, init) => await guarded.fetch(url, init),
    now: () => performance.now(),
  });
  await saveIdentityProvider(stores, 'one', one.issuer);
  await saveIdentityProvider(stores, 'two', two.issuer);
  const gateway = await openGateway(stores, { client });
  const front = await tlsInFront(gateway.base);
  const browser = await startChromium({ host: new URL(origin).host, port: front.port });
  return {
    stores,
    gateway,
    one,
    two,
    browser,
    async close() {
      await browser.close();
      await front.close();
      await Promise.all([gateway.close(), one.close(), two.close(), guarded.close()]);
      await stores.close();
    },
  };
}

async function startProvider(origin: string, canonical: string) {
  return await startIdentityProvider([`${origin}/auth/oauth/${canonical}/callback`]);
}

async function saveIdentityProvider(
  { access }: TestStores,
  canonical: string,
  issuerUrl: string,
): Promise<void> {
  const provider = {
    canonical,
    displayName: `Provider ${canonical === 'one' ? 'One' : 'Two'}`,
    type: 'OIDC' as const,
    clientId: CLIENT.id,
    issuerUrl,
    enabled: true,
    secretKey: 'known',
  };
  await saveProvider(provider, { by: 'manifest', at: new Date() }, access.oauth);
}

/** A person with a separate browser. `complaints` lists errors of the browser's console and of pages. */
export async function openPerson(
  browser: Browser,
  origin: string,
  screen: Pick<BrowserContextOptions, 'viewport' | 'deviceScaleFactor'> = {},
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: origin, ...screen });
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // A response with one of these statuses is not an error of the page.
    if (message.type() === 'error' && !/status of 4(00|01|03|04|09)/.test(text)) complaints.push(text);
  });
  return { context, page, complaints };
}

/** Fills in the sign-in form, which is open, and sends it. */
export async function sendSignInForm(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The folder for pictures. Without this variable, tests take none. */
const PICTURES = process.env['PICTURES'];

/** Takes pictures of the current page in light and dark mode and on a phone. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.screenshot({ path: `${PICTURES}/${name}-narrow.png`, fullPage: true });
  if (size !== null) await page.setViewportSize(size);
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
