import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { problemPage } from '#adapters/http/pages/problem-page.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, giveTurns, toSave } from '#testing/stores/stores.ts';

/*
 * Tests that people can use every page with a screen reader, magnification or only the keyboard. If the
 * environment variable PICTURES names a folder, the tests store screenshots there.
 */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const APP = '/teams/main/pipelines/app';
const BUILD = `${APP}/jobs/unit/builds/1`;
const PASSWORD = 'correct horse battery';

const INPUTS: Input[] = [
  { name: 'reason', type: 'string', description: 'Why it is deployed', default: '' },
  { name: 'environment', type: 'choice', default: 'dev', options: ['dev', 'prod'] },
  { name: 'replicas', type: 'number', default: '1' },
  { name: 'dry_run', type: 'bool', default: 'false' },
  { name: 'targets', type: 'list', description: 'Where', default: 'eu', options: ['eu', 'us'] },
];

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  const unit = job('unit', getStep('git.app', { trigger: false }), task('test'));
  const jobs = [{ ...unit, inputs: INPUTS }];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  const versions = Array.from({ length: 60 }, (_, index) => ({ ref: `${index}`.padStart(40, 'f') }));
  await recordFoundVersions(stores, saved, versions);
  await gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
  await gateway.account('ray', { teams: { main: 'read' }, password: PASSWORD });
  await gateway.ask(`POST ${APP}/jobs/unit/trigger`, { as: await gateway.session('ann') });
  await runBuildOfManyColours();
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

/**
 * Runs a build whose log uses all 256 colours as foreground and background. The log is longer than the part
 * that the server puts into the page.
 */
async function runBuildOfManyColours(): Promise<void> {
  const { stores, gateway } = site;
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
  const rows = Array.from({ length: 512 }, (_, index) => {
    const colour = `\u001b[${index < 256 ? 38 : 48};5;${index % 256}m${String(index % 256).padStart(4)} \u001b[0m`;
    return index % 16 === 15 ? `${colour}\n` : colour;
  });
  const long = Array.from({ length: 20 }, (_, index) => `${index} ${'long '.repeat(2000)}\n`);
  const at = new Date().toISOString();
  const texts = [...long, `${rows.join('')}\u001b[38;2;255;140;0;1mall is well\u001b[0m\n`];
  const events = texts.map((text, index) => ({
    type: 'log' as const,
    step: '1',
    text,
    at,
    sequence: index + 1,
  }));
  const build = { build: started.id, attempt: started.attempt };
  await followBuild(build, events, { builds: stores.builds, notifications: gateway.notifications });
}

async function signIn(username: string): Promise<void> {
  await page.goto('/auth/login');
  await sendSignInForm(page, username, PASSWORD);
  await page.waitForURL('**/teams');
}

async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
}

const PAGES: Record<string, string> = {
  teams: '/teams',
  team: '/teams/main',
  pipeline: APP,
  job: `${APP}/jobs/unit`,
  resource: `${APP}/resources/git.app`,
  caches: `${APP}/caches`,
  triggers: '/teams/main/triggers',
  profile: '/profile',
  password: '/profile/password',
  'not-found': '/teams/main/pipelines/none',
  forbidden: '/teams/other/pipelines',
};

describe('the pages have no accessibility problems and can be used by keyboard', () => {
  test('on the sign-in form, also after a failed sign-in', async () => {
    await page.goto('/auth/login');
    await checkPage('sign-in');
    await page.getByLabel('Username').fill('ann');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    const focused = page.locator(':focus');
    expect([await focused.getAttribute('id'), await focused.getAttribute('aria-describedby')]).toEqual([
      'password',
      'problem',
    ]);
    await checkPage('sign-in-failed');
  });

  test.each(['ann', 'ray'])('on the pages of %s', async (person) => {
    await signIn(person);
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(path);
      await checkPage(`${name}-of-${person}`);
    }
  });

  test('on a build with a long coloured log, which screen readers do not read aloud', async () => {
    await signIn('ann');
    await page.goto(BUILD);
    const log = page.locator('#log');
    await until(async () => (await log.innerText()).includes('all is well'));
    await checkPage('build-of-many-colours');
    const spokenElements = await page
      .locator('[aria-live], [role=status], [role=alert], [role=log]')
      .evaluateAll((elements) => elements.map(({ id }: { id: string }) => id));
    expect([spokenElements, await log.getAttribute('aria-live')]).toEqual([
      ['status', 'log-found', 'log'],
      'off',
    ]);
  });

  test.each([409, 429, 500, 503])('on a page for status %s', async (status) => {
    const detail = 'Something we need does not answer now. Try again in a second.';
    const again = status === 409 ? undefined : '/teams/main';
    const problem = problemPage({ status, detail, again, request: '6f82c0bd-222c-416f-9ac1-0f2eef95596c' });
    await page.route('**/teams/main', async (route) => {
      await route.fulfill({ status: 200, contentType: 'text/html; charset=utf-8', body: problem.text });
    });
    await page.goto('/teams/main');
    await checkPage(`problem-${status}`);
  });
});

test('the check finds planted accessibility problems', async () => {
  await page.goto('/openapi');
  await page.locator('main').evaluate((main: { innerHTML: string }) => {
    main.innerHTML =
      '<img src="data:,"><p id="pale"></p><table><tr><td>' +
      'wide'.repeat(200) +
      '</td></tr></table><button class="visually-hidden" tabindex="-1">x</button>';
  });
  const problems = (await accessibilityProblems(page)).join('\n');
  for (const rule of ['image-alt', 'page-has-heading-one', 'too wide']) expect(problems).toContain(rule);
  expect((await keyboardProblems(page)).join('\n')).toContain('not reached');
});
