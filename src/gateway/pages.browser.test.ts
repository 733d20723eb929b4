import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { BuildEvent } from '#domain/build/events.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endCheck } from '#testing/stores/end-check.ts';
import { recordFoundVersions, giveTurns, toSave } from '#testing/stores/stores.ts';

/*
 * Pages as people use them in a browser. If PICTURES names a folder, the tests store screenshots of every
 * page.
 */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const APP = '/teams/main/pipelines/app';
const PASSWORD = 'correct horse battery';

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let saved: SavedPipeline;
let complaints: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  saved = await stores.pipelines.savePipeline(
    toSave(
      samplePipeline({
        jobs: [
          job('unit', getStep('git.app', { trigger: false }), task('test')),
          job('publish', getStep('git.app', { passed: ['unit'] }), task('push')),
        ],
      }),
    ),
  );
  await recordFoundVersions(stores, saved, [{ ref: '3f2a91c', message: '<script>alert(1)</script>' }]);
  // Records that the hooks of the new versions have ended.
  await endCheck({ stores, notifications: gateway.notifications }, saved, { versions: [] });
  await gateway.account('root', { globalAdmin: true, password: PASSWORD });
  await gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
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

const headingText = async (): Promise<string> => await page.locator('h1').innerText();
const currentPath = (): string => new URL(page.url()).pathname;
const press = async (name: string): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).click();
const follow = async (name: string): Promise<void> =>
  await page.getByRole('link', { name, exact: true }).click();

/** Waits until an element has the text, also if the page before has an element with the same selector. */
async function waitForText(inPage: Page, selector: string, text: string): Promise<void> {
  await inPage.locator(selector).filter({ hasText: text }).waitFor();
}

/** Checks the accessibility of the page and stores a screenshot. */
async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
}

async function signIn(username: string, password = PASSWORD): Promise<void> {
  await sendSignInForm(page, username, password);
}

describe('the sign-in page', () => {
  test('redirects to the requested page after a correct password', async () => {
    await page.goto(APP);
    expect([currentPath(), await headingText()]).toEqual(['/auth/login', 'Sign in']);
    await checkPage('sign-in');
    await signIn('ann', 'wrong password');
    expect(await page.getByRole('alert').innerText()).toBe('The username or the password is wrong.');
    expect(await page.getByLabel('Username').inputValue()).toBe('ann');
    await checkPage('sign-in-failed');
    await signIn('ann');
    await page.waitForURL(`**${APP}`);
    expect(await headingText()).toBe('app');
    await press('Log out');
    await page.waitForURL('**/auth/login');
    await page.goto('/teams');
    expect(currentPath()).toBe('/auth/login');
  });

  test('never redirects to another site', async () => {
    await page.goto('/auth/login?return_to=https://evil.example/teams');
    await signIn('ann');
    await page.waitForURL('**/teams');
    expect(new URL(page.url()).host).toBe('ci.example.org');
  });

  test('asks for a username at the first sign-in with a provider, and not later', async () => {
    site.one.person = 'eve';
    await page.goto('/auth/login');
    await follow('Sign in with Provider One');
    await page.waitForURL('**/auth/oauth/one/callback**');
    expect([await headingText(), await page.getByLabel('Username').inputValue()]).toEqual([
      'Complete your profile',
      'eve',
    ]);
    await checkPage('complete-profile');
    await page.getByLabel('Username').fill('ann');
    await press('Create my account');
    expect(await page.getByRole('alert').innerText()).toContain('exists already');
    await page.getByLabel('Username').fill('eve');
    await press('Create my account');
    await page.waitForURL('**/teams');
    expect(await page.locator('main').innerText()).toContain('You are in no team yet');
    await press('Log out');
    await page.waitForURL('**/auth/login');
    await follow('Sign in with Provider One');
    await page.waitForURL('**/teams');

    await follow('eve');
    site.two.person = 'eve-at-two';
    await press('Link Provider Two');
    await page.getByRole('link', { name: /^Go on to/ }).click();
    await page.waitForURL('**/profile#linked');
    expect(await page.locator('section', { hasText: 'Linked accounts' }).innerText()).toContain(
      'Provider Two',
    );
    await checkPage('profile');
    await press('Unlink Provider One');
    await page.waitForURL('**/profile');
    await press('Unlink Provider Two');
    expect(await page.getByRole('alert').innerText()).toMatch(/only way/);
    await checkPage('refused');
  });

  test('asks for a new password after one that an admin gave', async () => {
    await site.gateway.ask('POST /users', {
      as: await site.gateway.session('root'),
      body: { username: 'new', password: 'given by an admin' },
    });
    await page.goto('/auth/login');
    await signIn('new', 'given by an admin');
    await page.waitForURL('**/profile/password');
    await checkPage('change-password');
    await page.getByLabel('Current password').fill('given by an admin');
    await page.getByLabel('New password').fill('my own long password');
    await press('Change the password');
    await page.waitForURL('**/profile');
    expect(await headingText()).toBe('Your profile');
  });
});

