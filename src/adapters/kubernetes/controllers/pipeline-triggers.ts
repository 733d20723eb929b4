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

/** The database is asked this much later, so that a burst of changes is one write of the status. */
const ROW_CHANGED_AFTER_MS = 300;

export interface PipelineTriggersOptions {
  informers: Pick<Informers, 'pipelinesIn'> & { pipelines: { store: Store<PipelineProjection> } };
  queue: Pick<WorkQueue, 'add' | 'addAfter'>;
  states: PipelineStates;
}

/**
 * What puts a Pipeline object into the queue, and whether it is then applied again or only its status is
 * written.
 */
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

  /** A CronJob of ours was changed or deleted: it may have to be written again. */
  cronJobChanged({ type, object }: ObjectChange<CronJobProjection>): void {
    if (type !== 'added') this.applyAgain(`${object.namespace}/${object.pipeline}`);
  }

  /** The Pipelines that refer to this ConfigMap or Secret read it again. */
  referenceChanged(
    kind: 'configMap' | 'secret',
    { object: { namespace, name } }: ObjectChange<CachedObject>,
  ): void {
    for (const pipeline of this.#options.informers.pipelinesIn(namespace)) {
      const names = kind === 'configMap' ? pipeline.configMaps : pipeline.secrets;
      if (names.includes(name)) this.applyAgain(objectKey(pipeline));
    }
  }

  /** The rules of the Team are in the CronJobs of its Pipelines. */
  teamChanged(namespace: string): void {
    for (const pipeline of this.#options.informers.pipelinesIn(namespace))
      this.applyAgain(objectKey(pipeline));
  }

  /** The database has something new about a pipeline (row id) that its status shows. */
  rowChanged(id: number | 'all'): void {
    const { states, queue } = this.#options;
    const keys = id === 'all' ? states.keys() : [states.keyOfRow(id)];
    for (const key of keys) if (key !== undefined) queue.addAfter(key, ROW_CHANGED_AFTER_MS);
  }

  /**
   * Checks of these pipelines (row ids) may be overdue: those whose status does not say so yet are looked at.
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

/** Our own writes of the status come back as updates, and so do changes of labels. */
function isNoChange(before: PipelineProjection, after: PipelineProjection): boolean {
  return (
    before.generation === after.generation &&
    before.requestedAt === after.requestedAt &&
    before.renamedFrom?.key === after.renamedFrom?.key &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
