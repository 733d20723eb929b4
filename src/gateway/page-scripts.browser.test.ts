import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, toSave } from '#testing/stores/stores.ts';

/* What the script of every page does: it sends buttons without a full load, and applies the theme. */

const APP = '/teams/main/pipelines/app';
const INPUTS = `${APP}/jobs/inputs`;
const GIT = `${APP}/resources/git.app`;
const PASSWORD = 'correct horse battery';

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let versions: number[];

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  await site.stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const unit = job('unit', getStep('git.app', { trigger: false }), task('test'));
  const reason: Input = { name: 'reason', type: 'string', default: '' };
  const count: Input = { name: 'count', type: 'number', default: '1' };
  const saved = await site.stores.pipelines.savePipeline(
    toSave(samplePipeline({ jobs: [unit, { ...unit, name: 'inputs', inputs: [reason, count] }] })),
  );
  versions = await recordFoundVersions(site.stores, saved, [{ ref: 'a'.repeat(40) }]);
  await site.gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
});
afterAll(async () => {
  await site.close();
});

/** Opens the page as a member. A `still` page gets no live events, so no refresh changes it. */
async function openSignedIn(
  path: string,
  live: 'live' | 'still' = 'live',
): Promise<{ page: Page; context: BrowserContext; complaints: string[]; close: () => Promise<void> }> {
  const { page, context, complaints } = await openPerson(site.browser, ORIGIN);
  if (live === 'still') await page.route('**/events', () => undefined);
  await page.goto(path);
  await sendSignInForm(page, 'ann', PASSWORD);
  await page.waitForURL(`**${path}`);
  return { page, context, complaints, close: async () => await context.close() };
}

/** Changes the state of a job, after which every page of the pipeline refreshes itself. */
async function changeState(): Promise<void> {
  const as = await site.gateway.session('ann');
  // Whatever the state was, the second request changes it.
  for (const change of ['unpause', 'pause']) await site.gateway.ask(`POST ${INPUTS}/${change}`, { as });
}

