import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Watched } from '#adapters/kubernetes/informers/informers.ts';
import { namespaceOf } from '#adapters/kubernetes/informers/owning-team.ts';
import type { SeenTeam } from '#adapters/kubernetes/informers/projections.ts';
import { TEAM_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { teamLimits, type TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import type { Ending } from '#adapters/kubernetes/watch/queue.ts';
import type { EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import type { Store } from '#adapters/kubernetes/watch/store.ts';
import { defined } from '#defined';
import type { TeamApplied } from '#flows/people/apply-team.ts';
import type { TeamRemoved } from '#flows/people/remove-team.ts';
import type { TeamManifest, TeamSaved } from '#flows/people/team-ports.ts';
import { notReady, readyVerdict, type WantedCondition } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';
import type { TeamMemory } from './team-states.ts';
import { APPLYING, groupCondition, readyIn, stalled, teamStatus } from './team-status.ts';

const REMOVAL_RETRY_MS = 5000;
/** Somebody may have become able to be the admin that is missing. */
const REFUSED_RETRY_MS = 30_000;
/** What others do to the namespace is not watched: it is looked at again after this time. */
const LOOK_AGAIN_MS = 300_000;
/** After a change of leader every Team is taken over before the first one is prepared again. */
const AFTER_TAKEOVER_MS = 2000;

export interface TeamsOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  watched: Pick<Watched, 'pipelinesOf' | 'watchNamespace'> & { teams: { store: Store<SeenTeam> } };
  recorder: Pick<EventRecorder, 'record'>;
  memory: TeamMemory;
  apply(manifest: TeamManifest): Promise<TeamApplied>;
  /** Of Teams that say nothing. */
  defaultLimits: TeamLimits;
  remove(manifest: TeamManifest): Promise<TeamRemoved>;
  /** The team is ready, or its rules changed: its Pipelines are to be applied. */
  ready(namespace: string): void;
}

/** Prepares the namespace of a Team and watches what happens in it. */
export async function workOnTeam(name: string, options: TeamsOptions): Promise<Ending> {
  const seen = options.watched.teams.store.get(name);
  if (seen === undefined) return 'done';
  if (seen.deletedAt !== undefined) return await remove(seen, options);
  if (isReadyByLeaderBefore(seen, options)) {
    await announce(seen, options);
    return { againAfterMs: AFTER_TAKEOVER_MS };
  }

  await addFinalizer(options.client, KINDS.teams, seen, TEAM_FINALIZER);
  if (seen.status?.conditions === undefined) await write(seen, { wanted: [APPLYING] }, options);

  const prepared = await prepare(seen, options);
  await write(seen, prepared, options);
  const isRefused = prepared.wanted.some(({ type }) => type === 'Stalled');
  return { againAfterMs: isRefused ? REFUSED_RETRY_MS : LOOK_AGAIN_MS };
}

/** Its Pipelines need not wait until this process has prepared it again. */
function isReadyByLeaderBefore(seen: SeenTeam, { memory }: TeamsOptions): boolean {
  if (memory.state(seen.name) !== 'unknown') return false;
  return readyVerdict(seen.status?.conditions, seen.generation)?.status === 'True';
}

async function announce(seen: SeenTeam, options: TeamsOptions): Promise<void> {
  const namespace = namespaceOf(seen);
  await options.watched.watchNamespace(namespace);
  if (options.memory.ready(seen) === 'announce') options.ready(namespace);
}

interface ToWrite {
  wanted: WantedCondition[];
  saved?: TeamSaved | undefined;
}

/** Prepares and watches the namespace and announces it to its Pipelines; or says why it cannot. */
async function prepare(seen: SeenTeam, options: TeamsOptions): Promise<ToWrite> {
  const applied = await apply(seen, options);
  if (applied.outcome === 'refused') {
    options.memory.refused(seen.name);
    return { wanted: stalled(applied) };
  }
  options.memory.accepted(seen.name);
  await announce(seen, options);
  const { now: saved, ignoredGroups } = applied;
  const ready = saved.refused === undefined ? [readyIn(namespaceOf(seen))] : stalled(saved.refused);
  return { wanted: [...ready, ...groupCondition(ignoredGroups)], saved };
}

async function apply(seen: SeenTeam, options: TeamsOptions): Promise<TeamApplied> {
  try {
    return await options.apply(manifestOf(seen, options.defaultLimits));
  } catch (error) {
    await writeErrorStatus(seen, error, options);
    throw error;
  }
}

/** Best effort: the error itself goes to the queue, which tries again. */
async function writeErrorStatus(seen: SeenTeam, error: unknown, options: TeamsOptions): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const decided = readyVerdict(seen.status?.conditions, seen.generation);
  const reconciling = { type: 'Reconciling', status: 'True' as const, reason: 'Retrying', message };
  const wanted = [decided ?? notReady('Retrying', message), reconciling];
  await write(seen, { wanted }, options).catch(() => undefined);
}

async function remove(seen: SeenTeam, options: TeamsOptions): Promise<Ending> {
  if (!seen.finalizers.includes(TEAM_FINALIZER)) return 'done';
  const removed = await options.remove(manifestOf(seen, options.defaultLimits));
  if (removed.outcome === 'waiting') {
    // As long as Pipelines are left, they are looked after.
    const { saved } = await prepare(seen, options);
    await write(seen, { wanted: [notReady('HasPipelines', removed.message)], saved }, options);
    return { againAfterMs: REMOVAL_RETRY_MS };
  }
  await removeFinalizer(options.client, KINDS.teams, seen, TEAM_FINALIZER);
  return 'done';
}

async function write(seen: SeenTeam, { wanted, saved }: ToWrite, options: TeamsOptions): Promise<void> {
  const { client, watched, memory, defaultLimits } = options;
  const before = watched.teams.store.get(seen.name)?.status ?? seen.status;
  const status = teamStatus({
    seen,
    wanted,
    saved,
    before,
    pipelineCount: watched.pipelinesOf(seen.name, namespaceOf(seen)).length,
    limits: teamLimits(seen.spec.limits, defaultLimits),
    fill: memory.fillOf(seen.name),
    now: new Date(),
  });
  const wrote = await writeStatus(client, KINDS.teams, { ...seen, status: before }, status);
  if (wrote === 'written') recordEvent(seen, { before, ready: wanted[0] }, options);
}

function recordEvent(
  seen: SeenTeam,
  { before, ready }: { before: SeenTeam['status']; ready: WantedCondition | undefined },
  { recorder }: TeamsOptions,
): void {
  const was = before?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'Unknown') return;
  if (was?.reason === ready.reason && was.message === ready.message) return;
  const { apiVersion, kind } = KINDS.teams;
  const { reason, message } = ready;
  recorder.record(
    { apiVersion, kind, namespace: '', name: seen.name, uid: seen.uid },
    { type: ready.status === 'True' ? 'Normal' : 'Warning', reason, action: 'Apply', note: message },
  );
}

function manifestOf(seen: SeenTeam, defaultLimits: TeamLimits): TeamManifest {
  const { name, uid, byApi } = seen;
  const { displayName, members, groups, limits, retention } = seen.spec;
  return defined({
    name,
    uid,
    namespace: namespaceOf(seen),
    displayName,
    members,
    groups,
    byApi,
    runningBuilds: teamLimits(limits, defaultLimits).runningBuilds,
    retention,
  });
}
