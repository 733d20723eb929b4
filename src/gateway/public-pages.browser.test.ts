import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { FRESH_MS } from '#flows/views/pipeline-lookup.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { plantSecrets } from '#testing/pipelines/pipeline-with-secrets.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { writeHistoryWithSecrets } from '#testing/stores/history-with-secrets.ts';
import { toSave } from '#testing/stores/stores.ts';

/*
 * What the public sees in a browser. If PICTURES names a folder, the test stores screenshots of every page.
 */
const APP = '/teams/main/pipelines/app';
const { secret, word } = plantSecrets();

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  await site.stores.teams.saveTeam({ name: 'main', namespace: 'main', displayName: 'Main team' });
  const saved = await savePipeline(true);
  await writeHistoryWithSecrets(site.stores, saved, secret);
  await site.gateway.account('ann', { teams: { main: 'write' }, password: 'correct horse battery' });
});
afterAll(async () => {
  await site.close();
});

const savePipeline = async (isPublic: boolean) =>
  await site.stores.pipelines.savePipeline(
    toSave(
      samplePipeline({
        jobs: [
          job('unit', getStep('git.app', { trigger: false }), task('test')),
          job('publish', getStep('git.app', { passed: ['unit'] }), task('push')),
        ],
      }),
      { public: isPublic },
    ),
  );

/** Expects no accessibility problem, no secret of members, and no form. */
async function expectPublicPage(page: Page): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.content()).not.toContain(word);
  expect(await page.locator('form').count()).toBe(0);
}

test('anyone can follow a public pipeline, and is sent to sign in once it is private', async () => {
  const { page, context, complaints } = await openPerson(site.browser, ORIGIN);
  const headingText = async (): Promise<string> => await page.locator('h1').innerText();
  await page.goto(APP);
  expect(await headingText()).toBe('app');
  await page
    .locator('#graph')
    .getByRole('link', { name: /^unit: / })
    .waitFor();
  expect(await page.getByLabel('Follow a version of').count()).toBe(0);
  await expectPublicPage(page);
  await takePictures(page, 'public-pipeline');

  const as = await site.gateway.session('ann');
  // Another viewer requests the page just before the change, so the cached answer is as new as possible.
  await sleep(FRESH_MS);
  await site.gateway.ask(`GET ${APP}`);
  await site.gateway.ask(`POST ${APP}/jobs/publish/pause`, { as });
  await page.locator('#live .tag.paused').waitFor();

  await page.getByRole('link', { name: 'unit', exact: true }).click();
  await page.waitForURL(`**${APP}/jobs/unit/builds`);
  await expectPublicPage(page);
  await takePictures(page, 'public-job');
  await page.getByRole('link', { name: '1', exact: true }).click();
  await page.waitForURL(`**${APP}/jobs/unit/builds/1`);
  expect(await page.locator('#status').innerText()).toContain('failed');
  expect(await page.locator('ol.rows').innerText()).toContain('test');
  expect(await page.locator('#log').count()).toBe(0);
  await expectPublicPage(page);
  await takePictures(page, 'public-build');
  await page.getByRole('link', { name: 'app', exact: true }).click();
  await page.getByRole('link', { name: 'git.app', exact: true }).click();
  await page.waitForURL(`**${APP}/resources/git.app`);
  await expectPublicPage(page);
  await takePictures(page, 'public-resource');

  await page.goto(APP);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await sendSignInForm(page, 'ann', 'correct horse battery');
  await page.waitForURL(`**${APP}`);
  await page.getByRole('button', { name: 'Start a build of unit' }).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL('**/auth/login');

  await page.goto(APP);
  expect(await headingText()).toBe('app');
  await savePipeline(false);
  await page.waitForURL('**/auth/login?return_to=*');
  await page.goto(`${APP}/jobs/unit/builds/1`);
  expect(await headingText()).toBe('Sign in');
  expect(complaints).toEqual([]);
  await context.close();
});
