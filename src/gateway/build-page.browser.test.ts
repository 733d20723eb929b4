import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Job } from '#domain/pipeline/pipeline.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { startReportedBuild, type ReportedEvent } from '#testing/builds/reported-build.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, toSave } from '#testing/stores/stores.ts';

/* The page of a build in a browser. If PICTURES names a folder, the tests store screenshots there. */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const run = { runner: 'shell' as const, cmd: 'true' };
const LINUX = { kind: 'task' as const, name: 'test-linux', run, attempts: 2 };
const APP = '/teams/main/pipelines/app';
const PASSWORD = 'correct horse battery';

/** A job with a group of parallel steps, a hook of a step, and a hook of the job. */
const treeJob: Job = {
  ...job('tree', getStep('git.app', { trigger: false }), {
    kind: 'parallel',
    failFast: false,
    steps: [
      { kind: 'task', name: 'lint', run },
      { ...LINUX, hooks: { onFailure: [{ kind: 'command', run }] } },
    ],
  }),
  hooks: { ensure: [{ kind: 'task', name: 'tidy', run }] },
};

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let saved: SavedPipeline;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  const steps = [getStep('git.app', { trigger: false }), task('compile'), task('test')];
  const jobs = ['folds', 'searches', 'follows', 'long'].map((name) => job(name, ...steps));
  jobs.push(treeJob, { ...job('gated', ...steps), approval: { label: 'release', approvals: 2, notify: [] } });
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [{ ref: '3f2a91c', message: 'Add the login page' }]);
  await gateway.account('bob', { teams: { main: 'maintain' }, password: PASSWORD });
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

type Report = (...events: ReportedEvent[]) => Promise<void>;

/** Starts a build of a job. Returns a function that reports events of its agent. */
async function startBuild(name: string): Promise<Report> {
  const { stores, gateway } = site;
  await gateway.ask(`POST ${APP}/jobs/${name}/trigger`, { as: await gateway.session('ann') });
  return await startReportedBuild({ stores, notifications: gateway.notifications });
}

/**
 * Records the start of the Pod of the job's first build, as the operator does. The Pod got its node at once.
 */
async function recordStart(jobName: string): Promise<void> {
  const { stores, gateway } = site;
  const view = await stores.views.build({ team: 'main', pipeline: 'app', job: jobName, number: '1' });
  const { id: build = 0, podCreatedAt: at = new Date() } = view ?? {};
  const times = { scheduledAt: at, containersStartedAt: at };
  await stores.builds.recordStart({ build, attempt: 1 }, 'pod', times);
  gateway.notifications.notify({ topic: 'progress', build });
}

const log = (step: string, text: string): ReportedEvent => ({ type: 'log', step, text });
const started = (step: string): ReportedEvent => ({ type: 'step-started', step });
const ended = (step: string, status: 'succeeded' | 'failed' = 'succeeded'): ReportedEvent => ({
  type: 'step-ended',
  step,
  status,
  exitCode: status === 'failed' ? 1 : 0,
});
const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');

async function endBuild(report: Report, outcome: 'succeeded' | 'failed'): Promise<void> {
  const reason = outcome === 'failed' ? 'StepFailed' : 'AllStepsSucceeded';
  await report({ type: 'build-ended', outcome, reason, message: `The build ${outcome}.` });
}

const header = (name: string) => page.getByRole('button', { name, exact: true });
const isOpen = async (name: string): Promise<string | null> =>
  await header(name).getAttribute('aria-expanded');
const line = (number: number) => page.locator(`.build-line[data-line="${number}"]`);

/** Whether the line with this text is inside the visible part of the log. */
async function isVisible(text: string): Promise<boolean> {
  const logLine = page.locator('.build-text', { hasText: text }).first();
  if ((await logLine.count()) === 0) return false;
  const inner = await logLine.boundingBox();
  const outer = await page.locator('#log').boundingBox();
  if (inner === null || outer === null) return false;
  return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
}

async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
}

/** How far the lines are below the top of the viewer, whose tools are above them. */
async function topOfLog(): Promise<number> {
  const [box, viewer] = [page.locator('#log'), page.locator('.build-viewer')];
  return ((await box.boundingBox())?.y ?? 0) - ((await viewer.boundingBox())?.y ?? 0);
}

