import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openPool } from '#adapters/database/connection/pool.ts';
import { createLogPartitions, migrate } from '#adapters/database/migrate.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { startPostgres } from '#testing/postgres/postgres-server.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { found, storesOver, toSave } from '#testing/stores/stores.ts';

/*
 * Scheduling decisions for a pipeline with as many due builds as possible: 5,000 jobs that each get 100 new
 * versions, half a million builds. Measures how long its decisions take and how long they block the event
 * loop, which also decides for other pipelines.
 *
 *   node bench/scheduling/flood.ts [--jobs 5000] [--versions 100] [--decisions 20]
 */
const jobs = numberFlag('jobs', 5000);
const versions = numberFlag('versions', 100);
const decisions = numberFlag('decisions', 20);

const server = await startPostgres({ durable: true });
try {
  console.log(`${circumstances()}\n`);
  await migrate(server.url);
  const pool = await openPool(server.url, { maximumConnections: 4 });
  await createLogPartitions(pool, new Date());
  const stores = storesOver({ pool });
  const pipeline = await fill(stores);
  const { took, held, made } = await decide(stores.builds, pipeline);
  const { median, p90 } = summarise(took);
  console.log(
    table(
      ['decisions', 'builds', 'median', 'p90', 'longest', 'event loop held at most'],
      [
        [
          String(took.length),
          String(made),
          `${median.toFixed(0)} ms`,
          `${p90.toFixed(0)} ms`,
          `${Math.max(...took).toFixed(0)} ms`,
          `${held.toFixed(0)} ms`,
        ],
      ],
    ),
  );
  await pool.end();
} finally {
  await server.stop();
}

async function fill(stores: ReturnType<typeof storesOver>): Promise<number> {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const all = Array.from({ length: jobs }, (_, index) => job(`job-${index}`, get('git.app'), task('run')));
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: all })));
  const refs = Array.from({ length: versions }, (_, index) => ({ ref: String(index) }));
  await found(stores, saved, refs);
  return saved.id;
}

async function decide(builds: ReturnType<typeof storesOver>['builds'], pipeline: number) {
  const took: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let made = 0;
  for (let more = true; more && took.length < decisions;) {
    const startedAt = performance.now();
    const answer = await scheduleOn({ builds }, pipeline, new Date());
    took.push(performance.now() - startedAt);
    made += answer.builds.length;
    more = answer.more;
  }
  delay.disable();
  return { took, made, held: delay.max / 1e6 };
}
