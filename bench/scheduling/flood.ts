import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { createLogPartitions, migrate } from '#adapters/database/migrate.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, storesOver, toSave } from '#testing/stores/stores.ts';

/*
 * Scheduling decisions for a pipeline with very many due builds: 5,000 jobs that each get 100 new versions,
 * half a million builds. Measures how long at most `--decisions` decisions take and how long they block the
 * event loop, which in the operator also decides for other pipelines.
 *
 *   node bench/scheduling/flood.ts [--jobs 5000] [--versions 100] [--decisions 20] [--earlier 0]
 *
 * `--earlier 12` first decides twelve times on a pipeline of one job, over the same connection, so that
 * Postgres has plans from a nearly empty database (ADR 0091).
 */
const jobs = numberFlag('jobs', 5000);
const versions = numberFlag('versions', 100);
const decisions = numberFlag('decisions', 20);
const earlier = numberFlag('earlier', 0, 0);

const server = await startPostgres({ durable: true });
try {
  console.log(`${circumstances()}\n`);
  await migrate(server.url);
  const pool = await openPool(server.url, { maximumConnections: earlier > 0 ? 1 : 4 });
  await createLogPartitions(pool, new Date());
  const stores = storesOver({ pool });
  if (earlier > 0) await decideEarlier(stores, pool);
  const pipeline = await fill(stores);
  const { durations, longestBlockMs, builtCount } = await decide(stores.builds, pipeline);
  const { median, p90 } = summarise(durations);
  console.log(
    table(
      ['decisions', 'builds', 'median', 'p90', 'longest', 'event loop held at most'],
      [
        [
          String(durations.length),
          String(builtCount),
          `${median.toFixed(0)} ms`,
          `${p90.toFixed(0)} ms`,
          `${Math.max(...durations).toFixed(0)} ms`,
          `${longestBlockMs.toFixed(0)} ms`,
        ],
      ],
    ),
  );
  await pool.end();
} finally {
  await server.stop();
}

async function decideEarlier(stores: ReturnType<typeof storesOver>, pool: DatabasePool): Promise<void> {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const definition = samplePipeline({ jobs: [job('job', get('git.app'), task('run'))] });
  const small = { pipeline: 'small', uid: 'small' };
  const saved = await stores.pipelines.savePipeline(toSave(definition, small));
  await recordFoundVersions(stores, saved, [{ ref: 'first' }]);
  for (let count = 0; count < earlier; count += 1) {
    await pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    await scheduleOn(stores, saved.id, new Date());
  }
}

async function fill(stores: ReturnType<typeof storesOver>): Promise<number> {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const allJobs = Array.from({ length: jobs }, (_, index) =>
    job(`job-${index}`, get('git.app'), task('run')),
  );
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: allJobs })));
  const refs = Array.from({ length: versions }, (_, index) => ({ ref: String(index) }));
  await recordFoundVersions(stores, saved, refs);
  return saved.id;
}

async function decide(builds: ReturnType<typeof storesOver>['builds'], pipeline: number) {
  const durations: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let builtCount = 0;
  let more = true;
  while (more && durations.length < decisions) {
    const startedAt = performance.now();
    const answer = await scheduleOn({ builds }, pipeline, new Date());
    durations.push(performance.now() - startedAt);
    builtCount += answer.builds.length;
    ({ more } = answer);
  }
  delay.disable();
  return { durations, builtCount, longestBlockMs: delay.max / 1e6 };
}
