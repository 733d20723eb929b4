import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { documentationPicture, PICTURES } from '#e2e/support/documentation-picture.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { baseUrl, request } from '#e2e/support/gateway.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { condition, kubectl } from '#e2e/support/kubectl.ts';
import { pushChange, pushFiles } from '#e2e/support/push-files.ts';
import { get } from '#e2e/support/read-objects.ts';
import { storySteps } from '#e2e/support/story-steps.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { startIsolatedChromium, type IsolatedChromium } from '#testing/browser/isolated-chromium.ts';
import { openPerson, sendSignInForm } from '#testing/browser/site.ts';
import type { ReachableService } from '#tools/demo/reach.ts';

/*
 * The day of a developer in the console, in a real browser: a pipeline from its text to a deployed commit,
 * with an error, a broken commit and a deployment that fails once. With `PICTURES=docs/images` it also takes
 * the pictures of the console for README and docs.
 */
const TEAM = teamName('shop');
const SUFFIX = TEAM.replace('shop', '');
const FORGE = `${TEAM}-forge`;
const USER = `ada${SUFFIX}`;
const FIRST_PASSWORD = 'given by an admin, for one day';
const NEW_PASSWORD = 'five words that ada chose';
const SHOP = `/teams/${TEAM}/pipelines/shop`;

const text = readFileSync('e2e/testdata/shop.hcl', 'utf8').replaceAll('git.forge.svc', `git.${FORGE}.svc`);
const wrongText = text.replace('["lint", "unit"]', '["lint", "unti"]');
const lineOfError = wrongText.slice(0, wrongText.indexOf('"unti"')).split('\n').length;

const FILES = {
  'prices.txt': 'pear 10\nplum 20\ngrape 30\n',
  'test.sh': `#!/bin/sh
total=0
while read -r fruit price; do
  total=$((total + price))
  printf '\\033[32m✓\\033[0m a %s costs %s\\n' "$fruit" "$price"
done < "$1"
[ "$total" = 60 ] && exit
printf '\\033[31m✗ the basket costs %s, not 60\\033[0m\\n' "$total"
exit 1
`,
};

let forge: ReachableService;
let chromium: IsolatedChromium;
let page: Page;
let complaints: string[];
/** Commits: the first, a commit that breaks the job `unit`, and a commit that mends that job. */
let [good, broken, mended] = ['', '', ''];

const push = async (prices: string, message: string): Promise<string> =>
  await pushChange(`${forge.url}/app.git`, { 'prices.txt': prices }, message);

async function send(method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(method, path, { ...headers, body: JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
}

/** Creates a team and an account in it, as an admin of the installation does. */
async function createTeamAndAccount(): Promise<void> {
  await send('POST', '/teams', { name: TEAM, display_name: 'Fruit shop' });
  await eventually(async () => {
    const ready = condition(await get('team', TEAM), 'Ready');
    if (ready.status !== 'True') throw new Error(`team ${TEAM}: ${ready.reason}: ${ready.message}`);
  });
  await send('POST', '/users', { username: USER, full_name: 'Ada', password: FIRST_PASSWORD });
  await send('POST', `/teams/${TEAM}/members`, { username: USER, role: 'maintain' });
}

/** Creates more pipelines if pictures are taken, because a picture of the overview should show several. */
async function addPipelines(): Promise<void> {
  if (PICTURES === undefined) return;
  const withoutDeploy = text.slice(0, text.indexOf('job "deploy"'));
  await send('POST', `/teams/${TEAM}/pipelines`, { name: 'checkout', config: text });
  await send('POST', `/teams/${TEAM}/pipelines`, { name: 'website', config: withoutDeploy });
}

beforeAll(async () => {
  await createTeamAndAccount();
  forge = await startGitServer(FORGE, ['manifests']);
  good = await pushFiles(`${forge.url}/app.git`, FILES);
  await pushFiles(`${forge.url}/manifests.git`, { 'shop.yaml': 'replicas: 2\n' });
  chromium = await startIsolatedChromium(await baseUrl());
  ({ page, complaints } = await openPerson(chromium.browser, chromium.origin, {
    viewport: { width: 1160, height: 960 },
    deviceScaleFactor: PICTURES === undefined ? 1 : 2,
  }));
}, 600_000);

afterAll(async () => {
  await chromium.close();
  forge.close();
  await deleteTeam(TEAM);
  await request('DELETE', `/users/${USER}`);
  await kubectl('delete', 'namespace', FORGE, '--wait=false');
}, 600_000);

const pressButton = async (name: string | RegExp): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).click();
const followLink = async (name: string, within: Locator = page.locator('body')): Promise<void> =>
  await within.getByRole('link', { name, exact: true }).click();
const region = (name: string): Locator => page.getByRole('region', { name, exact: true });
const breadcrumbs = (): Locator => page.getByRole('navigation', { name: 'Where this is' });
/** A node of the graph, by its label, such as `unit: failed`. */
const node = (name: string | RegExp): Locator =>
  page.locator('#graph').getByRole('link', { name, exact: true });
const status = (words: string): Locator => page.locator('#status').filter({ hasText: words });
const versionOf = (ref: string): Locator => page.locator('.resource-version').filter({ hasText: ref });

const takePicture = async (name: string): Promise<void> => await documentationPicture(page, name, SUFFIX);

/** Expects no complaints of the browser and no accessibility problems of the page. */
async function expectNoProblems(): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(complaints).toEqual([]);
}