describe('the log of an ended build', () => {
  test('shows the end of the failed step, folds the others, and remembers times and wrapping', async () => {
    const report = await startBuild('folds');
    await report(started('0'), log('0', 'Cloning\n'), ended('0'), started('1'));
    await report(log('1', `\u001b[32mcompiled\u001b[0m\n${'wide '.repeat(100)}\n`), ended('1'), started('2'));
    await report(log('2', `${lines(300)}\u001b[1;31merror:\u001b[0m no such table\n`), ended('2', 'failed'));
    await endBuild(report, 'failed');
    await page.goto(`${APP}/jobs/folds/builds/1`);
    await until(async () => await isVisible('no such table'));
    expect(await isOpen('task test')).toBe('true');
    await checkPage('log-failed');

    await page.locator('#log').evaluate((box: { scrollTop: number }) => (box.scrollTop = 0));
    expect([await isOpen('get git.app'), await isOpen('task compile')]).toEqual(['false', 'false']);
    await header('task compile').click();
    await until(async () => await isVisible('compiled'));
    expect(await page.locator('.build-text .front').innerText()).toBe('compiled');
    const wide = page.locator('.build-line', { hasText: 'wide' });
    const wrapped = (await wide.boundingBox())?.height ?? 0;
    await page.getByLabel('Wrap').uncheck();
    await until(async () => ((await wide.boundingBox())?.height ?? 0) < wrapped);
    await page.getByLabel('Times').check();
    await page.reload();
    await until(async () => await isVisible('no such table'));
    expect([await page.getByLabel('Wrap').isChecked(), await page.getByLabel('Times').isChecked()]).toEqual([
      false,
      true,
    ]);
    expect(await page.locator('.build-time').first().getAttribute('data-time')).toMatch(/^\d\d:\d\d:\d\d$/);
    await checkPage('log-with-times');
  });

  test('finds words in any case, and links to lines', async () => {
    const report = await startBuild('searches');
    await report(started('0'), log('0', 'A Needle here\n'), ended('0'), started('1'));
    await report(
      log('1', `${lines(500)}one \u001b[31mnee\u001b[0mdle\n${lines(500)}two needle\n`),
      ended('1'),
    );
    await report(started('2'), ended('2'));
    await endBuild(report, 'succeeded');
    const url = `${APP}/jobs/searches/builds/1`;
    await page.goto(url);
    await until(async () => (await isOpen('task compile')) === 'false');
    await page.locator('#log').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('NEEDLE');
    const count = page.locator('#log-found');
    await until(async () => (await count.innerText()) === '3 lines');
    await page.keyboard.press('Enter');
    await until(async () => await isVisible('A Needle here'));
    await page.keyboard.press('Enter');
    await until(async () => await isVisible('one needle'));
    expect([await count.innerText(), await line(501).locator('mark').allInnerTexts()]).toEqual([
      'Line 2 of 3',
      ['nee', 'dle'],
    ]);
    await checkPage('log-search');
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Shift+Enter');
    await until(async () => (await count.innerText()) === 'Line 1 of 3');

    const topBefore = await topOfLog();
    await page.goto(`${url}#step-1:L700-L702`);
    await page.reload();
    await until(async () => await isVisible('line 200'));
    expect(await page.locator('.build-line.selected').count()).toBe(3);
    expect(await topOfLog()).toBe(topBefore);
    await line(698).locator('.build-number').click();
    expect(new URL(page.url()).hash).toBe('#step-1:L698');
    await line(701)
      .locator('.build-number')
      .click({ modifiers: ['Shift'] });
    expect(new URL(page.url()).hash).toBe('#step-1:L698-L701');
    await site.browser.contexts().at(-1)?.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${ORIGIN}${url}#step-1:L698-L701`);
    await page.getByRole('button', { name: 'Copy the log of task compile' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`${lines(500)}one needle\n${lines(500)}two needle\n`);
  });
});

describe('the log of a running build', () => {
  test('is followed until the viewer scrolls up, and again after the viewer jumps to its end', async () => {
    const report = await startBuild('follows');
    await page.goto(`${APP}/jobs/follows/builds/1`);
    await until(async () => (await page.locator('#log').innerText()).includes('No output yet.'));
    await report(started('0'), log('0', lines(200, 'clone')), ended('0'), started('1'));
    await until(async () => await isVisible('clone 200'));
    await page.locator('#log').hover();
    await page.mouse.wheel(0, -1500);
    await until(async () => !(await page.getByLabel('Follow').isChecked()));
    const top = await page.locator('#log').evaluate((box: { scrollTop: number }) => box.scrollTop);
    await report(log('1', lines(100, 'compile')), log('0', lines(50, 'late')));
    await until(async () => (await page.getByRole('button', { name: 'Jump to the end' }).count()) === 1);
    await until(async () => {
      const size = await page.locator('#log').evaluate((box: { scrollHeight: number }) => box.scrollHeight);
      return size > 350 * 20;
    });
    expect(await page.locator('#log').evaluate((box: { scrollTop: number }) => box.scrollTop)).toBe(top);
    await checkPage('log-running');
    await page.getByRole('button', { name: 'Jump to the end' }).click();
    await until(async () => await isVisible('compile 100'));
    await page.getByRole('rowheader', { name: 'Pod: node, images, start' }).waitFor();
    await recordStart('follows');
    for (const name of ['Pod: scheduling', 'Pod: images', 'Pod: start'])
      await page.getByRole('rowheader', { name }).waitFor();
    await report(log('1', 'the end\n'), ended('1'), started('2'), ended('2'));
    await until(async () => await isVisible('the end'));
    await endBuild(report, 'succeeded');
    await until(async () => (await page.locator('#status').innerText()).includes('succeeded'));
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await isOpen('task compile')).toBe('true');
  });
});

