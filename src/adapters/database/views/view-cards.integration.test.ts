import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { CardRow, CardStore } from '#flows/views/card-ports.ts';
import { job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { cardStore } from './view-cards.ts';

let stores: TestStores;
let cards: CardStore;

beforeAll(async () => {
  stores = await openStores();
  cards = cardStore(stores.pool);
});
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  for (const name of ['main', 'web']) await stores.teams.saveTeam({ name, namespace: name });
});

const JOBS = ['unit', 'lint', 'deploy'];

async function save(team: string, pipeline: string): Promise<number> {
  const definition = samplePipeline({ jobs: JOBS.map((name) => job(name, task('test'))) });
  const { id } = await stores.pipelines.savePipeline(
    toSave(definition, { team, pipeline, namespace: team, uid: `${team}-${pipeline}` }),
  );
  return id;
}

interface Build {
  job: string;
  /** `7` or `7.1`. */
  number: string;
  status: string;
  /** The minute when it ended; running and waiting builds have none. */
  ended?: number;
}
const minute = (at: number): string => `2026-11-26T10:${String(at).padStart(2, '0')}:00.000Z`;

async function insert(pipeline: number, builds: Build[]): Promise<void> {
  for (const { job: name, number, status, ended } of builds) {
    const [base = '', retry = '0'] = number.split('.');
    const endedAt = ended === undefined ? null : minute(ended);
    await stores.pool.query(rows()`
      INSERT INTO builds (job_id, revision_id, number, retry, cause, created_at, status, wants_pod, ended_at, gate)
      SELECT j.id, r.id, ${Number(base)}, ${Number(retry)}, '{}', ${minute(0)}, ${status}, false, ${endedAt},
        CASE WHEN ${status} = 'waiting' THEN '{"approvals": 1}'::jsonb END
      FROM jobs j JOIN revisions r ON r.pipeline_id = j.pipeline_id
      WHERE j.pipeline_id = ${pipeline} AND j.name = ${name}`);
  }
}

const onlyCard = async (): Promise<CardRow | undefined> => (await cards.cardRows(['main'], 10))[0];

describe('the state of a pipeline', () => {
  test('without builds has only its jobs', async () => {
    const id = await save('main', 'app');
    expect(await onlyCard()).toEqual({
      id,
      team: 'main',
      name: 'app',
      public: false,
      paused: false,
      jobs: 3,
      pausedJobs: 0,
      outcomes: { succeeded: 0, failed: 0, cancelled: 0, warning: 0 },
      running: 0,
      waiting: 0,
    });
  });

  test('has the outcome of each job by the newest number, then by the newest retry', async () => {
    const id = await save('main', 'app');
    await insert(id, [
      { job: 'unit', number: '9', status: 'failed', ended: 1 },
      { job: 'unit', number: '10', status: 'succeeded', ended: 2 },
      { job: 'unit', number: '9.1', status: 'failed', ended: 3 },
      { job: 'lint', number: '4', status: 'failed', ended: 4 },
      { job: 'lint', number: '4.1', status: 'warning', ended: 5 },
      { job: 'deploy', number: '1', status: 'cancelled', ended: 6 },
    ]);
    expect(await onlyCard()).toMatchObject({
      outcomes: { succeeded: 1, failed: 0, cancelled: 1, warning: 1 },
      newest: { job: 'deploy', number: '1', at: minute(6) },
    });
  });

  test('names the newest failure, and the newest build', async () => {
    const id = await save('main', 'app');
    await insert(id, [
      { job: 'unit', number: '2', status: 'failed', ended: 30 },
      { job: 'lint', number: '3.1', status: 'failed', ended: 40 },
      { job: 'deploy', number: '5', status: 'failed', ended: 20 },
      { job: 'deploy', number: '6', status: 'started' },
    ]);
    expect(await onlyCard()).toMatchObject({
      outcomes: { failed: 3 },
      failure: { job: 'lint', number: '3.1', at: minute(40) },
      newest: { job: 'deploy', number: '6', at: minute(0) },
      running: 1,
    });
  });

  test('counts builds that run and that wait, and leaves out how paused jobs ended', async () => {
    const id = await save('main', 'app');
    await insert(id, [
      { job: 'unit', number: '1', status: 'failed', ended: 1 },
      { job: 'lint', number: '1', status: 'started' },
      { job: 'lint', number: '2', status: 'started' },
      { job: 'lint', number: '3', status: 'pending' },
      { job: 'deploy', number: '1', status: 'waiting' },
    ]);
    await stores.actions.pauseJob({ team: 'main', pipeline: 'app', job: 'unit' }, 'ann');
    const state = await onlyCard();
    expect(state).toMatchObject({ pausedJobs: 1, outcomes: { failed: 0 }, running: 2, waiting: 2 });
    expect(state?.failure).toBeUndefined();
  });
});

const ids = async (...query: Parameters<CardStore['cardRows']>): Promise<number[]> =>
  (await cards.cardRows(...query)).map(({ id }) => id);

test('the given teams and pipelines have their cards in order of names, up to a limit per team', async () => {
  const other = await save('web', 'a');
  const [second, first] = [await save('main', 'c'), await save('main', 'b')];
  expect(await ids(['web', 'main', 'none'], 10)).toEqual([first, second, other]);
  expect(await ids(['main', 'web'], 1)).toEqual([first, other]);
  expect(await ids(['main'], 10, [other, second])).toEqual([second]);
  expect(await ids([], 10)).toEqual([]);
});

test('teams are listed with the number of their pipelines', async () => {
  await save('web', 'a');
  const main = { name: 'main', pipelines: 0 };
  const web = { name: 'web', pipelines: 1 };
  expect(await cards.cardTeams('all')).toEqual([main, web]);
  expect(await cards.cardTeams(['web', 'none'])).toEqual([web]);
});
