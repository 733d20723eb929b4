import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { toSave } from '#testing/stores/stores.ts';

/* The overview of pipelines in a browser. If PICTURES names a folder, the tests store screenshots there. */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const PASSWORD = 'correct horse battery';

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;
const ids = new Map<string, number>();

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  await stores.teams.saveTeam({ name: 'web', namespace: 'web-prod' });
  await stores.teams.saveTeam({ name: 'new', namespace: 'new' });
  for (const name of ['api', 'shop', 'tools', 'batch', 'old', 'docs', 'fresh'])
    await savePipeline('main', name);
  await savePipeline('web', 'site');
  await addBuild('shop', 'unit', 'failed', 40);
  await addBuild('shop', 'lint', 'failed', 30);
  await addBuild('api', 'unit', 'failed', 20);
  await addBuild('tools', 'unit', 'succeeded', 90);
  await addBuild('tools', 'lint', 'started', 60);
  await addBuild('tools', 'build', 'started', 60);
  await addBuild('batch', 'deploy', 'waiting', 5);
  await addBuild('docs', 'unit', 'succeeded', 90);
  await addBuild('old', 'unit', 'failed', 9000);
  await addBuild('site', 'unit', 'warning', 600);
  await stores.actions.pausePipeline({ team: 'main', pipeline: 'old' }, 'ann');
  await gateway.account('root', { globalAdmin: true, password: PASSWORD });
  await gateway.account('ann', {
    teams: { main: 'write', web: 'read', new: 'maintain' },
    password: PASSWORD,
  });
  await gateway.account('bob', { teams: { new: 'read' }, password: PASSWORD });
  await gateway.account('eve', { password: PASSWORD });
  // This request starts the drawing process. On a slow machine, the first picture takes longer than a test
  // waits.
  const as = await gateway.session('ann');
  await gateway.ask('GET /teams/main/pipelines/api/image.svg?hide_intermediates=1', { as });
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

async function savePipeline(team: string, pipeline: string, isPublic = false): Promise<void> {
  const definition = samplePipeline({
    jobs: [
      job('unit', getStep('git.app'), task('test')),
      job('lint', getStep('git.app'), task('lint')),
      job('build', getStep('git.app', { passed: ['unit', 'lint'] }), task('compile')),
      job('deploy', getStep('git.app', { passed: ['build'] }), task('roll out')),
    ],
  });
  const more = { team, pipeline, namespace: team, uid: `${team}-${pipeline}`, public: isPublic };
  const { id } = await site.stores.pipelines.savePipeline(toSave(definition, more));
  ids.set(pipeline, id);
}

/**
 * Adds a build of a job, which began (and ended, if it has ended) `minutes` minutes ago, and notifies the
 * gateway.
 */
async function addBuild(pipeline: string, name: string, status: BuildStatus, minutes: number): Promise<void> {
  const id = ids.get(pipeline) ?? 0;
  const at = new Date(Date.now() - minutes * 60_000).toISOString();
  const endedAt = ['pending', 'waiting', 'started'].includes(status) ? null : at;
  await site.stores.pool.query(rows()`
    INSERT INTO builds (job_id, revision_id, number, cause, created_at, started_at, status, wants_pod, ended_at,
      gate)
    SELECT j.id, r.id, 1 + (SELECT count(*) FROM builds b WHERE b.job_id = j.id), '{}', ${at}, ${at}, ${status},
      false, ${endedAt}, CASE WHEN ${status} = 'waiting' THEN '{"approvals": 1}'::jsonb END
    FROM jobs j JOIN revisions r ON r.pipeline_id = j.pipeline_id
    WHERE j.pipeline_id = ${id} AND j.name = ${name}`);
  site.gateway.notifications.notify({ topic: 'status', pipeline: id });
}

