import type { Page } from 'playwright-core';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { openPerson, openSite } from '#testing/browser/site.ts';
import { openGateway, ORIGIN } from '#testing/gateway/gateway-under-test.ts';
import setUpPostgres from '#testing/jest/start-postgres.ts';
import tearDownPostgres from '#testing/jest/stop-postgres.ts';
import { wholeLargePipeline } from '#testing/pipelines/large-pipeline.ts';
import { toSave } from '#testing/stores/stores.ts';

/*
 * How long the page of a pipeline takes until its graph reacts to a key, with Postgres, Chromium and the
 * gateway's server in this process (docs/benchmarks.md):
 *
 *   node bench/graphs/live-graph.ts [--runs 10]      make bench-live-graph
 */
const runs = numberFlag('runs', 10);
/** About how many nodes the graph of a pipeline has; about half of them are jobs. */
const SIZES = [100, 1000];
const AIM_MS = 1000;
const PASSWORD = 'correct horse battery';

/** Milliseconds from the start of the navigation. */
interface PageTimes {
  /** Until the page has a node. */
  ready: number;
  /** Until the browser has painted the graph that a key zoomed. */
  answered: number;
}

/** Zooms as soon as the page has a node, and waits until the browser has painted the zoomed graph. */
const ZOOM = `
  new Promise((resolve) => {
    const find = () => {
      const item = document.querySelector('.graph-item');
      if (item === null) return requestAnimationFrame(find);
      const ready = performance.now();
      const layer = document.querySelector('.graph-canvas > g');
      const before = layer.getAttribute('transform');
      item.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }));
      const answered = () => {
        if (layer.getAttribute('transform') === before) return requestAnimationFrame(answered);
        requestAnimationFrame(() => setTimeout(() => resolve({ ready, answered: performance.now() })));
      };
      answered();
    };
    find();
  })`;

async function measurePage(page: Page, path: string): Promise<PageTimes> {
  await page.goto('about:blank');
  await page.goto(path, { waitUntil: 'commit' });
  return await page.evaluate<PageTimes>(ZOOM);
}

async function measure(): Promise<void> {
  console.log(`${circumstances()}\n`);
  await setUpPostgres();
  const site = await openSite(ORIGIN, openGateway);
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await gateway.account('ann', { teams: { main: 'maintain' }, password: PASSWORD });
  const { page, context } = await openPerson(site.browser, ORIGIN);
  await page.goto('/auth/login');
  await page.getByLabel('Username').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/teams');
  const rows: string[][] = [];
  for (const size of SIZES) {
    const definition = wholeLargePipeline(size);
    const pipeline = `nodes-${size}`;
    await stores.pipelines.savePipeline(toSave(definition, { pipeline, uid: pipeline }));
    const path = `/teams/main/pipelines/${pipeline}`;
    const first = await measurePage(page, path);
    const measured: PageTimes[] = [];
    for (let run = 0; run < runs; run += 1) measured.push(await measurePage(page, path));
    rows.push(...rowsOf(`${definition.jobs.length} jobs`, first, measured));
  }
  await context.close();
  await site.close();
  await tearDownPostgres();
  console.log(table(['Measure', 'Median, p90', 'Aim'], rows));
  console.log(`\n${circumstances()}`);
}

function rowsOf(jobs: string, first: PageTimes, measured: readonly PageTimes[]): string[][] {
  const [ready, answered] = (['ready', 'answered'] as const).map((moment) =>
    summarise(measured.map((times) => times[moment])),
  );
  if (ready === undefined || answered === undefined) return [];
  const medianAndP90 = ({ median, p90 }: typeof ready): string =>
    `${median.toFixed(0)} ms, ${p90.toFixed(0)} ms`;
  const aim = `≤ ${AIM_MS} ms${answered.median > AIM_MS ? ': **missed**' : ''}`;
  return [
    [`${jobs}: navigation → the page has a node`, medianAndP90(ready), ''],
    [`${jobs}: navigation → the answer to a key is painted`, medianAndP90(answered), aim],
    [`… the very first time, with its layout`, `${first.answered.toFixed(0)} ms`, ''],
  ];
}

await measure();
