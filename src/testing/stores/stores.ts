import { buildStore } from '#adapters/database/builds/build-store.ts';
import { sessionStore } from '#adapters/database/builds/session-store.ts';
import { warmPodStore } from '#adapters/database/builds/warm-pods.ts';
import { cacheStore } from '#adapters/database/caches/cache-store.ts';
import { checkStore } from '#adapters/database/checks/check-store.ts';
import { leaderStore } from '#adapters/database/connection/leader-store.ts';
import { openPool, rows, type Database } from '#adapters/database/connection/pool.ts';
import { createLogPartitions } from '#adapters/database/migrate.ts';
import { accessStores } from '#adapters/database/people/access-stores.ts';
import { teamStore } from '#adapters/database/people/team-store.ts';
import { workerStore } from '#adapters/database/people/team-workers.ts';
import { actionStore } from '#adapters/database/pipelines/action-store.ts';
import { pipelineCaches, removableCaches } from '#adapters/database/pipelines/cache-rows.ts';
import { debugStore } from '#adapters/database/pipelines/debug-store.ts';
import { identityKeyStore } from '#adapters/database/pipelines/identity-key-store.ts';
import { pipelineStore } from '#adapters/database/pipelines/pipeline-store.ts';
import { renameRequests } from '#adapters/database/pipelines/rename-pipeline.ts';
import { secretStore } from '#adapters/database/pipelines/secret-store.ts';
import { logStore } from '#adapters/database/retention/log-store.ts';
import { retentionStore } from '#adapters/database/retention/retention-store.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import { showStore } from '#adapters/database/views/show-store.ts';
import { triggerStreams } from '#adapters/database/views/trigger-streams.ts';
import { viewStore } from '#adapters/database/views/view-store.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import { giveTurnsToTeam } from '#flows/builds/give-turns.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import { openRun, openRunForPod } from '#flows/checks/claim-checks.ts';
import type { CheckCause, CheckOutcome, CheckStore } from '#flows/checks/ports.ts';
import { closeRun, recordCheck } from '#flows/checks/record-check.ts';
import type { PipelineName, ResourceName } from '#flows/names.ts';
import { removeSavedTeam, saveTeam } from '#flows/people/save-team.ts';
import type { TeamStore, TeamToSave } from '#flows/people/team-ports.ts';
import { pipelineFacts } from '#flows/pipelines/pipeline-facts.ts';
import type { PipelineStore, PipelineToSave } from '#flows/pipelines/ports.ts';
import { regenerateWebhook } from '#flows/pipelines/regenerate-webhook.ts';
import { savePipeline } from '#flows/pipelines/save-pipeline.ts';
import { completeViews } from '#flows/views/complete-views.ts';
import { makeDatabase } from '#testing/postgres/test-database.ts';
import { actionsOver } from './actions.ts';
import { followOn, stateOn } from './schedule.ts';

export const WEBHOOK_KEY = Buffer.from('a key for tests only, 32 bytes..');

export type TestStores = Awaited<ReturnType<typeof openStores>>;

const MAX_ATTEMPTS = 10;

/**
 * Repeats work that deadlocks: an operator of the test may still write, and it locks rows in another order
 * than TRUNCATE locks tables.
 */
