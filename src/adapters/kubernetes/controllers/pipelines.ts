import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Informers } from '#adapters/kubernetes/informers/informers.ts';
import type { PipelineProjection } from '#adapters/kubernetes/informers/projections.ts';
import { PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import type { ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import type { EventNote, EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import { objectKey, type Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { PipelineName } from '#flows/names.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineManifest } from '#flows/pipelines/manifest-ports.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { PipelineRemoved } from '#flows/pipelines/remove-pipeline.ts';
import { notReady, type WantedCondition } from './conditions.ts';
import { eventsBetween } from './pipeline-events.ts';
import { retryAfterMs } from './pipeline-retry.ts';
import type { PipelineState, PipelineStates } from './pipeline-states.ts';
import { pipelineStatus } from './pipeline-status.ts';
import { verdictBefore, verdictOf, type ManifestVerdict } from './pipeline-verdict.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';
import type { TeamState } from './team-states.ts';

/*
 * What causes the reconciliation of a Pipeline object. The right column names the method of PipelineTriggers,
 * which operator/reconcile.ts calls, or what sets the time of the next attempt.
 *
 *   To apply the manifest again, or to remove it:
 *     the object is new, deleted, or has another spec or another annotation to read    objectChanged
 *     a ConfigMap or Secret that the spec refers to changed                            referenceChanged
 *     one of its CronJobs was changed or deleted                                       cronJobChanged
 *     its Team became ready, got another spec, or was deleted                          teamChanged
 *     the gateway's certificate or the nodes' user namespaces changed                  teamChanged
 *     another object has taken over its pipeline in a rename                           applyAgain
 *     a person paused or unpaused it over the API                                      rowChanged
 *     a source was unavailable, a rename waits for builds, or a refusal may pass       retryAfterMs
 *     a deletion waits for builds                                                      REMOVAL_RETRY_MS
 *   To write the status only:
 *     the database has new facts, or its notifications were interrupted                rowChanged
 *     the reasons why jobs and builds wait are out of date                             rowChanged
 *     a check may be overdue                                                           checksOverdue
 *     its Team is not ready yet                                                        TEAM_TIMEOUT_MS
 *
 * After an error the queue tries again, after longer and longer pauses.
 */

const REMOVAL_RETRY_MS = 2000;
const TEAM_TIMEOUT_MS = 10_000;

export interface PipelinesOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  informers: Pick<Informers, 'teamOf'> & { pipelines: { store: Store<PipelineProjection> } };
  recorder: Pick<EventRecorder, 'record'>;
  states: PipelineStates;
  apply(manifest: PipelineManifest): Promise<PipelineApplied>;
  remove(name: PipelineName & { uid: string }, deletedMsAgo: number): Promise<PipelineRemoved>;
  /** Applies the object with this key again, if it exists. */
  applyAgain(key: string): void;
  facts(name: PipelineName): Promise<PipelineFacts | undefined>;
  /**
   * `ready`: this process, or a former leader, has prepared the Team's namespace and saved its row. When the
   * Team becomes ready, `PipelineTriggers.teamChanged` is called.
   */
  teamState(team: string): TeamState;
  now: () => Date;
}

/**
 * Reconciles one Pipeline object: saves a revision, applies CronJobs, writes the status and Events. If the
 * object is being deleted, stops the pipeline instead.
 */
export async function workOnPipeline(key: string, options: PipelinesOptions): Promise<ReconcileResult> {
  const object = options.informers.pipelines.store.get(key);
  if (object === undefined) return 'done';
  const team = options.informers.teamOf(object.namespace)?.name;
  if (object.deletedAt !== undefined) return await remove(object, team, options);

  const state = options.states.of(object, options.now());
  const teamState = team === undefined ? 'refused' : options.teamState(team);
  if (team === undefined || teamState !== 'ready')
    return await awaitTeam(object, { team, teamState, since: state.since }, options);

  await addFinalizer(options.client, KINDS.pipelines, object, PIPELINE_FINALIZER);
  await writeInitialStatus(object, options);

  const name = { team, pipeline: object.name };
  const verdict = state.currentVerdict(object);
  if (verdict === undefined) return await apply(object, { name, state }, options);

  return await updateStatus(object, { name, state, verdict }, options);
}

interface Applying {
  name: PipelineName;
  state: PipelineState;
}

/** Reads the facts and writes the status. The verdict on the manifest stays. */
async function updateStatus(
  object: PipelineProjection,
  { name, state, verdict }: Applying & { verdict: ManifestVerdict },
  options: PipelinesOptions,
): Promise<ReconcileResult> {
  // A row may have changed during the last read, before the length of the pause was known.
  const pauseMs = state.factsNotBefore - performance.now();
  if (pauseMs > 0) return { requeueAfterMs: pauseMs };
  const startedAt = performance.now();
  const facts = await options.facts(name);
  state.factsRead(startedAt, performance.now());
  // The API paused or unpaused the pipeline, which changes the verdict.
  if (facts !== undefined && facts.paused !== state.paused) {
    state.invalidate();
    return { requeueAfterMs: 0 };
  }
  await writePipelineStatus(object, { verdict, facts }, options);
  return 'done';
}

async function apply(
  object: PipelineProjection,
  applying: Applying,
  options: PipelinesOptions,
): Promise<ReconcileResult> {
  applying.state.begin(object);
  try {
    return await applyManifest(object, applying, options);
  } catch (error) {
    applying.state.failed();
    await writeErrorStatus(object, { error, verdict: applying.state.lastVerdict }, options);
    throw error;
  }
}

async function applyManifest(
  object: PipelineProjection,
  { name, state }: Applying,
  options: PipelinesOptions,
): Promise<ReconcileResult> {
  const applied = await options.apply(manifestOf(object, name));
  if (applied.outcome === 'renamed') {
    // The flow deletes this object. Its deletion is then reconciled.
    state.handedOver();
    return 'done';
  }
  const verdict = verdictOf(applied, object.status);
  state.applied(object.generation, verdict, applied.facts?.paused);
  if (applied.facts !== undefined) options.states.rowKnown(objectKey(object), applied.facts);
  await writePipelineStatus(object, { verdict, facts: applied.facts }, options);
  // Reconciles the old object of the rename, which can be deleted now.
  if (object.renamedFrom !== undefined && applied.outcome !== 'renaming')
    options.applyAgain(`${object.namespace}/${object.renamedFrom.name}`);
  const requeueAfterMs = retryAfterMs(applied);
  if (requeueAfterMs === undefined) return 'done';
  state.invalidate();
  return { requeueAfterMs };
}

/**
 * A Team that was created together with its Pipeline needs a moment. So Ready becomes False only after
 * TEAM_TIMEOUT_MS, and if there is a Team, only once this process has reconciled it. Until then, an existing
 * verdict on this generation stays.
 */
async function awaitTeam(
  object: PipelineProjection,
  { team, teamState, since }: { team: string | undefined; teamState: TeamState; since: Date },
  options: PipelinesOptions,
): Promise<ReconcileResult> {
  const isWaiting = teamState === 'unknown' || options.now().getTime() - since.getTime() < TEAM_TIMEOUT_MS;
  const ready = isWaiting ? waitingForTeam(object, team) : teamMissing(object, team);
  const isDecided = verdictBefore(object.status, object.generation) !== undefined;
  if (!isWaiting || !isDecided)
    await writePipelineStatus(object, { verdict: { ready, stalled: !isWaiting } }, options);
  return isWaiting ? { requeueAfterMs: TEAM_TIMEOUT_MS } : 'done';
}

async function remove(
  object: PipelineProjection,
  team: string | undefined,
  options: PipelinesOptions,
): Promise<ReconcileResult> {
  if (!object.finalizers.includes(PIPELINE_FINALIZER)) return 'done';
  const deletedMsAgo = options.now().getTime() - (object.deletedAt?.getTime() ?? 0);
  if (team !== undefined) {
    const removed = await options.remove({ team, pipeline: object.name, uid: object.uid }, deletedMsAgo);
    if (removed.outcome === 'waiting') {
      const ready = notReady('Terminating', removed.message);
      await writePipelineStatus(object, { verdict: { ready, stalled: false } }, options);
      return { requeueAfterMs: REMOVAL_RETRY_MS };
    }
  }
  await removeFinalizer(options.client, KINDS.pipelines, object, PIPELINE_FINALIZER);
  return 'done';
}

/** Writes Ready=Unknown, because some tools mistake an object without conditions for a ready one. */
async function writeInitialStatus(object: PipelineProjection, options: PipelinesOptions): Promise<void> {
  if (object.status?.conditions !== undefined) return;
  const ready = {
    type: 'Ready',
    status: 'Unknown' as const,
    reason: 'Applying',
    message: 'The operator is reading the definition.',
  };
  await writePipelineStatus(object, { verdict: { ready, stalled: false } }, options);
}

/**
 * Writes the error into the status. Ignores an error of that write: the caller throws the first error, so the
 * work queue retries.
 */
async function writeErrorStatus(
  object: PipelineProjection,
  { error, verdict: last }: { error: unknown; verdict: ManifestVerdict | undefined },
  options: PipelinesOptions,
): Promise<void> {
  const fault = Error.isError(error) ? error.message : String(error);
  const undecided = { ready: notReady('Retrying', fault), stalled: false };
  const verdict = last ?? verdictBefore(object.status, object.generation) ?? undecided;
  await writePipelineStatus(object, { verdict, fault }, options).catch(() => undefined);
}

interface ToWrite {
  verdict: ManifestVerdict;
  /** If absent, the status keeps what it says about builds and checks. */
  facts?: PipelineFacts | undefined;
  fault?: string;
}

async function writePipelineStatus(
  object: PipelineProjection,
  { verdict, facts, fault }: ToWrite,
  options: PipelinesOptions,
): Promise<void> {
  const { client, informers, states } = options;
  const stored = informers.pipelines.store.get(objectKey(object))?.status;
  const state = states.get(objectKey(object));
  const before = state?.status ?? stored;
  const { generation, requestedAt } = object;
  const now = options.now();
  const status = pipelineStatus({ verdict, facts, before, generation, requestedAt, now, fault });
  const outcome = await writeStatus(client, KINDS.pipelines, { ...object, status: stored }, status);
  state?.statusWritten(status);
  if (outcome === 'written') recordEvents(object, eventsBetween(before, status), options);
}

function recordEvents(object: PipelineProjection, events: EventNote[], { recorder }: PipelinesOptions): void {
  const { apiVersion, kind } = KINDS.pipelines;
  const regarding = { apiVersion, kind, namespace: object.namespace, name: object.name, uid: object.uid };
  for (const event of events) recorder.record(regarding, event);
}

function manifestOf(object: PipelineProjection, name: PipelineName): PipelineManifest {
  const { namespace, uid, displayName, byApi, paused, pins, requestedAt, renamedFrom } = object;
  return defined({
    ...name,
    namespace,
    uid,
    displayName,
    public: object.public,
    byApi,
    paused,
    pins,
    requestedAt,
    renamedFrom,
  });
}

function waitingForTeam(object: PipelineProjection, team: string | undefined): WantedCondition {
  const { message } = teamMissing(object, team);
  return { type: 'Ready', status: 'Unknown', reason: 'WaitingForTeam', message };
}

function teamMissing({ namespace }: PipelineProjection, team: string | undefined): WantedCondition {
  return team === undefined
    ? notReady(
        'NoTeam',
        `No Team has the namespace ${namespace}. Create the Pipeline in the namespace of a Team.`,
      )
    : notReady('TeamNotReady', `The Team ${team} is not ready. To see why: kubectl describe team ${team}`);
}
