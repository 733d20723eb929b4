import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import {
  get as getStep,
  job,
  put,
  resource,
  samplePipeline,
  task,
} from '#testing/pipelines/sample-pipeline.ts';
import { endCheck } from '#testing/stores/end-check.ts';
import { stateOn } from '#testing/stores/schedule.ts';
import { eventsOf, giveTurns, toSave } from '#testing/stores/stores.ts';

/* The graph of a pipeline as people use it. If PICTURES names a folder, the tests store screenshots there. */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const APP = '/teams/main/pipelines/app';
const PASSWORD = 'correct horse battery';

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let saved: SavedPipeline;
let complaints: string[];
let close: () => Promise<void>;

const getPassed = (name: string, ...jobs: string[]) => getStep(name, { passed: jobs });

const PIPELINE = samplePipeline({
  resources: ['git.app', 'git.config', 'git.image'].map((name) => resource(name)),
  jobs: [
    job('lint', getStep('git.app'), task('lint')),
    job('unit', getStep('git.app'), task('test')),
    ...['amd64', 'arm64', 'riscv'].map((arch) =>
      job(`integration-${arch}`, getPassed('git.app', 'lint', 'unit'), task('test')),
    ),
    job('build', getPassed('git.app', 'unit'), task('build'), put('git.image')),
    job('deploy', getPassed('git.image', 'build'), getStep('git.config', { trigger: false }), task('deploy')),
  ],
});

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  saved = await stores.pipelines.savePipeline(toSave(PIPELINE));
  await endCheck(checkParts(), saved, { versions: [{ ref: '3f2a91c' }] });
  await gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
});
beforeEach(async () => {
  const person = await openPerson(site.browser, ORIGIN);
  ({ page, complaints } = person);
  close = async () => await person.context.close();
  await page.goto('/auth/login');
  await sendSignInForm(page, 'ann', PASSWORD);
  await page.waitForURL('**/teams');
});
afterEach(async () => {
  await close();
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  await site.close();
});

const checkParts = () => ({ stores: site.stores, notifications: site.gateway.notifications });

/** Starts the pending build of a job. Returns a function that ends the build. */
async function startBuild(name: string): Promise<(outcome: 'succeeded' | 'failed') => Promise<void>> {
  const { builds } = site.stores;
  const { notifications } = site.gateway;
  await giveTurns(site.stores);
  const build = (await builds.buildsToStart(1000)).find((pending) => pending.job === name);
  if (build === undefined) throw new Error(`${name} has no build to start.`);
  const { id, attempt } = build;
  await builds.podCreated(id, attempt, `pod-${id}`, new Date());
  const state = await stateOn(site.stores, id, attempt);
  const at = new Date().toISOString();
  const events = eventsOf(state?.steps.map((step) => step.id) ?? [], at);
  const report = async (reported: typeof events): Promise<void> =>
    void (await followBuild({ build: id, attempt }, reported, { builds, notifications }));
  await report(events.slice(0, 1));
  return async (outcome) => {
    await report(events.slice(1, -1));
    const reason = outcome === 'succeeded' ? 'AllStepsSucceeded' : 'StepFailed';
    const sequence = events.length;
    await report([{ at, sequence, type: 'build-ended', outcome, reason, message: `It ${outcome}.` }]);
  };
}

const node = (name: string | RegExp): Locator => page.locator('#graph').getByRole('link', { name });
const classOfTile = async (name: string | RegExp): Promise<string> =>
  (await node(name).locator('.graph-tile').getAttribute('class')) ?? '';
const button = (name: string): Locator => page.locator('#graph').getByRole('button', { name, exact: true });
const focusedLabel = async (): Promise<string | null> =>
  await page.locator(':focus').getAttribute('aria-label');

/** The position and the scale of the graph in its view. */
async function graphPosition(): Promise<{ x: number; y: number; scale: number }> {
  const text = (await page.locator('.graph-canvas > g').getAttribute('transform')) ?? '';
  const [x = 0, y = 0, scale = 0] = (text.match(/-?[\d.]+(?:e-\d+)?/g) ?? []).map(Number);
  return { x, y, scale };
}

async function open(query = ''): Promise<void> {
  await page.goto(`${APP}${query}`);
  await page.locator('.graph-item').first().waitFor();
}

async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
}

