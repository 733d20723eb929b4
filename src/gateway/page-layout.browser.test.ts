import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { openPerson, openSite } from '#testing/browser/site.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { giveTurns, recordFoundVersions, toSave } from '#testing/stores/stores.ts';

/* Tests where pages put their elements on a desktop and on a phone, also with long names and texts. */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

const APP = '/teams/main/pipelines/app';
const PHONE = { width: 320, height: 640 };
const LONG_NAME = 'a-name-that-is-as-long-as-names-may-be-because-nobody-chose-it';

const INPUTS: Input[] = [
  { name: 'x'.repeat(60), type: 'string', default: '' },
  { name: 'environment', type: 'choice', default: 'dev', options: ['dev', `${LONG_NAME}.example.org`] },
  { name: 'y'.repeat(60), type: 'list', description: 'Where', default: 'eu', options: ['eu', 'us'] },
];

let site: Awaited<ReturnType<typeof openSite<Gateway>>>;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const gated = job(LONG_NAME, getStep('git.app', { trigger: false }), task('test'));
  const jobs = [
    job('unit', getStep('git.app', { trigger: false }), task('test')),
    { ...job('inputs', getStep('git.app', { trigger: false }), task('test')), inputs: INPUTS },
    { ...gated, approval: { label: 'release', approvals: 1, notify: [] } },
  ];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [
    { ref: '3f2a91c', message: 'A message of a commit. '.repeat(60) },
  ]);
  await gateway.account('ann', { teams: { main: 'admin' } });
  const as = await gateway.session('ann');
  for (const name of ['unit', LONG_NAME]) await gateway.ask(`POST ${APP}/jobs/${name}/trigger`, { as });
  await giveTurns(stores);
});
beforeEach(async () => {
  const person = await openPerson(site.browser, ORIGIN);
  ({ page, complaints } = person);
  close = async () => await person.context.close();
  const value = await site.gateway.session('ann');
  const cookie = { name: '__Host-millrace-session', value, domain: new URL(ORIGIN).host, path: '/' };
  await page.context().addCookies([{ ...cookie, secure: true, httpOnly: true }]);
});
afterEach(async () => {
  await close();
  expect(complaints).toEqual([]);
});
afterAll(async () => {
  await site.close();
});

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('The element is not shown.');
  return { ...box, middle: box.y + box.height / 2, bottom: box.y + box.height };
}

/** The content widths of the elements whose content is cut off, because it is wider than they are. */
async function cutWidths(selector: string): Promise<number[]> {
  const widths: [number, number][] = await page
    .locator(selector)
    .evaluateAll((all) =>
      all.map((one: { scrollWidth: number; clientWidth: number }) => [one.scrollWidth, one.clientWidth]),
    );
  return widths.filter(([content, shown]) => content > shown).map(([content]) => content);
}

const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

describe('controls', () => {
  test('of one row are on one line, and a button is as high as its text', async () => {
    await page.goto(`${APP}/jobs/unit`);
    const [label, start] = [
      await boxOf(page.getByText('Check for new versions first')),
      await boxOf(button('Start a build')),
    ];
    expect(Math.abs(label.middle - start.middle)).toBeLessThan(3);
    expect(label.height).toBeLessThan(start.height);
    await page.goto('/profile');
    for (const viewport of [{ width: 1280, height: 720 }, PHONE]) {
      await page.setViewportSize(viewport);
      expect((await boxOf(button('Log out everywhere'))).height).toBeLessThan(45);
    }
  });

  test('with the focus do not cover their labels', async () => {
    await page.context().clearCookies();
    await page.goto('/auth/login');
    await page.getByLabel('Password').focus();
    const outline: string[] = await page.getByLabel('Password').evaluate((field: never) => {
      const { outlineOffset, outlineWidth } = Reflect.get(globalThis, 'getComputedStyle')(field);
      return [outlineOffset, outlineWidth];
    });
    const reach = outline.map(Number.parseFloat).reduce((sum, pixels) => sum + pixels);
    expect(reach).toBeLessThan(4);
  });

  test('that end a build look different from those that let it continue', async () => {
    await page.goto(`${APP}/jobs/${LONG_NAME}/builds/1`);
    const buttons = page.locator('.actions button');
    expect(await buttons.allInnerTexts()).toEqual(['Approve', 'Reject', 'Cancel']);
    const classes = await buttons.evaluateAll((all) =>
      all.map((one: { className: string }) => one.className),
    );
    expect(classes).toEqual(['', 'quiet', 'quiet']);
  });
});

describe('on a phone', () => {
  beforeEach(async () => {
    await page.setViewportSize(PHONE);
  });

  test('a form with long names and long options is as wide as the screen', async () => {
    await page.goto(`${APP}/jobs/inputs`);
    expect(await cutWidths('html')).toEqual([]);
    const [legend, help] = [await boxOf(page.locator('legend')), await boxOf(page.locator('fieldset .help'))];
    expect(help.y).toBeGreaterThanOrEqual(legend.bottom);
  });

  test.each([APP, `${APP}/jobs/unit`, '/teams/main/members', '/profile'])(
    'the tables of %s show every column without scrolling',
    async (path) => {
      await page.goto(path);
      await page.locator('tbody').first().waitFor();
      expect(await cutWidths('.scroll')).toEqual([]);
    },
  );

  test('each value of a row is beside the title of its column', async () => {
    await page.goto(APP);
    const cell = page.locator('tr', { hasText: 'unit' }).first().locator('td').first();
    const title: string = await cell.evaluate(
      (element: never) => Reflect.get(globalThis, 'getComputedStyle')(element, '::before').content,
    );
    expect(title).toContain('Newest build');
  });

  test('the header takes two lines', async () => {
    await page.goto('/profile');
    expect((await boxOf(page.locator('header'))).height).toBeLessThan(90);
  });
});

test('the pipeline shows only the beginning of a long version', async () => {
  await page.goto(APP);
  const row = await boxOf(page.locator('tr', { hasText: 'A message of a commit.' }));
  expect(row.height).toBeLessThan(130);
});