/** Fails if the page is loaded again during `work`. */
async function withoutLoading(work: () => Promise<void>): Promise<void> {
  await page.evaluate('window.isSameDocument = true');
  await work();
  expect(await page.evaluate('window.isSameDocument')).toBe(true);
}

/** Requests a check, and waits until the page shows this commit. */
async function checkFor(ref: string): Promise<void> {
  await page.goto(`${SHOP}/resources/git.app`);
  await withoutLoading(async () => {
    await pressButton('Check now');
    await versionOf(ref).waitFor();
  });
  await followLink('shop', breadcrumbs());
}

const step = storySteps();

describe('a day with the console', () => {
  step('begins with the password that an admin gave, and a new one', async () => {
    await page.goto('/');
    await sendSignInForm(page, USER, FIRST_PASSWORD);
    await page.waitForURL('**/profile/password');
    await page.getByLabel('Current password').fill(FIRST_PASSWORD);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await pressButton('Change the password');
    await page.waitForURL('**/profile');
    await followLink('Millrace');
    await followLink('Fruit shop');
    await page.getByText('no pipelines yet').waitFor();
    await expectNoProblems();
  });

  step('a pasted pipeline shows its error at the line, and typing corrects it', async () => {
    await page.locator('.tools').getByRole('link', { name: 'New pipeline' }).click();
    await page.locator('#editor[data-rendered]').waitFor();
    await page.getByLabel('Name').fill('shop');
    const editor = page.getByRole('textbox', { name: 'Text of the pipeline' });
    await editor.focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(wrongText);
    const problems = region('Problems');
    await problems.getByText('there is no job "unti"; did you mean "unit"?').waitFor();
    await problems.getByRole('button', { name: `line ${lineOfError}, column` }).click();
    await page.locator('.cm-activeLine').filter({ hasText: '"unti"' }).waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await editor.focus();
    for (const _ of '"unti"') await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.insertText('"unit"');
    await problems.getByText('The text is valid.').waitFor();
    await page.getByRole('img', { name: 'Graph of the text' }).waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await problems.getByText('there is no job "unti"').waitFor();
    await page.getByRole('img', { name: 'Graph of the last valid text' }).waitFor();
    await takePicture('console-editor');
    await expectNoProblems();
    await editor.focus();
    await page.keyboard.press('ControlOrMeta+y');
    await problems.getByText('The text is valid.').waitFor();
  });

  step('the saved pipeline builds the first commit, and its graph goes green by itself', async () => {
    await pressButton('Create the pipeline');
    const outcome = page.locator('.editor-main').getByRole('status');
    await eventually(async () => expect(await outcome.innerText()).toContain('the pipeline runs it'));
    await followLink('Open the pipeline');
    await page.waitForURL(`**${SHOP}`);
    await withoutLoading(async () => {
      for (const job of ['lint', 'unit', 'package']) await node(`${job}: succeeded`).waitFor();
      await node('deploy: waiting for approval').waitFor();
    });
    await addPipelines();
  });

  step('a commit breaks a job, and the graph shows which one', async () => {
    broken = await push(FILES['prices.txt'].replace('30', '31'), 'Raise the price of grapes');
    await checkFor(broken);
    await withoutLoading(async () => {
      await node('unit: failed').waitFor();
      await page.locator('#graph a[href$="/jobs/lint/builds/2"]').waitFor();
      await node('lint: succeeded').waitFor();
      // The table shows the new build shortly after the graph.
      await page.getByRole('row', { name: /^lint 2 .*succeeded/ }).waitFor();
    });
    const deploy = page.getByRole('row', { name: /^deploy 1 .*waiting/ });
    expect(await deploy.innerText()).toContain('Waiting for approval');
    await takePicture('console-pipeline');
    await expectNoProblems();
  });

  step('the build says which step failed, why, and which commit is new', async () => {
    await node('unit: failed').click();
    await page.waitForURL(`**${SHOP}/jobs/unit/builds/2`);
    await status('failed').waitFor();
    await page.locator('#log').getByText('✗ the basket costs 61, not 60').waitFor();
    const steps = region('Steps').locator('.build-step');
    expect((await steps.allInnerTexts()).map((line) => line.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      'get git.app succeeded',
      'task prepare succeeded',
      'task test failed',
    ]);
    const changes = region('What changed since the last good build');
    expect(await changes.locator('li').allInnerTexts()).toEqual([expect.stringContaining(`ref: ${broken}`)]);
    await changes.getByRole('link', { name: 'build 1' }).waitFor();
    expect(await region('Where time went').getByRole('rowheader').allInnerTexts()).toContain('task test');
    await takePicture('console-build');
    await expectNoProblems();
  });

  step('the good version, pinned, is built again', async () => {
    await followLink('git.app', region('Inputs'));
    const version = versionOf(good);
    await version.getByText('Pin', { exact: true }).click();
    await version.getByLabel('Why').fill('The price of grapes is wrong');
    await version.getByRole('button', { name: /^Pin to version/ }).click();
    await region('Pin').getByText('The price of grapes is wrong').waitFor();
    await followLink('shop', breadcrumbs());
    await pressButton('Start a build of unit');
    await page.waitForURL(`**${SHOP}/jobs/unit/builds/3`);
    await withoutLoading(async () => await status('succeeded').waitFor());
    expect(await region('Inputs').innerText()).toContain(`ref: ${good}`);
    expect(complaints).toEqual([]);
  });

  step('after the pin is removed, the next commit passes every job up to the approval', async () => {
    await followLink('git.app', region('Inputs'));
    await pressButton('Unpin');
    await region('Pin').waitFor({ state: 'detached' });
    mended = await push(FILES['prices.txt'], 'Take back the price of grapes');
    await checkFor(mended);
    await withoutLoading(async () => {
      await page.locator('#graph a[href$="/jobs/deploy/builds/2"]').waitFor();
      await node(/^deploy: waiting for approval/).waitFor();
    });
  });

  step('the approved deployment fails, and succeeds when it is tried again', async () => {
    await node(/^deploy: waiting for approval/).click();
    await page.waitForURL(`**${SHOP}/jobs/deploy/builds/2`);
    expect(await region('Approval').innerText()).toContain('0 of 1 person has approved.');
    await withoutLoading(async () => {
      await pressButton('Approve');
      await status('failed').waitFor();
      await page.locator('#log').getByText('shop.example.org does not answer').waitFor();
    });
    expect(await region('Approval').locator('li').innerText()).toMatch(new RegExp(`^${USER}\\s+approved`));
    await pressButton('Retry');
    await page.waitForURL(`**${SHOP}/jobs/deploy/builds/2.1`);
    await withoutLoading(async () => {
      await status('succeeded').waitFor();
      await page.locator('#log').getByText(`shop.example.org runs ${mended}`).waitFor();
    });
    expect(complaints).toEqual([]);
  });

  step('the commit leads to every build that took it', async () => {
    await followLink('git.app', region('Inputs'));
    await page.getByLabel('Find versions with this text').pressSequentially(mended.slice(0, 10));
    await page.waitForURL(`**?text=${mended.slice(0, 10)}`);
    await versionOf(good).waitFor({ state: 'detached' });
    expect(await page.locator('.resource-version').count()).toBe(1);
    await page.getByRole('link', { name: /^Path of version/ }).click();
    const rows = page.getByRole('table').locator('tbody tr');
    await rows.last().getByRole('link', { name: '2.1', exact: true }).waitFor();
    expect((await rows.allInnerTexts()).map((row) => row.split(/\s/)[0])).toEqual([
      'lint',
      'unit',
      'package',
      'deploy',
    ]);
    await followLink('shop', breadcrumbs());
    await page.getByLabel('Follow a version of').selectOption('git.app');
    const choice = page
      .getByLabel('Version of git.app')
      .locator('option')
      .filter({ hasText: mended.slice(0, 7) });
    await page.getByLabel('Version of git.app').selectOption(await choice.getAttribute('value'));
    await page.locator('.graph-note').filter({ hasText: 'built by 4 of 4 jobs' }).waitFor();
    await takePicture('console-version');
    await expectNoProblems();
    await page.goto('/teams');
    await page.locator('#overview[data-rendered]').waitFor();
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
    for (const picture of await page.locator('.overview-picture img').all())
      await picture.evaluate(async (image: { decode(): Promise<void> }) => await image.decode());
    await takePicture('console-overview');
    await expectNoProblems();
  });

  step('after signing out, nothing is left but what the public may see', async () => {
    await pressButton('Log out');
    await page.waitForURL('**/auth/login');
    for (const path of ['/teams', SHOP, `${SHOP}/jobs/unit/builds/2`]) {
      await page.goto(path);
      expect(new URL(page.url()).pathname).toBe('/auth/login');
    }
    await send('PUT', SHOP, { public: true });
    await eventually(async () => {
      await page.goto(SHOP);
      expect(new URL(page.url()).pathname).toBe(SHOP);
    });
    await node('deploy: succeeded').waitFor();
    expect(await page.getByRole('button', { name: /Start|Check|Pause|Log out/ }).count()).toBe(0);
    await node('unit: succeeded').click();
    await page.waitForURL(`**${SHOP}/jobs/unit/builds/4`);
    expect(await page.locator('#log').count()).toBe(0);
    expect(await page.content()).not.toContain(mended);
    await expectNoProblems();
  });
});
