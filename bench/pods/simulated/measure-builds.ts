import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { OWNED_BY_MILLRACE } from '#adapters/kubernetes/manifests/labels.ts';
import { Reflector } from '#adapters/kubernetes/watch/reflector.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { difference, type ApiWrites } from '#bench/api-writes.ts';
import { applyPipelines, pipelineName, taskJob, untilLoaded } from '#bench/pods/installation.ts';
import { secondsByProgram } from '#bench/process-cost.ts';
import { table } from '#bench/table.ts';
import { triggerJob } from '#flows/builds/trigger-job.ts';
import { storesOver } from '#testing/stores/stores.ts';
import type { Installed } from './installed.ts';
import { sharesText } from './measure-checks.ts';
import { BARE } from './stages.ts';

const PIPELINES = 10;
const ROUNDS = 5;
const WARM_UP = 20;
const POLL_MS = 20;
const TIMEOUT_MS = 120_000;

export interface BuildsToMeasure {
  builds: number;
  atOnce: number;
}

interface Workload {
  /** Runs `count` builds or bare Pods; resolves when the last has ended. */
  run(count: number): Promise<void>;
}
interface Tally {
  ms: number;
  writes: ApiWrites;
  /** CPU seconds by program. */
  seconds: Record<string, number>;
}

/** Measures builds in Pods, alternating with bare Pods of the same containers on the same cluster. */
export async function measureBuilds(installed: Installed, load: BuildsToMeasure): Promise<void> {
  const { client, pool } = installed;
  await applyPipelines(client, { count: PIPELINES }, () => taskJob('run'));
  await untilLoaded(pool, PIPELINES, installed.ended);
  const notifications = openNotifications({
    url: installed.databaseUrl,
    pool,
    onError: (error) => console.error(error),
  });
  const builds = buildWorkload(installed, notifications, load.atOnce);
  const spec = await specDuring(builds.run(WARM_UP), installed);
  const bare = await barePodWorkload(installed, spec, load.atOnce);
  await bare.run(WARM_UP);
  const tallies = { builds: emptyTally(), bare: emptyTally() };
  const perRound = Math.ceil(load.builds / ROUNDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await measureRound(builds, perRound, { installed, into: tallies.builds });
    await measureRound(bare, perRound, { installed, into: tallies.bare });
  }
  await bare.stop();
  await notifications.close();
  const total = perRound * ROUNDS;
  const rate = ({ ms }: Tally): number => (total * 1000) / ms;
  const notSucceeded = await pool.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM builds WHERE status <> 'succeeded' OR attempt > 1`);
  const lines = [
    [`builds per second, ${total}, ${load.atOnce} at a time`, rate(tallies.builds).toFixed(1)],
    [`bare Pods per second, ${total}, ${load.atOnce} at a time`, rate(tallies.bare).toFixed(1)],
    ['… ratio', (rate(tallies.builds) / rate(tallies.bare)).toFixed(2)],
    ['builds that did not succeed at the first attempt, warm-up too', String(notSucceeded)],
    ['API writes per build, until its Pod is gone', sharesText(tallies.builds.writes, total)],
    ['API writes per bare Pod, until it is gone', sharesText(tallies.bare.writes, total)],
    ['CPU milliseconds per build', sharesText(inMs(tallies.builds.seconds), total)],
    ['CPU milliseconds per bare Pod', sharesText(inMs(tallies.bare.seconds), total)],
  ];
  console.log(table(['builds of one step', ''], lines));
}

const inMs = (seconds: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(seconds).map(([name, spent]) => [name, spent * 1000]));

const emptyTally = (): Tally => ({ ms: 0, writes: {}, seconds: {} });

async function measureRound(
  workload: Workload,
  count: number,
  { installed, into }: { installed: Installed; into: Tally },
): Promise<void> {
  const before = { writes: await installed.writes(), seconds: secondsByProgram() };
  const startedAt = performance.now();
  await workload.run(count);
  into.ms += performance.now() - startedAt;
  await untilNoPods(installed);
  // Waits for the last status updates.
  await sleep(1500);
  addCounts(into.writes, difference(before.writes, await installed.writes()));
  addCounts(into.seconds, difference(before.seconds, secondsByProgram()));
}

function addCounts(sums: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

/** Triggers builds with the gateway's flow and keeps at most `atOnce` of them open. */
function buildWorkload(
  { pool }: Installed,
  notifications: ReturnType<typeof openNotifications>,
  atOnce: number,
): Workload {
  const { builds } = storesOver({ pool });
  const countEnded = async (): Promise<number> =>
    await pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM builds WHERE ended_at IS NOT NULL`);
  let triggered = 0;
  const trigger = async (): Promise<void> => {
    const job = { ...pipelineName(triggered % PIPELINES), job: 'run' };
    triggered += 1;
    const { answer } = await triggerJob(
      job,
      { by: 'bench' },
      { builds, notifications, now: () => new Date() },
    );
    if (answer !== 'created') throw new Error(`a build was ${answer}`);
  };
  return {
    async run(count) {
      const goal = triggered + count;
      const limit = Date.now() + TIMEOUT_MS;
      for (;;) {
        const done = await countEnded();
        if (done >= goal) return;
        const toTrigger = Math.min(goal, done + atOnce) - triggered;
        await Promise.all(Array.from({ length: Math.max(0, toTrigger) }, trigger));
        if (Date.now() > limit) throw new Error(`${goal - done} of ${count} builds have not ended`);
        await sleep(POLL_MS);
      }
    },
  };
}