describe('the graph of a pipeline', () => {
  test('replaces the picture, and shows states as builds start and end', async () => {
    const streams: string[] = [];
    page.on('request', (request) => {
      // The overview, where the sign-in ended, may open its own stream only now.
      if (request.url().endsWith(`${APP}/events`)) streams.push(request.url());
    });
    await page.goto(APP);
    const before = await page.locator('#graph').boundingBox();
    await page.locator('.graph-item').first().waitFor();
    expect(await page.locator('#graph').boundingBox()).toEqual(before);
    expect(await page.locator('#picture').count()).toBe(0);
    await node('lint: pending').waitFor();
    expect(await node(/^resource/).count()).toBe(5);
    const end = await startBuild('unit');
    await node('unit: running').waitFor();
    expect(await node('unit: running').getAttribute('class')).toContain('graph-running');
    await checkPage('graph-running');
    await end('failed');
    await node('unit: failed').waitFor();
    expect(await classOfTile('unit: failed')).toContain('graph-tone-failed');
    expect(await node('unit: failed').getAttribute('href')).toBe(`${APP}/jobs/unit/builds/1`);
    expect(await node('deploy: not yet run').getAttribute('href')).toBe(`${APP}/jobs/deploy/builds`);
    expect(streams.length).toBe(1);
    await checkPage('graph');
    expect(await keyboardProblems(page)).toEqual([]);
  });

  test('moves and zooms by wheel, drag, buttons and keys, and Enter opens the focused node', async () => {
    await open();
    const fitted = await graphPosition();
    const view = page.locator('.graph-view');
    const { x = 0, y = 0, width = 0, height = 0 } = (await view.boundingBox()) ?? {};
    const middle = { x: x + width / 2, y: y + height / 2 };
    await page.mouse.move(middle.x, middle.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await until(async () => (await graphPosition()).scale > fitted.scale * 1.2);
    const zoomed = await graphPosition();
    await page.mouse.move(x + 5, y + 60);
    await page.mouse.down();
    await page.mouse.move(x + 65, y + 90, { steps: 5 });
    await page.mouse.up();
    const moved = await graphPosition();
    expect([moved.x - zoomed.x, moved.y - zoomed.y].map(Math.round)).toEqual([60, 30]);
    await button('Fit').click();
    expect(await graphPosition()).toEqual(fitted);
    await button('Zoom in').click();
    expect((await graphPosition()).scale).toBeGreaterThan(fitted.scale);
    await button('Fit').click();

    // After a click into the graph, the wheel zooms without a key.
    await page.mouse.click(x + 5, y + 60);
    await page.mouse.wheel(0, -100);
    await until(async () => (await graphPosition()).scale > fitted.scale);
    await page.keyboard.press('0');
    expect(await graphPosition()).toEqual(fitted);
    await page.keyboard.press('+');
    expect((await graphPosition()).scale).toBeGreaterThan(fitted.scale);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('-');
    await page.keyboard.press('0');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await focusedLabel()).toMatch(/^(lint|unit): /);
    await page.keyboard.press('ArrowLeft');
    expect(await focusedLabel()).toMatch(/^resource git\.(app|config)$/);
    await node(/^unit: /).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focusedLabel()).toBe('resource git.app that passed unit');

    // A drag by touch that the system cancels ends without a click. The next click is that of the key.
    const touch = await page.context().newCDPSession(page);
    const send = (
      type: 'touchStart' | 'touchMove' | 'touchCancel',
      ...touchPoints: { x: number; y: number }[]
    ) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', { x: x + 5, y: y + 60 });
    await send('touchMove', { x: x + 35, y: y + 60 });
    await send('touchMove', { x: x + 65, y: y + 60 });
    await send('touchCancel');
    await node(/^resource git.app that passed unit/).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${APP}/resources/git.app`);
  });

  test('opens no link at the end of a drag, and lets the wheel scroll the page unless it has the focus', async () => {
    await open();
    const { x = 0, y = 0, width = 0, height = 0 } = (await node(/^unit: /).boundingBox()) ?? {};
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 40, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(new URL(page.url()).pathname).toBe(APP);
    await page.locator('h1').click();
    const before = await graphPosition();
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 100);
    await until(async () => Number(await page.evaluate('scrollY')) > 0);
    expect(await graphPosition()).toEqual(before);
  });

  test('hides intermediates and groups parallel jobs, and keeps both choices in the address', async () => {
    await open();
    await page.getByLabel('Hide intermediates').check();
    await until(async () => (await node(/^resource/).count()) === 1);
    await page.getByLabel('Group parallel').check();
    await page.locator('.graph-frame').first().waitFor();
    expect(new URL(page.url()).search).toBe('?hide_intermediates=1&group_parallel=1');
    expect(await node(/^integration-amd64: /).count()).toBe(1);
    await node(/^integration-amd64: /).focus();
    await page.keyboard.press('ArrowDown');
    expect(await focusedLabel()).toMatch(/^integration-arm64: /);
    await checkPage('graph-grouped');
    await page.reload();
    await page.locator('.graph-frame').first().waitFor();
    await page.getByLabel('Group parallel').uncheck();
    await page.getByLabel('Hide intermediates').uncheck();
    await until(async () => (await node(/^resource/).count()) === 5);
    expect(new URL(page.url()).search).toBe('');
  });

  test('follows a version through the jobs that built it', async () => {
    await open();
    await page.getByLabel('Follow a version of').selectOption('git.app');
    await page.getByLabel('Version of git.app').selectOption('ref: 3f2a91c');
    await node('unit: failed with this version in build 1').waitFor();
    expect(await classOfTile(/^unit: /)).toContain('graph-tone-failed');
    expect(await node('deploy: has not built this version').getAttribute('class')).toContain('graph-faded');
    expect(await page.locator('.graph-note').innerText()).toBe('git.app ref: 3f2a91c: built by 2 of 6 jobs');
    const { search } = new URL(page.url());
    expect(search).toMatch(/^\?resource=git\.app&version=\d+$/);
    await checkPage('graph-version');

    // Another build of the version changes its path.
    const end = await startBuild('lint');
    await node('lint: running with this version in build 1').waitFor();
    await end('succeeded');
    await node('lint: succeeded with this version in build 1').waitFor();
    await open(search);
    await node('lint: succeeded with this version in build 1').waitFor();
    await button('Stop following').click();
    await node('lint: succeeded').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await open('?resource=git.app&version=999999');
    await page.locator('#graph').getByRole('alert').waitFor();
  });

  test('has a minimap while the graph is larger than its view', async () => {
    await open();
    expect(await page.locator('.graph-minimap').count()).toBe(0);
    await page.locator('.graph-item').first().focus();
    for (let times = 0; times < 4; times += 1) await page.keyboard.press('+');
    const minimap = page.locator('.graph-minimap');
    await minimap.waitFor();
    const before = await graphPosition();
    await minimap.click({ position: { x: 150, y: 20 } });
    expect(await graphPosition()).not.toEqual(before);
    await checkPage('graph-minimap');
    // The view moves to the node that gets the focus.
    await page.locator('.graph-item').first().focus();
    const view = (await page.locator('.graph-view').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const item = (await page.locator('.graph-item').first().boundingBox()) ?? { x: 0, y: 0 };
    expect(item.x >= view.x && item.x < view.x + view.width).toBe(true);
    expect(item.y >= view.y && item.y < view.y + view.height).toBe(true);
  });
});

test('without scripts, the page shows the picture instead of the graph', async () => {
  const context = await site.browser.newContext({
    ignoreHTTPSErrors: true,
    baseURL: ORIGIN,
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  });
  context.setDefaultTimeout(300_000);
  const pageWithoutScripts = await context.newPage();
  await pageWithoutScripts.goto(APP);
  const link = pageWithoutScripts.locator('#graph').getByRole('link', { name: /^Graph of app: 7 jobs/ });
  expect(await link.getAttribute('href')).toBe(`${APP}/image.svg`);
  await takePictures(pageWithoutScripts, 'graph-without-script');
  await context.close();
});

test('if the graph cannot be drawn, the page shows the picture instead', async () => {
  const refuse = { status: 403, contentType: 'application/json', body: '{"detail":"Not now."}' };
  for (const path of ['events', 'jobs'])
    await page.route(`**${APP}/${path}`, (route) => route.fulfill(refuse));
  await page.goto(APP);
  await page.getByRole('img', { name: /^Graph of app: 7 jobs/ }).waitFor();
  expect(await page.locator('.graph-item').count()).toBe(0);
});
