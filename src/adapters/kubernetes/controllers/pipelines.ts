import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import type { SeenOwned, SeenPipeline } from '#adapters/kubernetes/kinds/seen.ts';
import { PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import type { Watched } from '#adapters/kubernetes/watched.ts';
import type { Ending, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { EventNote, EventRecorder } from '#adapters/kubernetes/watch/recorder.ts';
import type { Change, Kept, Store } from '#adapters/kubernetes/watch/store.ts';
import { keyOf } from '#adapters/kubernetes/watch/store.ts';
import type { PipelineApplied } from '#flows/apply-pipeline.ts';
import type { PipelineManifest } from '#flows/manifest-ports.ts';
import type { PipelineFacts, PipelineName } from '#flows/ports.ts';
import type { PipelineRemoved } from '#flows/remove-pipeline.ts';
import { retryAfterMs } from './pipeline-retry.ts';
import type { PipelineStatus, Verdict } from './pipeline-status.ts';
import { eventsBetween } from './pipeline-events.ts';
import { notReady, pipelineStatus, verdictBefore, verdictOf } from './pipeline-status.ts';
import type { TeamState } from './teams.ts';
import { addFinalizer, removeFinalizer, writeStatus } from './status.ts';

/** Facts are mirrored this much later, so that a burst of them is one write. */
const MIRROR_AFTER_MS = 300;
const REMOVAL_RETRY_MS = 2000;
const TEAM_PATIENCE_MS = 10_000;

export interface PipelinesOptions {
  client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'>;
  watched: Pick<Watched, 'teamOf' | 'pipelinesIn'> & { pipelines: { store: Store<SeenPipeline> } };
  recorder: Pick<EventRecorder, 'record'>;
  queue: Pick<WorkQueue, 'add' | 'addAfter'>;
  apply(manifest: PipelineManifest): Promise<PipelineApplied>;
  remove(name: PipelineName & { uid: string }, askedMsAgo: number): Promise<PipelineRemoved>;
  facts(name: PipelineName): Promise<PipelineFacts | undefined>;
  /** Whether the Team's namespace is prepared and its row saved; when it becomes so, `teamChanged` is called. */
  teamState(team: string): TeamState;
}

/** What this process knows of a Pipeline object beyond what is watched. */
interface Known {
  uid: string;
  /** The generation last applied here; what it refers to may have changed since (`dirty`). */
  generation: number;
  requestedAt?: string | undefined;
  dirty: boolean;
  /** When this process first saw it. */
  since: number;
  verdict?: Verdict;
  paused?: boolean;
  /** As last written here: the watch may not have told it yet. */
  status?: PipelineStatus;
}

/** Carries Pipeline objects to revisions and CronJobs, and what became of them back into their status and Events. */
export class PipelinesController {
  readonly #options: PipelinesOptions;
  readonly #known = new Map<string, Known>();
  readonly #keyOfId = new Map<number, string>();

  constructor(options: PipelinesOptions) {
    this.#options = options;
  }

  changed(change: Change<SeenPipeline>): void {
    if (change.type === 'deleted') this.#known.delete(change.key);
    if (change.type === 'updated' && sameForUs(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A CronJob of ours changed: whoever owns it looks after it. */
  cronJobChanged(change: Change<SeenOwned>): void {
    if (change.type !== 'added') this.#applyAgain(`${change.object.namespace}/${change.object.pipeline}`);
  }

  /** A ConfigMap or Secret changed: the Pipelines that refer to it are applied again. */
  referenceChanged(kind: 'configMap' | 'secret', change: Change<Kept>): void {
    const { namespace, name } = change.object;
    for (const pipeline of this.#options.watched.pipelinesIn(namespace)) {
      const names = kind === 'configMap' ? pipeline.configMaps : pipeline.secrets;
      if (names.includes(name)) this.#applyAgain(keyOf(pipeline));
    }
  }

  /** The Team of the namespace changed: its rules are in the CronJobs. */
  teamChanged(namespace: string): void {
    for (const pipeline of this.#options.watched.pipelinesIn(namespace)) this.#applyAgain(keyOf(pipeline));
  }

  /** What the status of a pipeline (its row id) shows has changed: the status is written again soon. */
  factsChanged(id: number | 'all'): void {
    const keys = id === 'all' ? this.#known.keys() : [this.#keyOfId.get(id) ?? ''];
    for (const key of keys) if (this.#known.has(key)) this.#options.queue.addAfter(key, MIRROR_AFTER_MS);
  }

  /** Checks of these (row ids) may be overdue: what their statuses do not say yet is looked at. */
  checksOverdue(ids: readonly number[]): void {
    for (const id of ids) {
      const { status } = this.#known.get(this.#keyOfId.get(id) ?? '') ?? {};
      if (status?.conditions?.some(({ type }) => type === 'ChecksStalled') !== true) this.factsChanged(id);
    }
  }

  async work(key: string): Promise<Ending> {
    const seen = this.#options.watched.pipelines.store.get(key);
    if (seen === undefined) return 'done';
    const team = this.#options.watched.teamOf(seen.namespace)?.name;
    if (seen.deletedAt !== undefined) return this.#remove(seen, team);
    const state = team === undefined ? 'refused' : this.#options.teamState(team);
    if (team === undefined || state !== 'ready') return this.#awaitTeam(key, seen, { team, state });
    return this.#reconcile(key, seen, team);
  }

  async #reconcile(key: string, seen: SeenPipeline, team: string): Promise<Ending> {
    const known = this.#knownOf(key, seen);
    await this.#greet(seen);
    const name = { team, pipeline: seen.name };
    if (known.dirty || known.verdict === undefined || !isAsApplied(known, seen)) {
      known.dirty = false;
      known.requestedAt = seen.requestedAt;
      try {
        return await this.#apply(key, seen, known, name);
      } catch (error) {
        known.dirty = true;
        await this.#troubled(seen, known, error);
        throw error;
      }
    }
    const facts = await this.#options.facts(name);
    // Paused or not by the API: the CronJobs have to follow.
    if (facts !== undefined && facts.paused !== known.paused) {
      known.dirty = true;
      return { againAfterMs: 0 };
    }
    await this.#write(seen, known.verdict, facts);
    return 'done';
  }

  async #apply(key: string, seen: SeenPipeline, known: Known, name: PipelineName): Promise<Ending> {
    const manifest: PipelineManifest = defined({
      ...name,
      namespace: seen.namespace,
      uid: seen.uid,
      displayName: seen.displayName,
      public: seen.public,
      byApi: seen.byApi,
      paused: seen.paused,
      pins: seen.pins,
      requestedAt: seen.requestedAt,
      renamedFrom: seen.renamedFrom,
    });
    const applied = await this.#options.apply(manifest);
    // Its deletion is asked for, and is heard of.
    if (applied.outcome === 'renamed') return 'done';
    const verdict = verdictOf(applied, seen.status);
    known.generation = seen.generation;
    known.verdict = verdict;
    if (applied.facts !== undefined) {
      known.paused = applied.facts.paused;
      this.#keyOfId.set(applied.facts.id, key);
    }
    await this.#write(seen, verdict, applied.facts);
    const againAfterMs = retryAfterMs(applied);
    // The object that it goes on in place of is looked at again: it goes now.
    if (seen.renamedFrom !== undefined && applied.outcome !== 'renaming')
      this.#applyAgain(`${seen.namespace}/${seen.renamedFrom.name}`);
    if (againAfterMs === undefined) return 'done';
    known.dirty = true;
    return { againAfterMs };
  }

  /** At first sight: a status that says "not yet", so that nobody reads an empty one as "fine". */
  async #greet(seen: SeenPipeline): Promise<void> {
    await addFinalizer(this.#options.client, KINDS.pipelines, seen, PIPELINE_FINALIZER);
    if (seen.status?.conditions !== undefined) return;
    const ready = { type: 'Ready', status: 'Unknown' as const, reason: 'Applying', message: 'Being read.' };
    await this.#write(seen, { ready, stalled: false }, undefined);
  }

  async #write(
    seen: SeenPipeline,
    verdict: Verdict,
    facts: PipelineFacts | undefined,
    trouble?: string,
  ): Promise<void> {
    const key = keyOf(seen);
    const stored = this.#options.watched.pipelines.store.get(key)?.status;
    const known = this.#known.get(key);
    const before = known?.status ?? stored;
    const status = pipelineStatus({
      verdict,
      facts,
      before,
      generation: seen.generation,
      now: new Date(),
      trouble,
    });
    const wrote = await writeStatus(
      this.#options.client,
      KINDS.pipelines,
      { ...seen, status: stored },
      status,
    );
    if (known !== undefined) known.status = status;
    if (wrote === 'written') this.#tell(seen, eventsBetween(before, status));
  }

  #tell(seen: SeenPipeline, events: EventNote[]): void {
    const { apiVersion, kind } = KINDS.pipelines;
    const regarding = { apiVersion, kind, namespace: seen.namespace, name: seen.name, uid: seen.uid };
    for (const event of events) this.#options.recorder.record(regarding, event);
  }

  /** Best effort: the error itself goes to the queue, which tries again. */
  async #troubled(seen: SeenPipeline, known: Known, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const verdict = known.verdict ??
      verdictBefore(seen.status, seen.generation) ?? { ready: notReady('Retrying', message), stalled: false };
    await this.#write(seen, verdict, undefined, message).catch(() => undefined);
  }

  /**
   * A Team that was applied together with its Pipeline is ready in a moment: only later is its absence worth a warning. What was decided
   * about this generation stays: a new leader has yet to look at the Team.
   */
  async #awaitTeam(
    key: string,
    seen: SeenPipeline,
    { team, state }: { team: string | undefined; state: TeamState },
  ): Promise<Ending> {
    const known = this.#knownOf(key, seen);
    const patient = state === 'unknown' || Date.now() - known.since < TEAM_PATIENCE_MS;
    const message =
      team === undefined
        ? `No Team has the namespace ${seen.namespace}. A Pipeline belongs into the namespace of a Team.`
        : `The Team ${team} is not ready: kubectl describe team ${team} says why.`;
    const reason = team === undefined ? 'NoTeam' : 'TeamNotReady';
    const ready = patient
      ? { type: 'Ready', status: 'Unknown' as const, reason: 'WaitingForTeam', message }
      : notReady(reason, message);
    const isDecided = verdictBefore(seen.status, seen.generation) !== undefined;
    if (!(patient && isDecided)) await this.#write(seen, { ready, stalled: !patient }, undefined);
    return patient ? { againAfterMs: TEAM_PATIENCE_MS } : 'done';
  }

  async #remove(seen: SeenPipeline, team: string | undefined): Promise<Ending> {
    if (!seen.finalizers.includes(PIPELINE_FINALIZER)) return 'done';
    const askedMsAgo = Date.now() - (seen.deletedAt?.getTime() ?? 0);
    if (team !== undefined) {
      const name = { team, pipeline: seen.name, uid: seen.uid };
      const removed = await this.#options.remove(name, askedMsAgo);
      if (removed.outcome === 'waiting') {
        const ready = notReady('Terminating', removed.message);
        await this.#write(seen, { ready, stalled: false }, undefined);
        return { againAfterMs: REMOVAL_RETRY_MS };
      }
    }
    await removeFinalizer(this.#options.client, KINDS.pipelines, seen, PIPELINE_FINALIZER);
    return 'done';
  }

  #knownOf(key: string, seen: SeenPipeline): Known {
    const known = this.#known.get(key);
    if (known?.uid === seen.uid) return known;
    const fresh: Known = { uid: seen.uid, generation: -1, dirty: true, since: Date.now() };
    this.#known.set(key, fresh);
    return fresh;
  }

  #applyAgain(key: string): void {
    const known = this.#known.get(key);
    if (known !== undefined) known.dirty = true;
    if (this.#options.watched.pipelines.store.get(key) !== undefined) this.#options.queue.add(key);
  }
}

function isAsApplied(known: Known, seen: SeenPipeline): boolean {
  return known.generation === seen.generation && known.requestedAt === seen.requestedAt;
}

/** Our own status writes come back as updates: they ask for nothing. */
function sameForUs(before: SeenPipeline, after: SeenPipeline): boolean {
  return (
    before.generation === after.generation &&
    before.requestedAt === after.requestedAt &&
    before.renamedFrom?.key === after.renamedFrom?.key &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
