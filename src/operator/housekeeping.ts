import { teamRules } from '#adapters/kubernetes/manifests/team-rules.ts';
import type { ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import { limitLogs } from '#flows/builds/limit-logs.ts';
import { removeForgottenShells } from '#flows/builds/remove-forgotten-shells.ts';
import { recordWorkers } from '#flows/people/record-workers.ts';
import { removeCaches } from '#flows/pipelines/remove-caches.ts';
import { removeOrphans } from '#flows/pipelines/remove-orphans.ts';
import { retainHistory } from '#flows/retention/retain-history.ts';
import type { Leadership } from './lead.ts';
import type { Reconciling } from './reconcile.ts';
import { AFTER_FAILURE_MS, endingOf } from './work-queue.ts';

/** How often each kind of housekeeping runs. */
export const HOUSEKEEPING_MS = {
  orphans: 60_000,
  caches: 60_000,
  retain: 300_000,
  logs: 60_000,
  workers: 15_000,
};

/** Periodic work that no build waits for. */
export function housekeeping(
  leadership: Leadership,
  reconciling: Reconciling,
): Record<keyof typeof HOUSEKEEPING_MS, () => Promise<ReconcileResult>> {
  return {
    orphans: async () => await stopOrphans(leadership, reconciling),
    caches: async () => await cleanCaches(leadership, reconciling),
    retain: async () => await cleanHistoryAndShells(leadership),
    logs: async () => await cleanLogs(leadership, reconciling),
    workers: async () => await countWorkers(leadership, reconciling),
  };
}

async function stopOrphans(
  { database, log }: Leadership,
  { informers }: Reconciling,
): Promise<ReconcileResult> {
  const { pipelines: store, notifications } = database;
  const removed = await removeOrphans({
    store,
    notifications,
    exists: (namespace, name) => informers.pipelines.store.get(`${namespace}/${name}`) !== undefined,
  });
  if (removed.length > 0) log.warn({ removed }, 'pipelines without an object were stopped');
  return 'done';
}

async function cleanCaches(
  { database, log }: Leadership,
  { cacheClaims: claims }: Reconciling,
): Promise<ReconcileResult> {
  const removed = await removeCaches({ caches: database.removableCaches, claims });
  if (removed.length > 0) log.info({ removed }, 'volumes of caches were removed');
  return 'done';
}

async function cleanHistoryAndShells({
  database: { retention, debug },
  log,
}: Leadership): Promise<ReconcileResult> {
  await removeForgottenShells({ debug, now });
  const { removed, more } = await retainHistory({ retention, elapsed: () => performance.now() });
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'old history was removed');
  return more ? { requeueAfterMs: AFTER_FAILURE_MS } : 'done';
}

async function cleanLogs(leadership: Leadership, reconciling: Reconciling): Promise<ReconcileResult> {
  const { database, metrics, log } = leadership;
  const { fills, bytes, removed, failures } = await limitLogs(reconciling.teamLogs(), database.logs);
  reconciling.logsCounted(fills);
  metrics.logs({ bytes, fills: [...fills.values()] });
  for (const [team, builds] of removed) log.info({ team, builds }, 'the oldest logs of a team were removed');
  return endingOf(leadership, 'the logs of a team could not be counted', failures);
}

async function countWorkers({ database }: Leadership, { informers }: Reconciling): Promise<ReconcileResult> {
  await recordWorkers({
    teams: () => [...informers.teams.store.values()].map(({ name, spec }) => teamRules(name, spec)),
    nodes: () => informers.clusterNodes(),
    store: database.workers,
  });
  return 'done';
}

const now = (): Date => new Date();