describe('the profile page', () => {
  test('shows new tokens once, and ends sessions', async () => {
    await page.goto('/profile');
    await signIn('ann');
    await page.waitForURL('**/profile');
    await page.getByText('Create a token').click();
    await page.getByLabel('Name', { exact: true }).fill('for scripts');
    await press('Create token');
    expect(await page.getByLabel('Token').inputValue()).toMatch(/^tok_[0-9a-f]{64}$/);
    await checkPage('token');
    await page.getByRole('link', { name: 'Back to your profile' }).click();
    await press('Delete the token for scripts');
    await waitForText(page, 'main', 'You have none.');
    await press('Log out everywhere');
    await page.waitForURL('**/auth/login');
    await page.goto('/profile');
    expect(currentPath()).toBe('/auth/login');
  });

  test('refuses a form that another page made', async () => {
    await page.goto('/profile');
    await signIn('ann');
    await page.waitForURL('**/profile');
    await page.locator('#full_name').fill('Changed By Nobody');
    await page.locator('form[action="/profile"] input[name=csrf_token]').evaluate((field) => {
      field.setAttribute('value', 'guessed');
    });
    await press('Save');
    await waitForText(page, 'h1', 'You may not do this');
    expect([await headingText(), await page.getByRole('alert').innerText()]).toEqual([
      'You may not do this',
      'This page is from an earlier session, so nothing was done. Load the page again, then repeat this.',
    ]);
    const account = await site.stores.access.accounts.account('ann');
    expect(account?.fullName).toBe('');
  });
});

type EventToSend = BuildEvent extends infer E
  ? E extends BuildEvent
    ? Omit<E, 'sequence' | 'at'>
    : never
  : never;

describe('the pipeline page', () => {
  test('starts a build, follows it live, and can be read without scripts', async () => {
    const { stores, gateway } = site;
    await page.goto('/');
    await signIn('ann');
    await page.waitForURL('**/teams');
    await checkPage('teams');
    await follow('app');
    await waitForText(page, 'main', '<script>alert(1)</script>');
    await checkPage('pipeline');
    const buttonPressed = press('Start a build of unit');
    await endCheck({ stores, notifications: gateway.notifications }, saved, { error: 'no such host' });
    await buttonPressed;
    await page.waitForURL(`**${APP}/jobs/unit/builds/1`);
    await waitForText(page, 'dd', 'The check of git.app failed: no such host');
    expect(await page.locator('#status').innerText()).toContain('pending');

    await giveTurns(stores);
    const [started] = await stores.builds.buildsToStart(10);
    if (started === undefined) throw new Error('no build to start');
    await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
    let sequence = 0;
    const sendEvents = async (...events: EventToSend[]): Promise<void> => {
      const at = new Date().toISOString();
      const numbered = events.map((event, index) => ({ ...event, at, sequence: sequence + index + 1 }));
      sequence += events.length;
      const build = { build: started.id, attempt: started.attempt };
      await followBuild(build, numbered, { builds: stores.builds, notifications: gateway.notifications });
    };
    const endStep = async (id: string): Promise<void> =>
      await sendEvents({ type: 'step-ended', step: id, status: 'succeeded', exitCode: 0 });
    await sendEvents({ type: 'step-started', step: '0' });
    await endStep('0');
    await sendEvents({ type: 'step-started', step: '1' });
    const log = page.locator('#log');
    await sendEvents({ type: 'log', step: '1', text: '\u001b[32mok\u001b[0m <b>no tag</b>\n' });
    await until(async () => (await log.innerText()).includes('<b>no tag</b>'));
    expect(await log.locator('b').count()).toBe(0);
    expect(await log.locator('.front').innerText()).toBe('ok');
    for (let line = 1; line <= 30; line += 1)
      await sendEvents({ type: 'log', step: '1', text: `line ${line}\n` });
    await until(async () => (await log.innerText()).includes('line 30'));
    await until(async () => (await page.locator('#status').innerText()).includes('started'));
    await checkPage('build-running');
    await endStep('1');
    await sendEvents({
      type: 'build-ended',
      outcome: 'succeeded',
      reason: 'AllStepsSucceeded',
      message: 'All steps succeeded.',
    });
    await until(async () => (await page.locator('#status').innerText()).includes('succeeded'));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await checkPage('build-ended');

    const withoutScript = await site.browser.newContext({
      ignoreHTTPSErrors: true,
      baseURL: ORIGIN,
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    withoutScript.setDefaultTimeout(300_000);
    const pageWithoutScript = await withoutScript.newPage();
    await pageWithoutScript.goto(`${APP}/jobs/unit/builds/1`);
    expect(await pageWithoutScript.locator('#log').innerText()).toContain('ok <b>no tag</b>\nline 1\n');
    await pageWithoutScript.getByRole('button', { name: 'Retry' }).click();
    await pageWithoutScript.waitForURL(`**${APP}/jobs/unit/builds/1.1`);
    await pageWithoutScript.getByRole('button', { name: 'Cancel' }).click();
    await waitForText(pageWithoutScript, '#status', 'cancelled');
    await withoutScript.close();

    await follow('unit');
    await waitForText(page, 'table', '1.1');
    await checkPage('job');
    await page.goto(`${APP}/resources/git.app`);
    await page.locator('#version-1').getByText('Pin', { exact: true }).click();
    await press('Pin to version 1');
    await waitForText(page, 'main', 'by ann');
    await checkPage('resource');
  });

  test('of a missing pipeline, and of one of another team, is a page with the problem', async () => {
    await page.goto('/auth/login');
    await signIn('ann');
    await page.waitForURL('**/teams');
    await page.goto('/teams/main/pipelines/none');
    expect(await headingText()).toBe('Not found');
    await checkPage('not-found');
    await page.goto('/teams/other/pipelines');
    expect(await headingText()).toBe('You may not do this');
    await page.goto('/openapi');
    expect(await headingText()).toBe('The API');
    await page.getByText('/teams/{team}/audit').first().click();
    await checkPage('api');
  });
});

test('every page begins with a link that skips to its content', async () => {
  await page.goto('/auth/login');
  await page.keyboard.press('Shift+Tab');
  await page.locator('body').press('Tab');
  await page.goto('/openapi');
  await page.keyboard.press('Tab');
  const first = page.locator(':focus');
  expect(await first.innerText()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.locator(':focus').getAttribute('id')).toBe('main');
});