async function endBuilds(pipeline: string, status: BuildStatus): Promise<void> {
  const id = ids.get(pipeline) ?? 0;
  await site.stores.pool.query(rows()`
    UPDATE builds SET status = ${status}, ended_at = now()
    WHERE ended_at IS NULL AND job_id IN (SELECT id FROM jobs WHERE pipeline_id = ${id})`);
  site.gateway.notifications.notify({ topic: 'status', pipeline: id });
}

async function open(path: string, username: string): Promise<void> {
  await page.goto(path);
  await sendSignInForm(page, username, PASSWORD);
  await page.waitForURL(`**${path}`);
}

const scriptHasRendered = async (): Promise<void> => await page.locator('#overview[data-rendered]').waitFor();
const cardNames = async (): Promise<string[]> => await page.locator('.overview-name a').allInnerTexts();
const cardOf = (name: string) =>
  page.locator('.overview-card', { has: page.getByRole('link', { name, exact: true }) });
const stateOf = async (name: string): Promise<string> =>
  (await cardOf(name).locator('.overview-state').innerText()).trim();
/** The texts of the elements, each on one line. */
const textsOf = async (selector: string): Promise<string[]> =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
const query = (): string => new URL(page.url()).search;

/** Checks the accessibility of the page and stores a screenshot. */
async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
}

const SORTED = ['api', 'shop', 'tools', 'batch', 'old', 'docs', 'fresh', 'site'];