async function repeatOnDeadlock(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!String(error).includes('deadlock detected') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** All stores over a new database. */
export async function openStores() {
  const database = await makeDatabase();
  const pool = await openPool(database.url, { maximumConnections: 20 });
  await createLogPartitions(pool, new Date());
  return {
    url: database.url,
    pool,
    ...storesOver({ pool }),
    /**
     * Empties the tables below and all tables that refer to them, which is faster than a new database. Ids
     * continue, so no new row has an id that a store has cached.
     */
    async empty() {
      await repeatOnDeadlock(async () => {
        await pool.query(
          rows()`TRUNCATE teams, pipelines, check_scopes, builds, versions, build_logs, users, audit_log,
            sign_in_failures, oauth_providers CASCADE`,
        );
      });
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

export function storesOver(connections: Database) {
  const database = { ...connections, definitions: cachedDefinitions(), webhookKey: WEBHOOK_KEY };
  const teams = teamStore(database);
  const builds = buildStore(database);
  const actions = actionStore(database);
  return {
    teams: { ...teams, ...teamFlows(teams) },
    workers: workerStore(database),
    pipelines: pipelinesOver(pipelineStore(database)),
    checks: checksOver(checkStore(database)),
    streams: triggerStreams(database),
    builds,
    debug: debugStore(database),
    caches: cacheStore(database),
    warmPods: warmPodStore(database),
    removableCaches: removableCaches(database),
    actions: { ...actions, ...actionFlows(actions, builds) },
    sessions: sessionStore(database),
    leaders: leaderStore(database),
    retention: retentionStore(database),
    logs: logStore(database),
    views: completeViews(viewStore(database), () => new Date()),
    show: showStore(database),
    access: accessStores(database, {
      renames: renameRequests(database),
      secrets: secretStore(database),
      identityKeys: identityKeyStore(database),
      caches: pipelineCaches(database),
    }),
  };
}

const teamFlows = (store: TeamStore) => ({
  saveTeam: async (team: TeamToSave) => await saveTeam(team, new Date(), store),
  removeTeam: async (name: string) => await removeSavedTeam(name, { at: new Date() }, store),
});

const pipelinesOver = (store: PipelineStore) => ({
  ...store,
  savePipeline: async (pipeline: PipelineToSave) => {
    const saved = await savePipeline(pipeline, store, new Date());
    if (saved === undefined) throw new Error('The team has too many pipelines.');
    return saved;
  },
  pipelineFacts: async (name: PipelineName) => await pipelineFacts(name, store, new Date()),
});

/** The store with flows of checks, for tests that need their results. */
function checksOver(checks: CheckStore) {
  const portsAt = (at: Date) => ({ checks, now: () => at });
  return {
    ...checks,
    openRun: async (scopes: number[], cause: CheckCause, at: Date) =>
      await openRun(scopes, cause, portsAt(at)),
    openRunForPod: async (
      pipelineId: number,
      group: string,
      { namespace, uid }: { namespace: string; uid: string },
      at: Date,
    ) => await openRunForPod({ pipelineId, group, namespace, podUid: uid }, portsAt(at)),
    recordCheck: async (result: CheckOutcome, at: Date) => await recordCheck(result, portsAt(at)),
    closeRun: async (run: number, at: Date, error?: string) => await closeRun(run, portsAt(at), error),
  };
}

/** The actions of people, without notifications. */
function actionFlows(actions: ActionStore, builds: BuildStore) {
  const notifications = { notify: () => undefined };
  return {
    ...actionsOver({ actions, builds, notifications, now: () => new Date() }),
    regenerateWebhook: async (
      name: ResourceName,
      webhookHash: (resource: number, generation: number) => string,
      signed?: boolean,
    ) => await regenerateWebhook(name, signed, { actions, webhookHash }),
  };
}

export function toSave(definition: Pipeline, more: Partial<PipelineToSave> = {}): PipelineToSave {
  return {
    team: 'main',
    pipeline: 'app',
    namespace: 'main',
    uid: 'uid-1',
    public: false,
    config: '# of the test',
    digest: JSON.stringify(definition),
    definition,
    actor: 'tester',
    ...more,
  };
}

/** Runs a check of the pipeline's first resource. The check finds these versions. Returns their ids. */
export async function recordFoundVersions(
  stores: Pick<TestStores, 'checks'>,
  saved: { resources: { scope: number }[] },
  versions: Record<string, string>[],
): Promise<number[]> {
  const scope = saved.resources[0]?.scope ?? 0;
  // In a year every check is due.
  const at = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000);
  const opened = await stores.checks.openRun([scope], 'schedule', at);
  if (opened === undefined) throw new Error('The resource is not due, or another check of it runs.');
  const { recorded } = await stores.checks.recordCheck({ run: opened.run, scope, versions, log: '' }, at);
  await stores.checks.closeRun(opened.run, at);
  // Makes the check due again for the next call.
  await stores.checks.requestCheck({ team: 'main', pipeline: 'app', resource: 'git.app' }, 'manual', at);
  return recorded;
}

/** Gives a turn to every queued build that may have one. */
export async function giveTurns({ builds }: Pick<TestStores, 'builds'>): Promise<void> {
  for (const team of await builds.teamsWithQueue()) {
    let more = true;
    while (more) {
      const turns = await giveTurnsToTeam(team, builds, new Date());
      more = turns.more;
    }
  }
}

/** Gives turns to queued builds of all jobs, then runs those of this job that may start. They all succeed. */
export async function succeed(stores: Pick<TestStores, 'builds'>, job: string): Promise<void> {
  const at = new Date();
  await giveTurns(stores);
  for (const build of await stores.builds.buildsToStart(1000)) {
    if (build.job !== job) continue;
    await stores.builds.podCreated(build.id, build.attempt, `pod-${build.id}`, at);
    const state = await stateOn(stores, build.id, build.attempt);
    const events = eventsOf(state?.steps.map((step) => step.id) ?? [], at.toISOString());
    await followOn(stores, build.id, build.attempt, events);
  }
}

/** All events of a build whose steps succeed. */
export function eventsOf(steps: string[], at: string): BuildEvent[] {
  const events = steps.flatMap((step): Unnumbered[] => [
    { at, type: 'step-started', step },
    { at, type: 'log', step, text: `step ${step}\n` },
    { at, type: 'step-ended', step, status: 'succeeded', exitCode: 0 },
  ]);
  const end = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'All steps succeeded.' } as const;
  return [...events, { at, type: 'build-ended' as const, ...end }].map((event, index) => ({
    ...event,
    sequence: index + 1,
  }));
}

type Unnumbered = BuildEvent extends infer Event
  ? Event extends BuildEvent
    ? Omit<Event, 'sequence'>
    : never
  : never;
