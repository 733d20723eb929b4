import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Informers } from '#adapters/kubernetes/informers/informers.ts';
import { namespaceOfTeam } from '#adapters/kubernetes/informers/owning-team.ts';
import type { TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import { TEAM_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { teamLimits, type TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import type { ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import type { EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import type { Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { TeamApplied } from '#flows/people/apply-team.ts';
import type { TeamRemoved } from '#flows/people/remove-team.ts';
import type { TeamManifest, TeamSaved } from '#flows/people/team-ports.ts';
import { notReady, readyVerdict, type WantedCondition } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';
import type { TeamStates } from './team-states.ts';
import { APPLYING, groupCondition, readyIn, stalled, teamStatus } from './team-status.ts';

const REMOVAL_RETRY_MS = 5000;
/**
 * After this time, the operator tries a refused change again: by then, an account that it needs may exist, or
 * somebody may have labelled the namespace.
 */
const REFUSED_RETRY_MS = 30_000;
/**
 * No informer watches the namespace, or the RoleBindings, NetworkPolicies, quotas and similar objects that
 * the operator creates in it. So the operator compares them again after this time.
 */
const RECONCILE_AGAIN_MS = 300_000;
/**
 * How long a new leader waits before it prepares the namespace of a Team that was ready. Until then, it
 * announces all such Teams, so that their Pipelines do not wait.
 */
const AFTER_TAKEOVER_MS = 2000;

export interface TeamsOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  informers: Pick<Informers, 'pipelinesOf' | 'watchNamespace'> & { teams: { store: Store<TeamProjection> } };
  recorder: Pick<EventRecorder, 'record'>;
  states: TeamStates;
  apply(manifest: TeamManifest): Promise<TeamApplied>;
  /** Limits of Teams that do not set their own. */
  defaultLimits: TeamLimits;
  remove(manifest: TeamManifest): Promise<TeamRemoved>;
  /** The Team became ready or its rules changed: apply its Pipelines. */
  ready(namespace: string): void;
}

/**
 * Reconciles one Team: prepares its namespace, starts the informers there, writes the status and Events. If
 * the object is being deleted and has no Pipelines, removes the team instead.
 */
export async function workOnTeam(name: string, options: TeamsOptions): Promise<ReconcileResult> {
  const object = options.informers.teams.store.get(name);
  if (object === undefined) return 'done';
  if (object.deletedAt !== undefined) return await remove(object, options);
  if (wasReadyUnderFormerLeader(object, options)) {
    await announce(object, options);
    return { requeueAfterMs: AFTER_TAKEOVER_MS };
  }

  await addFinalizer(options.client, KINDS.teams, object, TEAM_FINALIZER);
  if (object.status?.conditions === undefined)
    await writeTeamStatus(object, { conditions: [APPLYING] }, options);

  const prepared = await prepare(object, options);
  await writeTeamStatus(object, prepared, options);
  const isRefused = prepared.conditions.some(({ type }) => type === 'Stalled');
  return { requeueAfterMs: isRefused ? REFUSED_RETRY_MS : RECONCILE_AGAIN_MS };
}

/**
 * Whether a former leader reported the Team as ready, and this process has not reconciled the Team yet. Then
 * the Pipelines of the Team may run before this process prepares the namespace again.
 */
function wasReadyUnderFormerLeader(object: TeamProjection, { states }: TeamsOptions): boolean {
  if (states.state(object.name) !== 'unknown') return false;
  return readyVerdict(object.status?.conditions, object.generation)?.status === 'True';
}

/**
 * Watches the namespace, and notifies its Pipelines if they were not yet notified of this generation of the
 * Team.
 */
async function announce(object: TeamProjection, options: TeamsOptions): Promise<void> {
  const namespace = namespaceOfTeam(object);
  await options.informers.watchNamespace(namespace);
  if (options.states.ready(object) === 'announce') options.ready(namespace);
}

interface ToWrite {
  conditions: WantedCondition[];
  saved?: TeamSaved | undefined;
}

/**
 * Prepares and watches the namespace, and notifies its Pipelines. If the namespace is refused, only notes
 * that. Returns what the status is to say.
 */
async function prepare(object: TeamProjection, options: TeamsOptions): Promise<ToWrite> {
  const applied = await apply(object, options);
  if (applied.outcome === 'refused') {
    options.states.refused(object.name);
    return { conditions: stalled(applied) };
  }
  options.states.accepted(object.name);
  await announce(object, options);
  const { saved, ignoredGroups } = applied;
  const ready = saved.refused === undefined ? [readyIn(namespaceOfTeam(object))] : stalled(saved.refused);
  return { conditions: [...ready, ...groupCondition(ignoredGroups)], saved };
}

async function apply(object: TeamProjection, options: TeamsOptions): Promise<TeamApplied> {
  try {
    return await options.apply(manifestOf(object, options.defaultLimits));
  } catch (error) {
    await writeErrorStatus(object, error, options);
    throw error;
  }
}

/**
 * Writes the error into the status. Ignores an error of that write: the caller throws the first error, so the
 * work queue retries.
 */
async function writeErrorStatus(
  object: TeamProjection,
  error: unknown,
  options: TeamsOptions,
): Promise<void> {
  const message = Error.isError(error) ? error.message : String(error);
  const decided = readyVerdict(object.status?.conditions, object.generation);
  const reconciling = { type: 'Reconciling', status: 'True' as const, reason: 'Retrying', message };
  const conditions = [decided ?? notReady('Retrying', message), reconciling];
  await writeTeamStatus(object, { conditions }, options).catch(() => undefined);
}

async function remove(object: TeamProjection, options: TeamsOptions): Promise<ReconcileResult> {
  if (!object.finalizers.includes(TEAM_FINALIZER)) return 'done';
  const removed = await options.remove(manifestOf(object, options.defaultLimits));
  if (removed.outcome === 'waiting') {
    // Remaining Pipelines still need the namespace.
    const { saved } = await prepare(object, options);
    const conditions = [notReady('HasPipelines', removed.message)];
    await writeTeamStatus(object, { conditions, saved }, options);
    return { requeueAfterMs: REMOVAL_RETRY_MS };
  }
  await removeFinalizer(options.client, KINDS.teams, object, TEAM_FINALIZER);
  return 'done';
}

async function writeTeamStatus(
  object: TeamProjection,
  { conditions, saved }: ToWrite,
  options: TeamsOptions,
): Promise<void> {
  const { client, informers, states, defaultLimits } = options;
  const before = informers.teams.store.get(object.name)?.status ?? object.status;
  const status = teamStatus({
    object,
    conditions,
    saved,
    before,
    pipelineCount: informers.pipelinesOf(object.name, namespaceOfTeam(object)).length,
    limits: teamLimits(object.spec.limits, defaultLimits),
    fill: states.fillOf(object.name),
    warm: states.warmOf(object.name),
    now: new Date(),
  });
  const outcome = await writeStatus(client, KINDS.teams, { ...object, status: before }, status);
  if (outcome === 'written') recordEvent(object, { before, ready: conditions[0] }, options);
}

function recordEvent(
  object: TeamProjection,
  { before, ready }: { before: TeamProjection['status']; ready: WantedCondition | undefined },
  { recorder }: TeamsOptions,
): void {
  const readyBefore = before?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'Unknown') return;
  if (readyBefore?.reason === ready.reason && readyBefore.message === ready.message) return;
  const { apiVersion, kind } = KINDS.teams;
  const { reason, message } = ready;
  recorder.record(
    { apiVersion, kind, namespace: '', name: object.name, uid: object.uid },
    { type: ready.status === 'True' ? 'Normal' : 'Warning', reason, action: 'Apply', note: message },
  );
}

function manifestOf(object: TeamProjection, defaultLimits: TeamLimits): TeamManifest {
  const { name, uid, byApi } = object;
  const { displayName, members, groups, limits, retention, defaults, debug } = object.spec;
  return defined({
    name,
    uid,
    namespace: namespaceOfTeam(object),
    displayName,
    members,
    groups,
    debug,
    byApi,
    runningBuilds: teamLimits(limits, defaultLimits).runningBuilds,
    retention,
    defaultTimeout: defaults?.timeout,
    buildLogLimit: limits?.buildLogBytes,
  });
}
