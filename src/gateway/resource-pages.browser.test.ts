import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Input, Pipeline } from '#domain/pipeline/pipeline.ts';
import { decideCaches } from '#domain/planning/decide-cache-volumes.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm, until } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, giveTurns, toSave } from '#testing/stores/stores.ts';

/* The pages of resources, jobs, caches and triggers. If PICTURES names a folder, screenshots go there. */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const APP = '/teams/main/pipelines/app';
const GIT = `${APP}/resources/git.app`;
const PASSWORD = 'correct horse battery';
const ATTACK = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

const INPUTS: Input[] = [
  { name: 'reason', type: 'string', description: 'Why it is deployed', required: true, default: '' },
  { name: 'environment', type: 'choice', required: true, default: 'dev', options: ['dev', 'prod'] },
  { name: 'replicas', type: 'number', default: '1' },
  { name: 'dry_run', type: 'bool', default: 'false' },
  { name: 'targets', type: 'list', description: 'Where', default: 'eu', options: ['eu', 'us'] },
];

const { schedule: _none, ...unscheduled } = resource('trigger.released');
const sample = samplePipeline();
const definition: Pipeline = {
  ...sample,
  resourceTypes: [
    ...sample.resourceTypes,
    { name: 'trigger', builtIn: true, params: [], cache: false, origin: { source: 'svc://trigger' } },
  ],
  resources: [resource('git.app', { cache: true }), unscheduled],
  jobs: [
    job(
      'unit',
      getStep('git.app', { trigger: false }),
      {
        kind: 'task',
        name: 'cache modules: restore',
        cache: 'modules',
        run: { runner: 'shell', cmd: 'true' },
        env: { cache_key: 'npm-$TASK_HASH_LOCK' },
      },
      task('test'),
    ),
    job('lint', getStep('git.app', { trigger: false }), task('lint')),
    {
      ...job('publish', getStep('git.app', { passed: ['unit', 'lint'] }), task('push')),
      inputs: INPUTS,
      concurrency: 1,
      timeoutSeconds: 5400,
      serialGroups: ['production'],
      approval: { label: 'go live', approvals: 2, notify: [] },
    },
    job('notes', getStep('trigger.released', { trigger: false }), task('write')),
  ],
};

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;
let versions: number[];
let scope: number;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  const saved = await stores.pipelines.savePipeline(toSave(definition));
  scope = saved.resources[0]?.scope ?? 0;
  const oldVersions = Array.from({ length: 55 }, (_, index) => ({ ref: `${index}`.padStart(40, 'f') }));
  versions = await recordFoundVersions(stores, saved, [
    ...oldVersions,
    {
      ref: '3f2a91c05d1e4b7f8a6c9d0e1f2a3b4c5d6e7f80',
      message: `Fix the basket\n\n${'A long explanation. '.repeat(20)}${ATTACK}`,
      author: ATTACK,
      url: 'https://git.example.org/shop/app/commit/3f2a91c0',
      trap: 'javascript:alert(3)',
    },
  ]);
  const roles = { ann: 'maintain', wes: 'write', ray: 'read' } as const;
  for (const [name, role] of Object.entries(roles))
    await gateway.account(name, { teams: { main: role }, password: PASSWORD });
  await gateway.ask(`POST ${APP}/jobs/unit/trigger`, { as: await gateway.session('wes') });
  await runBuild();
  await failCheck();
});
beforeEach(async () => {
  const person = await openPerson(site.browser, ORIGIN);
  ({ page, complaints } = person);
  page.on('dialog', (dialog) => {
    complaints.push(`a script of an attacker ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  close = async () => await person.context.close();
});
afterEach(async () => {
  await close();
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  await site.close();
});

/** The time that is `seconds` after a minute ago. */
const timeAfter = (seconds: number) => new Date(Date.now() - 60_000 + 1000 * seconds).toISOString();

/** Runs the pending build: it mounts its caches, its get reports metadata, and it succeeds. */
async function runBuild(): Promise<void> {
  const { stores, gateway } = site;
  await giveTurns(stores);
  const [build] = await stores.builds.buildsToStart(1);
  if (build === undefined) throw new Error('no build to start');
  const { id, attempt, pipelineId } = build;
  await stores.caches.withCaches(
    { pipelineId, build: id, attempt },
    ['git.app', 'unit:modules'],
    async (tx) => {
      await tx.use(decideCaches(await tx.facts(), new Date()), new Date());
    },
  );
  await stores.builds.podCreated(id, attempt, 'pod', new Date());
  const reported = { cacheBytes: 3 * 1024 * 1024, metadata: [{ name: ATTACK, value: ATTACK }] };
  const steps = ['0', '1', '2', '3'].flatMap((step, index): BuildEvent[] => [
    { type: 'step-started', step, at: timeAfter(index), sequence: 2 * index + 1 },
    {
      type: 'step-ended',
      step,
      status: 'succeeded',
      exitCode: 0,
      at: timeAfter(10 * index + 5),
      sequence: 2 * index + 2,
      ...(step === '0' && reported),
    },
  ]);
  const end: BuildEvent = {
    type: 'build-ended',
    at: timeAfter(40),
    sequence: steps.length + 1,
    outcome: 'succeeded',
    reason: 'AllStepsSucceeded',
    message: 'All steps succeeded.',
  };
  const ports = { builds: stores.builds, notifications: gateway.notifications };
  await followBuild({ build: id, attempt }, [...steps, end], ports);
}

/** Runs a check that fails. */
async function failCheck(): Promise<void> {
  const { checks } = site.stores;
  const time = new Date(Date.now() + 366 * 24 * 60 * 60 * 1000);
  const opened = await checks.openRun([scope], 'manual', time);
  if (opened === undefined) throw new Error('The resource is not due.');
  const log = `+ git ls-remote\nfatal: ${ATTACK}\n`;
  await checks.recordCheck({ run: opened.run, scope, error: `The check failed: ${ATTACK}`, log }, time);
  await checks.closeRun(opened.run, time);
}

async function signIn(username: string, then: string): Promise<void> {
  await page.goto(then);
  await sendSignInForm(page, username, PASSWORD);
  await page.waitForURL(`**${then}`);
}

const press = async (name: string): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).click();
const newestVersion = (): number => versions.at(-1) ?? 0;
const versionElement = (id: number) => page.locator(`#version-${id}`);

async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
}

/** Sends a form that the page does not offer, as the person who is signed in. Returns the status. */
async function sendForm(path: string): Promise<number> {
  return await page.evaluate<number>(`fetch(${JSON.stringify(path)}, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html' },
    body: new URLSearchParams({
      csrf_token: document.querySelector('meta[name="csrf-token"]').content,
      version_id: '${newestVersion()}',
      name: 'released',
    }),
  }).then(({ status }) => status)`);
}

describe('the page of a resource', () => {
  test('shows the last check, and versions with their metadata and builds, and runs no script in them', async () => {
    await signIn('ann', GIT);
    await checkPage('resource');
    const main = await page.locator('main').innerText();
    expect(main).toContain(`The check failed: ${ATTACK}`);
    expect(main).toContain('Interval\nevery 1 min');
    const element = versionElement(newestVersion());
    await element.getByText('Fix the basket …').click();
    expect(await element.innerText()).toContain(ATTACK);
    expect(
      await element.locator('a.code').evaluateAll((all) => all.map((link: { href: string }) => link.href)),
    ).toEqual(['https://git.example.org/shop/app/commit/3f2a91c0']);
    expect(await element.locator('.resource-uses').innerText()).toMatch(/used by\s+unit 1\s+succeeded/);
    expect(await page.locator('main img, main script').count()).toBe(0);
    await page.getByRole('link', { name: `Path of version ${newestVersion()} through the jobs` }).click();
    await page.getByRole('cell', { name: '1 succeeded' }).waitFor();
    expect(await page.locator('tbody tr').allInnerTexts()).toHaveLength(3);
    await checkPage('version-path');
  });

  test('shows versions in pages, and finds versions while the viewer types', async () => {
    await signIn('ray', GIT);
    expect(await page.locator('.resource-version').count()).toBe(50);
    await page.getByRole('link', { name: 'Older versions' }).click();
    await page.getByRole('link', { name: 'Newest versions' }).waitFor();
    expect(await page.locator('.resource-version').count()).toBe(6);
    const field = page.getByLabel('Find versions with this text');
    await field.pressSequentially('BASKET');
    await until(() => new URL(page.url()).search === '?text=BASKET');
    expect(await page.locator('.resource-version').count()).toBe(1);
    await field.fill('no such text');
    await page.getByText('No version has "no such text" in a field. Only the newest 10,000').waitFor();
    await field.fill('');
    await until(async () => (await page.locator('.resource-version').count()) === 50);
  });

  test('pins with a comment, disables, enables, triggers and requests a check', async () => {
    const { stores } = site;
    await signIn('wes', GIT);
    const [, second = 0] = versions.toReversed();
    await versionElement(second).getByText('Pin', { exact: true }).click();
    await versionElement(second).getByLabel('Why').fill(`Until Monday ${ATTACK}`);
    await press(`Pin to version ${second}`);
    const banner = page.getByRole('region', { name: 'Pin' });
    await banner.getByText(`Pinned to version ${second}`).waitFor();
    expect(await banner.innerText()).toContain(`Until Monday ${ATTACK}`);
    expect(await banner.locator('time').count()).toBe(1);
    await checkPage('resource-pinned');
    await banner.getByLabel('Comment').fill('Until Tuesday');
    await press('Save the comment');
    await banner.getByText('Until Tuesday').waitFor();
    await press('Unpin');
    await banner.waitFor({ state: 'detached' });

    await press(`Disable version ${newestVersion()}`);
    await versionElement(newestVersion()).getByText('disabled by wes').waitFor();
    expect(await page.getByRole('button', { name: `Trigger version ${newestVersion()}` }).count()).toBe(0);
    await press(`Enable version ${newestVersion()}`);
    await page.getByRole('button', { name: `Disable version ${newestVersion()}` }).waitFor();

    await press(`Trigger version ${newestVersion()}`);
    await page.waitForURL(`**${GIT}/versions/${newestVersion()}/path`);
    for (const started of [/unit\s+2 pending/, /lint\s+1 pending/])
      await page.getByRole('row').filter({ hasText: started }).waitFor();
    await checkPage('triggered');
    await page
      .getByRole('navigation', { name: 'Where this is' })
      .getByRole('link', { name: 'git.app' })
      .click();
    await press('Check now');
    await until(async () => {
      const entries = await stores.access.audit.entries('main', {}, { limit: 5 });
      return JSON.stringify(entries).includes('resource.check_triggered');
    });
  });

  test('shows the address of the webhook on request, tests the webhook, and replaces the address', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn('ann', GIT);
    const html = await page.content();
    await page.getByText('Show the address and the secret').click();
    const address = page.getByLabel('Address', { exact: true });
    await address.waitFor();
    const addressBefore = await address.inputValue();
    expect(addressBefore).toMatch(new RegExp(`^${ORIGIN}/webhooks/[\\w-]{20,}$`));
    expect(html).not.toContain(new URL(addressBefore).pathname);
    await checkPage('webhook');
    await press('Copy the address');
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(addressBefore);
    await press('Test the webhook');
    await page.getByText('202: the server accepted the call and requested a check.').waitFor();

    await page.getByText('Replace the address and the secret').click();
    await page.getByLabel('Signatures are').selectOption('required');
    await press('Replace them');
    await page.getByText('Calls need a signature.').waitFor();
    await page.waitForURL('**?webhook=shown#webhook');
    expect(await address.inputValue()).not.toBe(addressBefore);
    expect(
      (await fetch(`${site.gateway.base}${new URL(addressBefore).pathname}`, { method: 'POST' })).status,
    ).toBe(404);
    await press('Test the webhook');
    await page.getByText('202: the server accepted the call and requested a check.').waitFor();
  });
});

describe('the page of a job', () => {
  test('lists builds with duration, cause and versions, and what the definition says', async () => {
    await signIn('ann', `${APP}/jobs/unit`);
    const row = page.getByRole('row').filter({ hasText: 'wes' }).last();
    expect(await row.innerText()).toMatch(/^1\s+succeeded/);
    expect(await row.getByRole('link', { name: '3f2a91c0' }).getAttribute('href')).toBe(
      `${GIT}/versions/${newestVersion()}/path`,
    );
    await checkPage('job');
    await page.goto(`${APP}/jobs/publish`);
    const text = await page.locator('main').innerText();
    for (const fact of ['one build (serial)', '1 h 30 min', '2 people', 'production', 'unit, lint'])
      expect(text).toContain(fact);
    expect(text).toMatch(/Why it waits\s+\S/);
    await press('Pause the job');
    await page.getByText('This job is paused').waitFor();
    await press('Unpause the job');
    await page.getByRole('button', { name: 'Pause the job' }).waitFor();
  });

  test('says beside a field what is wrong with its value, and keeps all values', async () => {
    await signIn('wes', `${APP}/jobs/publish`);
    await page.locator('.job-start').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByLabel('Check for new versions first').uncheck();
    await page.getByLabel('reason').fill(ATTACK);
    await page.getByLabel('us', { exact: true }).check();
    await press('Start a build');
    await page.getByText('The job does not take these values.').waitFor();
    const field = page.getByLabel('environment');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#problem-environment').innerText()).toContain('is not one of the options');
    expect(await page.getByLabel('reason').inputValue()).toBe(ATTACK);
    expect(await page.getByLabel('us', { exact: true }).isChecked()).toBe(true);
    await checkPage('job-refused');
    await field.selectOption('prod');
    await page.getByLabel('Check for new versions first').uncheck();
    await press('Start a build');
    await page.getByText('Job publish cannot run now').waitFor();
  });
});

test('the page of caches shows size and key, and clears', async () => {
  await signIn('wes', `${APP}/caches`);
  const row = page.getByRole('row').filter({ hasText: 'git.app' });
  expect(await row.innerText()).toContain('3 MiB');
  expect(await page.getByRole('row').filter({ hasText: 'modules' }).innerText()).toContain(
    'npm-$TASK_HASH_LOCK',
  );
  await checkPage('caches');
  await press('Clear the cache unit:modules');
  await page.getByRole('button', { name: 'Clear the cache unit:modules' }).waitFor({ state: 'detached' });
});

test('the pages of triggers list events, and emit an event', async () => {
  await signIn('ann', '/teams/main/triggers');
  await page.getByLabel('Fields').fill('no name');
  await press('Emit');
  expect(await page.getByRole('alert').innerText()).toBe('"no name" is not of the form name=value.');
  expect(await page.getByLabel('Fields').inputValue()).toBe('no name');
  await page.getByLabel('Fields').fill(`tag=v1.2.3\nnotes=${ATTACK}`);
  await press('Emit');
  await page.waitForURL('**/teams/main/triggers/released');
  expect(await page.locator('tbody').innerText()).toContain(ATTACK);
  await checkPage('trigger');
  await page.goto('/teams/main/triggers');
  await checkPage('triggers');
});

test.each([
  ['ray', ['Check now', 'Start a build'], ['check', 'pin', 'unpin', 'webhook_token']],
  ['wes', [], ['webhook_token']],
])('%s gets no button for, and is refused, what their role does not allow', async (user, hidden, verbs) => {
  await signIn(user, `${GIT}?webhook=shown`);
  expect(await page.locator('#webhook').count()).toBe(0);
  expect(await page.content()).not.toContain('/webhooks/');
  const offeredButtons = await page.getByRole('button').allInnerTexts();
  for (const label of hidden) expect(offeredButtons).not.toContain(label);
  if (user === 'ray')
    expect(offeredButtons.filter((label) => !['Find', 'Log out'].includes(label))).toEqual([]);
  await page.goto('/teams/main/triggers');
  expect(await page.getByRole('button', { name: 'Emit' }).count()).toBe(0);
  await page.goto(`${APP}/caches`);
  expect(await page.getByRole('button', { name: /^Clear/ }).count()).toBe(user === 'ray' ? 0 : 1);
  const paths = [...verbs.map((verb) => `${GIT}/${verb}`), '/teams/main/triggers'];
  if (user === 'ray')
    paths.push(
      ...['disable', 'enable', 'trigger'].map((verb) => `${GIT}/versions/${newestVersion()}/${verb}`),
      `${APP}/caches/git.app`,
    );
  for (const path of paths) {
    expect([path, await sendForm(path)]).toEqual([path, 403]);
  }
});
