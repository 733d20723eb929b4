import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import type { SeenTeam } from '#adapters/kubernetes/kinds/seen.ts';
import type { Watched } from '#adapters/kubernetes/watched.ts';
import type { Ending, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import type { Change } from '#adapters/kubernetes/watch/store.ts';
import type { TeamApplied } from '#flows/apply-team.ts';
import type { TeamManifest } from '#flows/manifest-ports.ts';
import type { TeamRemoved } from '#flows/remove-team.ts';
import type { WantedCondition } from './conditions.ts';
import { conditionsOf } from './conditions.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';

const FINALIZER = 'millrace.dev/team';
const REMOVAL_RETRY_MS = 5000;
/** What others do to the namespace is not watched: it is looked at again after this time. */
const LOOK_AGAIN_MS = 300_000;

export interface TeamsOptions {
  client: ApiClient;
  watched: Watched;
  recorder: EventRecorder;
  queue: WorkQueue;
  apply(manifest: TeamManifest): Promise<TeamApplied>;
  remove(manifest: TeamManifest): Promise<TeamRemoved>;
  /** The team is ready, or its rules changed: its Pipelines are to be applied. */
  ready(namespace: string): void;
}

/** Keeps the namespaces of Teams as they should be, and watches what happens in them. */
export class TeamsController {
  readonly #options: TeamsOptions;
  /** The generation of each Team for which its Pipelines were told. */
  readonly #told = new Map<string, string>();

  constructor(options: TeamsOptions) {
    this.#options = options;
  }

  changed(change: Change<SeenTeam>): void {
    if (change.type === 'deleted') {
      this.#told.delete(change.key);
      void this.#options.watched.leaveNamespace(namespaceOf(change.object));
    }
    if (change.type === 'updated' && sameForUs(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A Pipeline came to or went from the namespace: the Team counts them. */
  pipelinesChanged(namespace: string): void {
    const team = this.#options.watched.teamOf(namespace);
    if (team !== undefined) this.#options.queue.add(team.name);
  }

  /** Its namespace is prepared and watched, and its row is saved. */
  isReady(name: string): boolean {
    return this.#told.has(name);
  }

  async work(name: string): Promise<Ending> {
    const seen = this.#options.watched.teams.store.get(name);
    if (seen === undefined) return 'done';
    if (seen.deletedAt !== undefined) return this.#remove(seen);
    await addFinalizer(this.#options.client, KINDS.teams, seen, FINALIZER);
    if (seen.status?.conditions === undefined) await this.#write(seen, APPLYING);
    const refused = await this.#prepare(seen);
    if (refused === undefined) await this.#write(seen, readyIn(namespaceOf(seen)));
    else await this.#write(seen, ...refused);
    return { againAfterMs: LOOK_AGAIN_MS };
  }

  /** The namespace as it should be, watched, and its Pipelines told; or why it cannot be. */
  async #prepare(seen: SeenTeam): Promise<WantedCondition[] | undefined> {
    const applied = await this.#apply(seen);
    if (applied.outcome === 'refused') {
      this.#told.delete(seen.name);
      const { reason, message } = applied;
      return [
        { type: 'Ready', status: 'False', reason, message },
        { type: 'Stalled', status: 'True', reason, message },
      ];
    }
    const namespace = namespaceOf(seen);
    await this.#options.watched.watchNamespace(namespace);
    this.#tellPipelines(seen, namespace);
    return undefined;
  }

  async #apply(seen: SeenTeam): Promise<TeamApplied> {
    try {
      return await this.#options.apply(manifestOf(seen));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const ready = { type: 'Ready', status: 'False' as const, reason: 'Retrying', message };
      const reconciling = { type: 'Reconciling', status: 'True' as const, reason: 'Retrying', message };
      await this.#write(seen, ready, reconciling).catch(() => undefined);
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
    if (!seen.finalizers.includes(FINALIZER)) return 'done';
    const removed = await this.#options.remove(manifestOf(seen));
    if (removed.outcome === 'waiting') {
      // As long as Pipelines are left, they are looked after.
      await this.#prepare(seen);
      const { message } = removed;
      await this.#write(seen, { type: 'Ready', status: 'False', reason: 'HasPipelines', message });
      return { againAfterMs: REMOVAL_RETRY_MS };
    }
    await removeFinalizer(this.#options.client, KINDS.teams, seen, FINALIZER);
    return 'done';
  }

  async #write(seen: SeenTeam, ...wanted: WantedCondition[]): Promise<void> {
    const { client, watched } = this.#options;
    const before = watched.teams.store.get(seen.name)?.status ?? seen.status;
    const namespace = namespaceOf(seen);
    const status = {
      observedGeneration: seen.generation,
      namespace,
      pipelineCount: watched.pipelinesIn(namespace).length,
      conditions: conditionsOf(wanted, before?.conditions, seen.generation, new Date()),
    };
    const wrote = await writeStatus(client, KINDS.teams, { ...seen, status: before }, status);
    if (wrote === 'written') this.#tell(seen, before, wanted[0]);
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

const APPLYING: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Applying',
  message: 'The namespace is being prepared.',
};

function readyIn(namespace: string): WantedCondition {
  const message = `Pipelines in the namespace ${namespace} are the team's.`;
  return { type: 'Ready', status: 'True', reason: 'NamespaceReady', message };
}

function namespaceOf(team: SeenTeam): string {
  return team.spec.namespace ?? team.name;
}

function manifestOf(seen: SeenTeam): TeamManifest {
  const { name, uid } = seen;
  const { displayName, limits, retention } = seen.spec;
  return defined({
    name,
    uid,
    namespace: namespaceOf(seen),
    displayName,
    runningBuilds: limits?.runningBuilds,
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
