import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Watched } from '#adapters/kubernetes/informers/informers.ts';
import type { SeenPipeline } from '#adapters/kubernetes/informers/projections.ts';
import { PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import type { Ending } from '#adapters/kubernetes/watch/queue.ts';
import type { EventNote, EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import { keyOf, type Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { PipelineName } from '#flows/names.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineManifest } from '#flows/pipelines/manifest-ports.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { PipelineRemoved } from '#flows/pipelines/remove-pipeline.ts';
import { notReady, type WantedCondition } from './conditions.ts';
import { eventsBetween } from './pipeline-events.ts';
import { retryAfterMs } from './pipeline-retry.ts';
import type { PipelineMemory, RememberedPipeline } from './pipeline-states.ts';
import { pipelineStatus } from './pipeline-status.ts';
import { verdictBefore, verdictOf, type Verdict } from './pipeline-verdict.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';
import type { TeamState } from './team-states.ts';

const REMOVAL_RETRY_MS = 2000;
const TEAM_PATIENCE_MS = 10_000;

export interface PipelinesOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  watched: Pick<Watched, 'teamOf'> & { pipelines: { store: Store<SeenPipeline> } };
  recorder: Pick<EventRecorder, 'record'>;
  memory: PipelineMemory;
  apply(manifest: PipelineManifest): Promise<PipelineApplied>;
  remove(name: PipelineName & { uid: string }, askedMsAgo: number): Promise<PipelineRemoved>;
  /** Applies another object again, if there is one of this key. */
  applyAgain(key: string): void;
  facts(name: PipelineName): Promise<PipelineFacts | undefined>;
  /**
   * Whether the Team's namespace is prepared and its row saved; when it becomes so, `teamChanged` is
   * triggered.
   */
  teamState(team: string): TeamState;
}

/**
 * Turns a Pipeline object into a revision and CronJobs, and mirrors what became of it in its status and in
 * Events.
 */
export async function workOnPipeline(key: string, options: PipelinesOptions): Promise<Ending> {
  const seen = options.watched.pipelines.store.get(key);
  if (seen === undefined) return 'done';
  const team = options.watched.teamOf(seen.namespace)?.name;
  if (seen.deletedAt !== undefined) return await remove(seen, team, options);

  const remembered = options.memory.of(seen, new Date());
  const teamState = team === undefined ? 'refused' : options.teamState(team);
  if (team === undefined || teamState !== 'ready')
    return await awaitTeam(seen, { team, teamState, since: remembered.since }, options);

  await addFinalizer(options.client, KINDS.pipelines, seen, PIPELINE_FINALIZER);
  await writeInitialStatus(seen, options);

  const name = { team, pipeline: seen.name };
  const verdict = remembered.currentVerdict(seen);
  if (verdict === undefined) return await apply(seen, { name, remembered }, options);

  const facts = await options.facts(name);
  // Paused or unpaused over the API: the CronJobs have to follow.
  if (facts !== undefined && facts.paused !== remembered.paused) {
    remembered.invalidate();
    return { againAfterMs: 0 };
  }
  await write(seen, { verdict, facts }, options);
  return 'done';
}

interface Applying {
  name: PipelineName;
  remembered: RememberedPipeline;
}

async function apply(seen: SeenPipeline, applying: Applying, options: PipelinesOptions): Promise<Ending> {
  applying.remembered.begin(seen);
  try {
    return await applyManifest(seen, applying, options);
  } catch (error) {
    applying.remembered.failed();
    await writeErrorStatus(seen, { error, verdict: applying.remembered.lastVerdict }, options);
    throw error;
  }
}

async function applyManifest(
  seen: SeenPipeline,
  { name, remembered }: Applying,
  options: PipelinesOptions,
): Promise<Ending> {
  const applied = await options.apply(manifestOf(seen, name));
  if (applied.outcome === 'renamed') {
    // The deletion of this object is asked for, and will trigger the rest.
    remembered.handedOver();
    return 'done';
  }
  const verdict = verdictOf(applied, seen.status);
  remembered.applied(seen.generation, verdict, applied.facts?.paused);
  if (applied.facts !== undefined) options.memory.rowKnown(keyOf(seen), applied.facts);
  await write(seen, { verdict, facts: applied.facts }, options);
  // The object whose pipeline this one goes on with is to go now.
  if (seen.renamedFrom !== undefined && applied.outcome !== 'renaming')
    options.applyAgain(`${seen.namespace}/${seen.renamedFrom.name}`);
  const againAfterMs = retryAfterMs(applied);
  if (againAfterMs === undefined) return 'done';
  remembered.invalidate();
  return { againAfterMs };
}

/**
 * A Team that was created together with its Pipeline is ready in a moment: only later is its absence worth a
 * warning. What was decided about this generation stays, because a new leader has yet to look at the Team.
 */
async function awaitTeam(
  seen: SeenPipeline,
  { team, teamState, since }: { team: string | undefined; teamState: TeamState; since: Date },
  options: PipelinesOptions,
): Promise<Ending> {
  const isPatient = teamState === 'unknown' || Date.now() - since.getTime() < TEAM_PATIENCE_MS;
  const ready = isPatient ? waitingForTeam(seen, team) : teamMissing(seen, team);
  const isDecided = verdictBefore(seen.status, seen.generation) !== undefined;
  if (!isPatient || !isDecided) await write(seen, { verdict: { ready, stalled: !isPatient } }, options);
  return isPatient ? { againAfterMs: TEAM_PATIENCE_MS } : 'done';
}

async function remove(
  seen: SeenPipeline,
  team: string | undefined,
  options: PipelinesOptions,
): Promise<Ending> {
  if (!seen.finalizers.includes(PIPELINE_FINALIZER)) return 'done';
  const askedMsAgo = Date.now() - (seen.deletedAt?.getTime() ?? 0);
  if (team !== undefined) {
    const removed = await options.remove({ team, pipeline: seen.name, uid: seen.uid }, askedMsAgo);
    if (removed.outcome === 'waiting') {
      const ready = notReady('Terminating', removed.message);
      await write(seen, { verdict: { ready, stalled: false } }, options);
      return { againAfterMs: REMOVAL_RETRY_MS };
    }
  }
  await removeFinalizer(options.client, KINDS.pipelines, seen, PIPELINE_FINALIZER);
  return 'done';
}

/** Says "not yet", so that nobody takes an empty status for a good one. */
async function writeInitialStatus(seen: SeenPipeline, options: PipelinesOptions): Promise<void> {
  if (seen.status?.conditions !== undefined) return;
  const ready = { type: 'Ready', status: 'Unknown' as const, reason: 'Applying', message: 'Being read.' };
  await write(seen, { verdict: { ready, stalled: false } }, options);
}

/** Best effort: the error itself goes to the queue, which tries again. */
async function writeErrorStatus(
  seen: SeenPipeline,
  { error, verdict: last }: { error: unknown; verdict: Verdict | undefined },
  options: PipelinesOptions,
): Promise<void> {
  const trouble = error instanceof Error ? error.message : String(error);
  const undecided = { ready: notReady('Retrying', trouble), stalled: false };
  const verdict = last ?? verdictBefore(seen.status, seen.generation) ?? undecided;
  await write(seen, { verdict, trouble }, options).catch(() => undefined);
}

interface ToWrite {
  verdict: Verdict;
  /** Absent: what the status says of them stays. */
  facts?: PipelineFacts | undefined;
  trouble?: string;
}

async function write(
  seen: SeenPipeline,
  { verdict, facts, trouble }: ToWrite,
  options: PipelinesOptions,
): Promise<void> {
  const { client, watched, memory } = options;
  const stored = watched.pipelines.store.get(keyOf(seen))?.status;
  const remembered = memory.get(keyOf(seen));
  const before = remembered?.status ?? stored;
  const { generation } = seen;
  const status = pipelineStatus({ verdict, facts, before, generation, now: new Date(), trouble });
  const wrote = await writeStatus(client, KINDS.pipelines, { ...seen, status: stored }, status);
  remembered?.statusWritten(status);
  if (wrote === 'written') recordEvents(seen, eventsBetween(before, status), options);
}

function recordEvents(seen: SeenPipeline, events: EventNote[], { recorder }: PipelinesOptions): void {
  const { apiVersion, kind } = KINDS.pipelines;
  const regarding = { apiVersion, kind, namespace: seen.namespace, name: seen.name, uid: seen.uid };
  for (const event of events) recorder.record(regarding, event);
}

function manifestOf(seen: SeenPipeline, name: PipelineName): PipelineManifest {
  const { namespace, uid, displayName, byApi, paused, pins, requestedAt, renamedFrom } = seen;
  return defined({
    ...name,
    namespace,
    uid,
    displayName,
    public: seen.public,
    byApi,
    paused,
    pins,
    requestedAt,
    renamedFrom,
  });
}

function waitingForTeam(seen: SeenPipeline, team: string | undefined): WantedCondition {
  const { message } = teamMissing(seen, team);
  return { type: 'Ready', status: 'Unknown', reason: 'WaitingForTeam', message };
}

function teamMissing({ namespace }: SeenPipeline, team: string | undefined): WantedCondition {
  return team === undefined
    ? notReady(
        'NoTeam',
        `No Team has the namespace ${namespace}. A Pipeline belongs into the namespace of a Team.`,
      )
    : notReady('TeamNotReady', `The Team ${team} is not ready: kubectl describe team ${team} says why.`);
}
