import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildReport } from '#e2e/support/build-report.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { golden } from '#testing/jest/golden-file.ts';

/*
 * Services, hooks, attempts, parallel steps, branches, notifications and time limits, run by real Pods. The
 * record and the log of each build are compared with a golden file.
 */

const TEAM = teamName('e2e-tree');
const TESTDATA = join(import.meta.dirname, 'testdata');

beforeAll(async () => {
  await createTeam(TEAM);
  await createPipeline(TEAM, 'tour', readFileSync(join(TESTDATA, 'tree.hcl'), 'utf8'));
}, 600_000);
afterAll(async () => await deleteTeam(TEAM), 600_000);

const api = pipelineApi(TEAM, 'tour');

const report = (job: string, number: string): Promise<string> => buildReport(TEAM, 'tour', job, number);

async function runToEnd(job: string): Promise<string> {
  const { number } = created(await api.trigger(job));
  await buildEnded(TEAM, 'tour', job, number);
  return number;
}

test.each(['tour', 'failing'])(
  'the job %s has the record and the log of its golden file',
  async (job) => {
    const text = await report(job, await runToEnd(job));
    expect(text).toBe(golden(join(TESTDATA, `tree-${job}.txt`), text));
  },
  600_000,
);

test('hooks of a cancelled build run to their end', async () => {
  const { number } = created(await api.trigger('cancelled'));
  await eventually(async () => {
    const log = await api.log('cancelled', number);
    if (!log.includes('ready')) throw new Error(`the step has not begun: ${log}`);
  });
  await api.post(`jobs/cancelled/builds/${number}/cancel`);
  await buildEnded(TEAM, 'tour', 'cancelled', number);
  const text = await report('cancelled', number);
  expect(text).toBe(golden(join(TESTDATA, 'tree-cancelled.txt'), text));
}, 600_000);
