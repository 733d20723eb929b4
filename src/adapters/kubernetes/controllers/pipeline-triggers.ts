import type { Informers } from '#adapters/kubernetes/informers/informers.ts';
import type { CronJobProjection, PipelineProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import {
  objectKey,
  type CachedObject,
  type ObjectChange,
  type Store,
} from '#adapters/kubernetes/watch/store.ts';
import type { PipelineStates } from './pipeline-states.ts';

/** Delay before a status is written, so that a burst of changes causes only one write. */
const ROW_CHANGED_AFTER_MS = 300;

export interface PipelineTriggersOptions {
  informers: Pick<Informers, 'pipelinesIn'> & { pipelines: { store: Store<PipelineProjection> } };
  queue: Pick<WorkQueue, 'add' | 'addAfter'>;
  states: PipelineStates;
  /** Milliseconds, as of `performance.now()`. */
  now?: () => number;
}

/** Enqueues Pipeline objects, and decides whether to apply them again or only to write their status. */
export class PipelineTriggers {
  readonly #options: PipelineTriggersOptions;

  constructor(options: PipelineTriggersOptions) {
    this.#options = options;
  }

  objectChanged(change: ObjectChange<PipelineProjection>): void {
    if (change.type === 'deleted') this.#options.states.forget(change.key);
    if (change.type === 'updated' && isNoChange(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A CronJob of Millrace was changed or deleted, so it may need to be restored. */
  cronJobChanged({ type, object }: ObjectChange<CronJobProjection>): void {
    if (type !== 'added') this.applyAgain(`${object.namespace}/${object.pipeline}`);
  }

  /** Applies the Pipelines again that refer to this ConfigMap or Secret. */
  referenceChanged(
    kind: 'configMap' | 'secret',
    { object: { namespace, name } }: ObjectChange<CachedObject>,
  ): void {
    for (const pipeline of this.#options.informers.pipelinesIn(namespace)) {
      const names = kind === 'configMap' ? pipeline.configMaps : pipeline.secrets;
      if (names.includes(name)) this.applyAgain(objectKey(pipeline));
    }
  }

  /**
   * Applies the Pipelines of the namespace again: their CronJobs contain rules of the Team and settings of
   * the installation.
   */
  teamChanged(namespace: string): void {
    for (const pipeline of this.#options.informers.pipelinesIn(namespace))
      this.applyAgain(objectKey(pipeline));
  }

  /**
   * Facts that the status shows may have changed in the database, for the pipeline with this row id or for
   * all. Enqueues only pipelines that `PipelineStates` knows.
   */
  rowChanged(id: number | 'all'): void {
    const { states, queue, now = () => performance.now() } = this.#options;
    const keys = id === 'all' ? states.keys() : [states.keyOfRow(id)];
    for (const key of keys) {
      if (key === undefined) continue;
      const pauseMs = (states.get(key)?.factsNotBefore ?? 0) - now();
      queue.addAfter(key, Math.max(ROW_CHANGED_AFTER_MS, pauseMs));
    }
  }

  /**
   * Checks of these pipelines (row ids) may be overdue. Enqueues the pipelines whose status has no condition
   * ChecksStalled yet.
   */
  checksOverdue(ids: readonly number[]): void {
    for (const id of ids) {
      const { status } = this.#options.states.get(this.#options.states.keyOfRow(id) ?? '') ?? {};
      if (status?.conditions?.some(({ type }) => type === 'ChecksStalled') !== true) this.rowChanged(id);
    }
  }

  applyAgain(key: string): void {
    const { states, queue, informers } = this.#options;
    states.get(key)?.invalidate();
    if (informers.pipelines.store.get(key) !== undefined) queue.add(key);
  }
}

/** Whether an update needs no work: only the operator updates the status, and labels do not matter. */
function isNoChange(before: PipelineProjection, after: PipelineProjection): boolean {
  return (
    before.generation === after.generation &&
    before.requestedAt === after.requestedAt &&
    before.renamedFrom?.key === after.renamedFrom?.key &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