test('a button changes the page without loading it again, and keeps the focus', async () => {
  const { page, complaints, close } = await openSignedIn(APP);
  await page.evaluate('window.loadedOnce = true');
  await page.getByRole('button', { name: 'Pause the pipeline', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Unpause the pipeline' }).waitFor();
  expect(await page.evaluate('window.loadedOnce')).toBe(true);
  expect(await page.locator(':focus').innerText()).toBe('Unpause the pipeline');
  await page.locator(':focus').press('Enter');
  await page.getByRole('button', { name: 'Pause the pipeline', exact: true }).waitFor();
  expect(await page.evaluate('window.loadedOnce')).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test('if the server refuses a button, the page shows the reason on top', async () => {
  const { page, complaints, close } = await openSignedIn(APP, 'still');
  const button = page.getByRole('button', { name: 'Pause the pipeline', exact: true });
  await page.locator(`form[action="${APP}/pause"] input[name=csrf_token]`).evaluate((field) => {
    field.setAttribute('value', 'guessed');
  });
  await button.click();
  await page.locator('#notice').filter({ hasText: 'Load the page again, then repeat this.' }).waitFor();
  expect(await page.locator('h1').innerText()).toBe('app');
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await page.locator('#notice').count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test('if the session has ended, a button says so and the page stays', async () => {
  const { page, context, complaints, close } = await openSignedIn(GIT, 'still');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.locator('#notice').filter({ hasText: 'Your session has ended' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(GIT);
  expect(complaints).toEqual([]);
  await close();
});

test('if somebody signed in again in another tab, a button says that the page is old', async () => {
  const { page, context, complaints, close } = await openSignedIn(GIT, 'still');
  const value = await site.gateway.session('ann');
  const cookie = { name: '__Host-millrace-session', value, domain: new URL(ORIGIN).host, path: '/' };
  await context.addCookies([{ ...cookie, secure: true, httpOnly: true }]);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.locator('#notice').filter({ hasText: 'This page is from an earlier session' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('if the session has ended, a page keeps what its viewer has typed, and says so', async () => {
  const { page, context, complaints, close } = await openSignedIn(INPUTS);
  await page.getByLabel('reason').fill('half typed');
  await context.clearCookies();
  const as = await site.gateway.session('ann');
  await site.gateway.ask(`POST ${INPUTS}/pause`, { as });
  await page.locator('#notice').filter({ hasText: 'Copy what you have typed' }).waitFor();
  expect(await page.getByLabel('reason').inputValue()).toBe('half typed');
  await page.getByLabel('reason').fill('');
  await site.gateway.ask(`POST ${INPUTS}/unpause`, { as });
  await page.waitForURL('**/auth/login?**');
  expect(complaints).toEqual([]);
  await close();
});

test('a page without its events says that it may be out of date, until they are back', async () => {
  const { page, close } = await openSignedIn('/teams');
  await page.route('**/events', (route) => route.abort());
  await page.goto(INPUTS);
  const notice = page.locator('#connection');
  await notice.filter({ hasText: 'this page may be out of date' }).waitFor();
  await page.unroute('**/events');
  await notice.waitFor({ state: 'detached' });
  await close();
});

test('a checkbox that the viewer changed stays changed when the page changes', async () => {
  const { page, complaints, close } = await openSignedIn(`${APP}/jobs/unit`);
  const box = page.getByLabel('Check for new versions first');
  await box.uncheck();
  await page.getByRole('button', { name: 'Pause the job' }).click();
  await page.getByRole('button', { name: 'Unpause the job' }).waitFor();
  expect(await box.isChecked()).toBe(false);
  expect(complaints).toEqual([]);
  await close();
});

test('a theme that the viewer chose applies to the next pages too', async () => {
  const { page, complaints, close } = await openSignedIn(APP);
  const background = async (): Promise<string> =>
    await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await background();
  await page.getByLabel('Theme').selectOption('Dark');
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.goto('/teams');
  expect([await background(), await page.getByLabel('Theme').inputValue()]).toEqual([dark, 'dark']);
  await page.getByLabel('Theme').selectOption('System theme');
  expect(await background()).toBe(light);
  expect(complaints).toEqual([]);
  await close();
});

test('a refresh that ends after a search keeps what the search found', async () => {
  const { page, complaints, close } = await openSignedIn(GIT);
  const { promise: hasFound, resolve: continueRefresh } = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route(`**${GIT}*`, async (route) => {
    const { search } = new URL(route.request().url());
    if (search === '') await hasFound;
    sent.push(search);
    await route.continue();
  });
  const refresh = page.waitForRequest((request) => request.url().endsWith(GIT));
  await changeState();
  await refresh;
  await page.getByLabel('Find versions with this text').fill('nothing');
  const found = page.getByText('No version has "nothing" in a field.');
  await found.waitFor();
  continueRefresh();
  await until(async () => sent.length >= 3 || !(await found.isVisible()));
  expect([sent.length <= 4, sent.at(-1)]).toEqual([true, '?text=nothing']);
  expect(await found.isVisible()).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});

test('a search that fails says so', async () => {
  const { page, close } = await openSignedIn(GIT);
  await page.route(`**${GIT}?text=*`, async (route) => await route.abort());
  await page.getByLabel('Find versions with this text').fill('nothing');
  await page.locator('#notice').filter({ hasText: 'The search for versions failed.' }).waitFor();
  await close();
});

const PAUSE = 'Pause the pipeline';

test('a refresh that was fetched before a button was pressed does not undo what the button did', async () => {
  const { page, complaints, close } = await openSignedIn(APP);
  await page.evaluate(`(() => {
    const { fetch } = window;
    const isPressed = new Promise((resolve) => (window.continueRefresh = resolve));
    window.fetched = 0;
    window.refreshed = 0;
    window.fetch = async (url, options) => {
      const answer = await fetch(url, options);
      if (options.method === 'POST') return answer;
      window.fetched += 1;
      await isPressed;
      window.refreshed += 1;
      return answer;
    };
  })()`);
  await changeState();
  await until(async () => (await page.evaluate<number>('window.fetched')) > 0);
  await page.getByRole('button', { name: PAUSE, exact: true }).click();
  await page.getByRole('button', { name: 'Unpause the pipeline' }).waitFor();
  await page.evaluate(`new MutationObserver(() => {
    window.wasUndone ||= [...document.querySelectorAll('button')].some(
      ({ textContent }) => textContent.trim() === '${PAUSE}');
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  await page.evaluate('window.continueRefresh()');
  await until(async () => (await page.evaluate<number>('window.refreshed')) > 1);
  expect(await page.evaluate('window.wasUndone')).toBeUndefined();
  await page.getByRole('button', { name: 'Unpause the pipeline' }).click();
  await page.getByRole('button', { name: PAUSE, exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test('a button that is pressed twice sends once, even if a refresh came in between', async () => {
  const { page, complaints, close } = await openSignedIn(APP);
  const { promise: isPressedAgain, resolve: continueRequests } = Promise.withResolvers<void>();
  const sent: string[] = [];
  await page.route(`**${APP}/pause`, async (route) => {
    sent.push(route.request().method());
    await isPressedAgain;
    await route.continue();
  });
  const button = page.getByRole('button', { name: PAUSE, exact: true });
  await button.click();
  await until(() => sent.length === 1);
  const refreshed = page.waitForResponse((response) => response.url().endsWith(APP));
  await changeState();
  await (await refreshed).finished();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await button.click();
  continueRequests();
  await page.getByRole('button', { name: 'Unpause the pipeline' }).waitFor();
  expect(sent).toEqual(['POST']);
  expect(complaints).toEqual([]);
  await close();
});

test('Back from the builds of a version returns to its resource, and starts nothing again', async () => {
  const { page, complaints, close } = await openSignedIn(APP, 'still');
  const as = await site.gateway.session('ann');
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
  const [version = 0] = versions;
  const trigger = page.getByRole('button', { name: `Trigger version ${version}` });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  // While a job is paused, the page says why it gets no build. Otherwise it shows the path of the version.
  for (const [change, title] of [
    ['pause', `Builds of version ${version}`],
    ['unpause', `Version ${version}`],
  ] as const) {
    await site.gateway.ask(`POST ${APP}/unpause`, { as });
    await site.gateway.ask(`POST ${INPUTS}/${change}`, { as });
    await page.goto(GIT);
    await trigger.click();
    await heading(title).waitFor();
    await page.goBack();
    await trigger.waitFor();
    expect([new URL(page.url()).pathname, sent.splice(0).length]).toEqual([GIT, 1]);
  }
  await trigger.click();
  await heading(`Version ${version}`).waitFor();
  await page.reload();
  await heading(`Version ${version}`).waitFor();
  expect(sent).toHaveLength(1);
  expect(complaints).toEqual([]);
  await close();
});

test('a refused form is not sent again by Back or by a reload', async () => {
  const { page, complaints, close } = await openSignedIn(INPUTS);
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
  const refuse = async (): Promise<void> => {
    await page.locator('.job-start').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByLabel('Check for new versions first').uncheck();
    await page.locator('#input-count').evaluate((field) => field.setAttribute('type', 'text'));
    await page.locator('#input-count').fill('many');
    await page.getByRole('button', { name: 'Start a build' }).click();
    await page.getByText('The job does not take these values.').waitFor();
  };
  await refuse();
  expect(new URL(page.url()).pathname).toBe(INPUTS);
  await refuse();
  await page.getByRole('link', { name: 'app', exact: true }).click();
  await page.waitForURL(`**${APP}`);
  await page.goBack();
  await page.getByRole('heading', { name: 'inputs' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'inputs' }).waitFor();
  expect(sent).toHaveLength(2);
  expect(complaints).toEqual([]);
  await close();
});