describe('the overview of pipelines', () => {
  test('lists the newest failures of each team first, and names states in words', async () => {
    await open('/teams', 'ann');
    await scriptHasRendered();
    expect(await cardNames()).toEqual(SORTED);
    expect(await Promise.all(SORTED.map(stateOf))).toEqual([
      'failed unit 1',
      'failed lint 1 and 1 more',
      'running',
      'waiting',
      'paused',
      'succeeded',
      'not yet run',
      'warning',
    ]);
    expect(await textsOf('.overview-card:has-text("tools") .overview-times')).toEqual([
      '2 running newest build 1 hour ago',
    ]);
    expect(await textsOf('h2')).toEqual(['Main team write', 'new maintain', 'web read']);
    const pictures = await page.locator('.overview-picture img').all();
    for (const image of pictures)
      await until(
        async () =>
          (await image.evaluate((element: object) => Number(Reflect.get(element, 'naturalWidth')))) > 0,
      );
    await checkPage('overview');
    expect(await keyboardProblems(page)).toEqual([]);
    await cardOf('docs').click();
    await page.waitForURL('**/teams/main/pipelines/docs');
    await page.goBack();
    await scriptHasRendered();
    await page.getByRole('link', { name: 'lint 1' }).click();
    await page.waitForURL('**/teams/main/pipelines/shop/jobs/lint/builds/1');
  });

  test('keeps the focus on its link when the script replaces what the server rendered', async () => {
    await open('/teams', 'ann');
    const { promise: isFocused, resolve: continueEvents } = Promise.withResolvers<void>();
    await page.route('**/events*', async (route) => {
      await isFocused;
      await route.continue();
    });
    await page.goto('/teams');
    await page.getByRole('link', { name: 'docs', exact: true }).focus();
    expect(await page.locator('#overview[data-rendered]').count()).toBe(0);
    continueEvents();
    await scriptHasRendered();
    expect(await page.locator(':focus').allInnerTexts()).toEqual(['docs']);
  });

  test('changes cards in place, and moves them only when the viewer sorts again', async () => {
    await open('/teams', 'ann');
    await scriptHasRendered();
    const imageBefore = await cardOf('docs').locator('img').getAttribute('src');
    const boxBefore = await cardOf('docs').boundingBox();
    await addBuild('docs', 'lint', 'started', 0);
    await until(async () => (await stateOf('docs')) === 'running');
    await endBuilds('docs', 'failed');
    await until(async () => (await stateOf('docs')) === 'failed lint 1');
    expect(await cardNames()).toEqual(SORTED);
    expect(await cardOf('docs').boundingBox()).toEqual(boxBefore);
    await until(async () => (await cardOf('docs').locator('img').getAttribute('src')) !== imageBefore);
    await checkPage('overview-changed');
    await page.getByRole('button', { name: 'Sort again' }).click();
    await until(async () => (await cardNames())[0] === 'docs');
    expect(await page.getByRole('button', { name: 'Sort again' }).count()).toBe(0);
    await addBuild('docs', 'lint', 'succeeded', 0);
    await until(async () => (await stateOf('docs')) === 'succeeded');
    await savePipeline('main', 'later');
    site.gateway.notifications.notify({ topic: 'schedule', pipeline: ids.get('later') ?? 0 });
    await cardOf('later').waitFor();
    await site.stores.pool.query(
      rows()`UPDATE pipelines SET deleted_at = now() WHERE id = ${ids.get('later') ?? 0}`,
    );
    site.gateway.notifications.notify({ topic: 'schedule', pipeline: ids.get('later') ?? 0 });
    await cardOf('later').waitFor({ state: 'detached' });
  });

  test('searches as the viewer types, filters by status, and keeps both in the address', async () => {
    await open('/teams', 'ann');
    await scriptHasRendered();
    await page.keyboard.press('/');
    await page.keyboard.type('main TO');
    await until(async () => (await cardNames()).join(' ') === 'tools');
    await until(() => query() === '?q=main%20TO');
    expect(await page.locator('.overview-note').innerText()).toBe('1 of 8 pipelines');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('a/b');
    await page.getByText('Nothing matches.').waitFor();
    await checkPage('overview-nothing');
    await page.getByRole('link', { name: 'Show all pipelines' }).click();
    await until(async () => (await cardNames()).length === 8);
    const chips = page.getByRole('navigation', { name: 'Filter by status' }).getByRole('link');
    expect((await chips.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'all',
      'failed 2',
      'running 1',
      'waiting 1',
      'warning 1',
      'paused 1',
      'succeeded 1',
      'not yet run 1',
    ]);
    await chips.filter({ hasText: 'failed' }).click();
    await until(async () => (await cardNames()).join(' ') === 'api shop');
    await until(() => query() === '?status=failed');
    await checkPage('overview-failed');
    await addBuild('api', 'unit', 'succeeded', 0);
    await addBuild('batch', 'unit', 'failed', 0);
    await until(async () => (await cardNames()).join(' ') === 'api shop batch');
    expect(await stateOf('api')).toBe('succeeded');
    await page.reload();
    await until(async () => (await cardNames()).join(' ') === 'batch shop');
    await addBuild('batch', 'unit', 'succeeded', 0);
    await addBuild('api', 'unit', 'failed', 20);
  });

  test('shows only pipelines that match, even if the viewer searched before the stream answered', async () => {
    const { promise: hasSearched, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/overview/events', async (route) => {
      await hasSearched;
      await route.continue();
    });
    await open('/teams', 'ann');
    await page.keyboard.press('/');
    await page.keyboard.type('main TO');
    answer();
    await until(async () => (await cardNames()).join(' ') === 'tools');
  });

  test('without scripts is a list with a search form', async () => {
    await open('/teams', 'ann');
    const context = await site.browser.newContext({
      ignoreHTTPSErrors: true,
      baseURL: ORIGIN,
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    context.setDefaultTimeout(300_000);
    const pageWithoutScripts = await context.newPage();
    await pageWithoutScripts.goto('/teams');
    expect((await pageWithoutScripts.locator('.overview-name a').allInnerTexts()).toSorted()).toEqual(
      SORTED.toSorted(),
    );
    await pageWithoutScripts.getByRole('searchbox').fill('site');
    await pageWithoutScripts.getByRole('button', { name: 'Search' }).click();
    await pageWithoutScripts.waitForURL('**/teams?q=site');
    expect(await pageWithoutScripts.locator('.overview-name a').allInnerTexts()).toEqual(['site']);
    await pageWithoutScripts.getByRole('link', { name: 'warning 1' }).click();
    await pageWithoutScripts.waitForURL('**/teams?q=site&status=warning');
    await takePictures(pageWithoutScripts, 'overview-plain');
    await pageWithoutScripts.getByRole('searchbox').fill('nobody');
    await pageWithoutScripts.getByRole('button', { name: 'Search' }).click();
    await pageWithoutScripts.getByRole('link', { name: 'Show all pipelines' }).click();
    await pageWithoutScripts.waitForURL('**/teams');
    await context.close();
  });
});

describe('an overview without pipelines', () => {
  test('says to a person without a team how to become a member', async () => {
    await open('/teams', 'eve');
    expect(await page.locator('main').innerText()).toContain(
      'millrace members set eve --role write --team TEAM',
    );
    await checkPage('overview-no-team');
  });

  test('says how to create the first pipeline, as the role allows, until one exists', async () => {
    await open('/teams/new/pipelines', 'bob');
    const main = page.locator('main');
    expect(await main.innerText()).toContain('kubectl apply -f -');
    expect(await main.innerText()).not.toContain('in the browser');
    await page.context().clearCookies();
    await open('/teams/new/pipelines', 'ann');
    const link = page.getByRole('link', { name: 'Create one in the browser' });
    expect(await link.getAttribute('href')).toBe('/teams/new/new-pipeline');
    await checkPage('overview-empty-team');
    await savePipeline('new', 'first');
    site.gateway.notifications.notify({ topic: 'schedule', pipeline: ids.get('first') ?? 0 });
    await cardOf('first').waitFor();
    await page.locator('#overview-empty').waitFor({ state: 'hidden' });
    await site.stores.pool.query(
      rows()`UPDATE pipelines SET deleted_at = now() WHERE id = ${ids.get('first') ?? 0}`,
    );
  });
});

describe('the teams in the overview', () => {
  test('are all teams for an admin, and only their own for a member', async () => {
    await open('/teams', 'root');
    await scriptHasRendered();
    expect(await textsOf('h2')).toEqual(['Main team', 'new', 'web']);
    expect(await page.getByRole('link', { name: 'Create the first one' }).count()).toBe(1);
    await page.context().clearCookies();
    await open('/teams', 'bob');
    await page.getByText('No pipelines yet.').waitFor();
    expect([await textsOf('h2'), await cardNames()]).toEqual([['new read'], []]);
    // Only a maintainer may create a pipeline.
    expect(await page.getByRole('link', { name: 'Create the first one' }).count()).toBe(0);
    await scriptHasRendered();
    expect(await page.getByRole('link', { name: 'Create the first one' }).count()).toBe(0);
    await page.goto('/teams/main/pipelines');
    expect(await page.locator('h1').innerText()).toBe('You may not do this');
  });

  test('no longer contain a team from which the member was removed', async () => {
    await site.gateway.account('joe', { teams: { main: 'read', web: 'read' }, password: PASSWORD });
    await open('/teams', 'joe');
    await scriptHasRendered();
    await site.stores.pool.query(rows()`
      DELETE FROM team_members USING users u, teams t
      WHERE u.id = user_id AND t.id = team_id AND u.username = 'joe' AND t.name = 'main'`);
    await page.getByRole('heading', { name: 'Main team' }).waitFor({ state: 'detached' });
    await cardOf('site').waitFor();
    expect(await cardNames()).toEqual(['site']);
  });

  test('are shown only after a sign-in, while a public pipeline needs none', async () => {
    await savePipeline('web', 'open', true);
    await page.goto('/teams');
    expect(new URL(page.url()).pathname).toBe('/auth/login');
    await page.goto('/teams/web/pipelines/open');
    expect(await page.locator('h1').innerText()).toBe('open');
  });
});