describe('beside the log, the page shows', () => {
  test('the steps as a tree that links to their logs, the times, and what changed', async () => {
    const { stores } = site;
    const reportFirst = await startBuild('tree');
    for (const step of ['0', '1.0', '1.1']) await reportFirst(started(step), ended(step));
    await reportFirst(started('1'), ended('1'));
    await endBuild(reportFirst, 'succeeded');
    await recordFoundVersions(stores, saved, [
      { ref: '77aa001', message: 'Check the cart' },
      { ref: '77aa002', message: 'Pay with a card' },
    ]);
    const report = await startBuild('tree');
    await report(started('0'), ended('0'), started('1'), started('1.0'), started('1.1'));
    await report(log('1.0', lines(100, 'lint')), ended('1.0'), log('1.1', 'no such file\n'));
    await report(
      ended('1.1', 'failed'),
      started('1.1.on_failure.0'),
      ended('1.1.on_failure.0'),
      ended('1', 'failed'),
    );
    await endBuild(report, 'failed');
    await page.goto(`${APP}/jobs/tree/builds/2`);
    await until(async () => await isVisible('no such file'));
    const tree = page.locator('.build-steps');
    expect(await tree.locator('.build-lanes > li').count()).toBe(2);
    expect(await tree.innerText()).toContain('test-linux');
    const changes = page.getByRole('region', { name: 'What changed since the last good build' });
    expect((await changes.locator('li').allInnerTexts()).map((text) => text.split('\n').slice(0, 2))).toEqual(
      [
        ['ref: 77aa002', 'message: Pay with a card'],
        ['ref: 77aa001', 'message: Check the cart'],
      ],
    );
    const times = page.getByRole('region', { name: 'Where time went' });
    expect(await times.getByRole('rowheader').allInnerTexts()).toContain('Pod: node, images, start');
    await checkPage('build-tree');
    await page.setViewportSize({ width: 320, height: 640 });
    const name = page.locator('#log').getByRole('button', { name: 'get git.app' });
    await until(
      async () =>
        await name.evaluate(
          (all: { scrollWidth: number; clientWidth: number }) => all.scrollWidth <= all.clientWidth,
        ),
    );
    await tree.getByRole('link', { name: 'lint' }).click();
    await until(async () => await isVisible('lint 1'));
    expect(new URL(page.url()).hash).toBe('#step-1.0');
    expect(await page.locator(':focus').getAttribute('id')).toBe('log');
  });

  test('who approved, when, and how many people must approve', async () => {
    const { gateway } = site;
    const url = `${APP}/jobs/gated/builds/1`;
    await gateway.ask(`POST ${APP}/jobs/gated/trigger`, { as: await gateway.session('ann') });
    await gateway.ask(`POST ${url}/approve`, {
      as: await gateway.session('bob'),
      body: { message: 'Looks good' },
    });
    await page.goto(url);
    const approval = page.getByRole('region', { name: 'Approval' });
    expect(await approval.innerText()).toContain('1 of 2 people have approved.');
    expect(await approval.locator('li').innerText()).toMatch(/^bob\s+approved\s.*\sLooks good$/s);
    await checkPage('build-waiting');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('#status').filter({ hasText: 'pending' }).waitFor();
    expect(await approval.innerText()).toContain('2 of 2 people have approved.');
    // The next test starts the oldest build that waits.
    await gateway.ask(`POST ${url}/cancel`, { as: await gateway.session('ann') });
  });
});

test('a log of 100,000 lines shows every line, with few elements in the page', async () => {
  const report = await startBuild('long');
  await report(started('0'), ended('0'), started('1'));
  const linesPerEvent = 1000;
  for (let first = 0; first < 100_000; first += linesPerEvent)
    await report(
      log(
        '1',
        Array.from(
          { length: linesPerEvent },
          (_, index) => `${first + index + 1}: some words of output\n`,
        ).join(''),
      ),
    );
  await report(ended('1', 'failed'));
  await endBuild(report, 'failed');
  await page.goto(`${APP}/jobs/long/builds/1`);
  await until(async () => await isVisible('100000: some words'));
  for (const number of [1, 2, 31_415, 65_537, 99_999, 50_000]) {
    await page.evaluate(`location.hash = '#step-1:L${number}'`);
    await until(async () => await isVisible(`${number}: some words`));
    expect(await line(number).locator('.build-text').innerText()).toBe(`${number}: some words of output`);
  }
  expect(await page.locator('.build-line').count()).toBeLessThan(300);
  await checkPage('log-long');
});
