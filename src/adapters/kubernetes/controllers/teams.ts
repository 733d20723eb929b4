import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import type { SeenTeam } from '#adapters/kubernetes/kinds/seen.ts';
import { namespaceOf } from '#adapters/kubernetes/owning-team.ts';
import { TEAM_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { teamLimits, type TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import type { Watched } from '#adapters/kubernetes/watched.ts';
import type { Ending, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import type { Change, Store } from '#adapters/kubernetes/watch/store.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { IgnoredGroups } from '#domain/access/group-roles.ts';
import type { TeamApplied } from '#flows/apply-team.ts';
import type { TeamManifest } from '#flows/manifest-ports.ts';
import type { TeamSaved } from '#flows/team-ports.ts';
import type { TeamRemoved } from '#flows/remove-team.ts';
import type { WantedCondition } from './conditions.ts';
import { conditionsOf, readyVerdict } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';

const REMOVAL_RETRY_MS = 5000;
/** Somebody may have become able to be the admin that is missing. */
const REFUSED_RETRY_MS = 30_000;
/** What others do to the namespace is not watched: it is looked at again after this time. */
const LOOK_AGAIN_MS = 300_000;
/** After a change of leader every Team is taken over before the first one is prepared again. */
const AFTER_TAKEOVER_MS = 2000;

/** `unknown`: this process has not looked at the Team yet. */
export type TeamState = 'ready' | 'refused' | 'unknown';

export interface TeamsOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  watched: Pick<Watched, 'teamOf' | 'pipelinesOf' | 'watchNamespace' | 'leaveNamespace'> & {
    teams: { store: Store<SeenTeam> };
  };
  recorder: Pick<EventRecorder, 'record'>;
  queue: Pick<WorkQueue, 'add'>;
  apply(manifest: TeamManifest): Promise<TeamApplied>;
  /** Of Teams that say nothing. */
  defaultLimits: TeamLimits;
  remove(manifest: TeamManifest): Promise<TeamRemoved>;
  /** The team is ready, or its rules changed: its Pipelines are to be applied. */
  ready(namespace: string): void;
}

/** Keeps the namespaces of Teams as they should be, and watches what happens in them. */
export class TeamsController {
  readonly #options: TeamsOptions;
  /** The generation of each Team for which its Pipelines were told. */
  readonly #told = new Map<string, string>();
  /** Teams that this process could not prepare. */
  readonly #refused = new Set<string>();
  /** How full the logs of each Team are; absent: not counted yet. */
  #fills: ReadonlyMap<string, LogFill> = new Map();

  constructor(options: TeamsOptions) {
    this.#options = options;
  }

  changed(change: Change<SeenTeam>): void {
    if (change.type === 'deleted') {
      this.#told.delete(change.key);
      this.#refused.delete(change.key);
      this.#leave(change.object);
    }
    if (change.type === 'updated' && sameForUs(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** What happens in a namespace that another Team has goes on being watched. */
  #leave(team: SeenTeam): void {
    const namespace = namespaceOf(team);
    const owner = this.#options.watched.teamOf(namespace);
    if (owner === undefined || owner.name === team.name) void this.#options.watched.leaveNamespace(namespace);
  }

  /** A Pipeline came to or went from the namespace: the Team counts them. */
  pipelinesChanged(namespace: string): void {
    const team = this.#options.watched.teamOf(namespace);
    if (team !== undefined) this.#options.queue.add(team.name);
  }

  /** What the database has of it changed: its status follows. */
  factsChanged(name: string): void {
    this.#options.queue.add(name);
  }

  allFactsChanged(): void {
    for (const name of this.#told.keys()) this.#options.queue.add(name);
  }

  /** The logs of Teams were counted: those that are fuller or emptier than before say so. */
  logsCounted(fills: ReadonlyMap<string, LogFill>): void {
    const before = this.#fills;
    this.#fills = fills;
    for (const [name, fill] of fills) if ((before.get(name) ?? 'fine') !== fill) this.factsChanged(name);
  }

  /** Ready: its namespace is prepared and watched, and its row is saved. */
  state(name: string): TeamState {
    if (this.#told.has(name)) return 'ready';
    return this.#refused.has(name) ? 'refused' : 'unknown';
  }

  async work(name: string): Promise<Ending> {
    const seen = this.#options.watched.teams.store.get(name);
    if (seen === undefined) return 'done';
    if (seen.deletedAt !== undefined) return this.#remove(seen);
    if (await this.#takeOver(seen)) return { againAfterMs: AFTER_TAKEOVER_MS };
    await addFinalizer(this.#options.client, KINDS.teams, seen, TEAM_FINALIZER);
    if (seen.status?.conditions === undefined) await this.#write(seen, [APPLYING]);
    const [conditions, now] = await this.#prepare(seen);
    await this.#write(seen, conditions, now);
    const refused = conditions.some(({ type }) => type === 'Stalled');
    return { againAfterMs: refused ? REFUSED_RETRY_MS : LOOK_AGAIN_MS };
  }

  /** A Team that the leader before this one prepared is ready as it is: its Pipelines do not wait until it is prepared again. */
  async #takeOver(seen: SeenTeam): Promise<boolean> {
    if (this.state(seen.name) !== 'unknown') return false;
    if (readyVerdict(seen.status?.conditions, seen.generation)?.status !== 'True') return false;
    const namespace = namespaceOf(seen);
    await this.#options.watched.watchNamespace(namespace);
    this.#tellPipelines(seen, namespace);
    return true;
  }

  /** The namespace as it should be, watched, and its Pipelines told; or why it cannot be. */
  async #prepare(seen: SeenTeam): Promise<[WantedCondition[], TeamSaved?]> {
    const applied = await this.#apply(seen);
    if (applied.outcome === 'refused') {
      this.#told.delete(seen.name);
      this.#refused.add(seen.name);
      return [stalled(applied)];
    }
    this.#refused.delete(seen.name);
    const namespace = namespaceOf(seen);
    await this.#options.watched.watchNamespace(namespace);
    this.#tellPipelines(seen, namespace);
    const { now } = applied;
    const ready = now.refused === undefined ? [readyIn(namespace)] : stalled(now.refused);
    return [[...ready, ...groupCondition(applied.ignoredGroups)], now];
  }

  async #apply(seen: SeenTeam): Promise<TeamApplied> {
    try {
      return await this.#options.apply(manifestOf(seen, this.#options.defaultLimits));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const ready = readyVerdict(seen.status?.conditions, seen.generation) ?? {
        type: 'Ready',
        status: 'False' as const,
        reason: 'Retrying',
        message,
      };
      const reconciling = { type: 'Reconciling', status: 'True' as const, reason: 'Retrying', message };
      await this.#write(seen, [ready, reconciling]).catch(() => undefined);
      throw error;
    }
  }

  #tellPipelines(seen: SeenTeam, namespace: string): void {
    const mark = `${seen.uid} ${seen.generation}`;
    if (this.#told.get(seen.name) === mark) return;
    this.#told.set(seen.name, mark);
    this.#options.ready(namespace);
  }

  async #remove(seen: SeenTeam): Promise<Ending> {
    if (!seen.finalizers.includes(TEAM_FINALIZER)) return 'done';
    const removed = await this.#options.remove(manifestOf(seen, this.#options.defaultLimits));
    if (removed.outcome === 'waiting') {
      // As long as Pipelines are left, they are looked after.
      const [, now] = await this.#prepare(seen);
      const { message } = removed;
      await this.#write(seen, [{ type: 'Ready', status: 'False', reason: 'HasPipelines', message }], now);
      return { againAfterMs: REMOVAL_RETRY_MS };
    }
    await removeFinalizer(this.#options.client, KINDS.teams, seen, TEAM_FINALIZER);
    return 'done';
  }

  async #write(seen: SeenTeam, wanted: WantedCondition[], now?: TeamSaved): Promise<void> {
    const { client, watched, defaultLimits } = this.#options;
    const before = watched.teams.store.get(seen.name)?.status ?? seen.status;
    const namespace = namespaceOf(seen);
    const status = {
      observedGeneration: seen.generation,
      namespace,
      limits: teamLimits(seen.spec.limits, defaultLimits),
      pipelineCount: watched.pipelinesOf(seen.name, namespace).length,
      ...(now === undefined ? keptOf(before) : mirrored(now)),
      conditions: conditionsOf(
        [...wanted, ...this.#logCondition(seen, before)],
        before?.conditions,
        seen.generation,
        new Date(),
      ),
    };
    const wrote = await writeStatus(client, KINDS.teams, { ...seen, status: before }, status);
    if (wrote === 'written') this.#tell(seen, before, wanted[0]);
  }

  /** Only while its logs are nearly full; a new leader leaves what is said until it has counted. */
  #logCondition({ name, spec }: SeenTeam, before: SeenTeam['status']): WantedCondition[] {
    const said = before?.conditions?.some(({ type }) => type === LOGS_NEAR_LIMIT) === true;
    const fill = this.#fills.get(name) ?? (said ? 'near' : 'fine');
    if (fill === 'fine') return [];
    const limit = teamLimits(spec.limits, this.#options.defaultLimits).logBytes;
    const message =
      fill === 'full'
        ? `The logs of the team reached limits.logBytes (${limit}): the logs of its oldest builds are removed.`
        : `The logs of the team take more than 80 % of limits.logBytes (${limit}). At the limit the logs of its oldest builds are removed.`;
    return [
      {
        type: LOGS_NEAR_LIMIT,
        status: 'True',
        reason: fill === 'full' ? 'LimitReached' : 'NearLimit',
        message,
      },
    ];
  }

  #tell(seen: SeenTeam, before: SeenTeam['status'], ready: WantedCondition | undefined): void {
    const was = before?.conditions?.find(({ type }) => type === 'Ready');
    if (ready === undefined || ready.status === 'Unknown') return;
    if (was?.reason === ready.reason && was.message === ready.message) return;
    const { apiVersion, kind } = KINDS.teams;
    const { reason, message } = ready;
    this.#options.recorder.record(
      { apiVersion, kind, namespace: '', name: seen.name, uid: seen.uid },
      { type: ready.status === 'True' ? 'Normal' : 'Warning', reason, action: 'Apply', note: message },
    );
  }
}

const LOGS_NEAR_LIMIT = 'LogsNearLimit';

const APPLYING: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Applying',
  message: 'The namespace is being prepared.',
};

function stalled({ reason, message }: { reason: string; message: string }): WantedCondition[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

/** Only while some group gives no role. */
function groupCondition(ignored: IgnoredGroups | undefined): WantedCondition[] {
  return ignored === undefined ? [] : [{ type: 'GroupsIgnored', status: 'True', ...ignored }];
}

const MOST_MIRRORED = 200;

/** Whoever said it: what of the team holds now. */
function mirrored({ displayName, members, groups }: TeamSaved): NonNullable<SeenTeam['status']> {
  return defined({
    displayName,
    memberCount: members.length,
    members: members.slice(0, MOST_MIRRORED),
    groups: groups.slice(0, MOST_MIRRORED),
  });
}

function keptOf(status: SeenTeam['status']): NonNullable<SeenTeam['status']> {
  const { displayName, memberCount, members, groups } = status ?? {};
  return defined({ displayName, memberCount, members, groups });
}

function readyIn(namespace: string): WantedCondition {
  const message = `Pipelines in the namespace ${namespace} are the team's.`;
  return { type: 'Ready', status: 'True', reason: 'NamespaceReady', message };
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

function sameForUs(before: SeenTeam, after: SeenTeam): boolean {
  return (
    before.generation === after.generation &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