/** Returns the spec of a build's Pod, which it finds while `work` creates builds. */
async function specDuring(work: Promise<void>, { client }: Installed): Promise<Wire<V1Pod>['spec']> {
  const findSpec = async (): Promise<Wire<V1Pod>['spec']> => {
    for (;;) {
      const found: Wire<V1Pod>[] = [];
      await client.list(KINDS.pods, { labelSelector: OWNED_BY_MILLRACE }, (pods) => found.push(...pods));
      if (found[0] !== undefined) return found[0].spec;
      await sleep(POLL_MS);
    }
  };
  const [spec] = await Promise.all([findSpec(), work]);
  return spec;
}

async function barePodWorkload(
  { client }: Installed,
  from: Wire<V1Pod>['spec'],
  atOnce: number,
): Promise<Workload & { stop(): Promise<void> }> {
  const { nodeName: _node, tolerations: _tolerations, ...spec } = from ?? { containers: [] };
  const waiting = new Map<string, () => void>();
  const pods = new Reflector(client, {
    kind: KINDS.pods,
    labelSelector: `${BARE.name}=${BARE.value}`,
    project: ({ metadata, status }): CachedObject & { ended: boolean } => {
      const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata ?? {};
      return { namespace, name, uid, resourceVersion, ended: status?.phase === 'Succeeded' };
    },
    changed: ({ object: { name, ended } }) => {
      if (ended) waiting.get(name)?.();
    },
    onProblem: ({ message }) => console.error(message),
  });
  pods.start();
  await pods.synced;
  let created = 0;
  const runBarePod = async (): Promise<void> => {
    const number = created++;
    const name = `bare-${number}`;
    const { team: namespace } = pipelineName(number);
    const ended = new Promise<void>((resolve) => waiting.set(name, resolve));
    const metadata = { name, namespace, labels: { [BARE.name]: BARE.value } };
    orThrow(await client.create(KINDS.pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec }), 'a bare Pod');
    await ended;
    waiting.delete(name);
    orThrow(await client.delete(KINDS.pods, { namespace, name }, { graceSeconds: 0 }), 'deleting a bare Pod');
  };
  return {
    async run(count) {
      const remaining = Array.from({ length: count }).values();
      const lane = async (): Promise<void> => {
        for (const _ of remaining) await runBarePod();
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    stop: async () => await pods.stop(),
  };
}

async function untilNoPods({ client }: Installed): Promise<void> {
  const limit = Date.now() + TIMEOUT_MS;
  for (;;) {
    let left = 0;
    await client.list(KINDS.pods, { metadataOnly: true }, (pods) => (left += pods.length));
    if (left === 0) return;
    if (Date.now() > limit) throw new Error(`${left} Pods are still there`);
    await sleep(200);
  }
}
