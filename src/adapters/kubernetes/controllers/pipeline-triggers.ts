import type { Watched } from '#adapters/kubernetes/informers/informers.ts';
import type { SeenOwned, SeenPipeline } from '#adapters/kubernetes/informers/projections.ts';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import { keyOf, type Change, type Kept, type Store } from '#adapters/kubernetes/watch/store.ts';
import type { PipelineMemory } from './pipeline-states.ts';

/** The database is asked this much later, so that a burst of changes is one write of the status. */
const ROW_CHANGED_AFTER_MS = 300;

export interface PipelineTriggersOptions {
  watched: Pick<Watched, 'pipelinesIn'> & { pipelines: { store: Store<SeenPipeline> } };
  queue: Pick<WorkQueue, 'add' | 'addAfter'>;
  memory: PipelineMemory;
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

  objectChanged(change: Change<SeenPipeline>): void {
    if (change.type === 'deleted') this.#options.memory.forget(change.key);
    if (change.type === 'updated' && isNoChange(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A CronJob of ours was changed or deleted: it may have to be written again. */
  cronJobChanged({ type, object }: Change<SeenOwned>): void {
    if (type !== 'added') this.applyAgain(`${object.namespace}/${object.pipeline}`);
  }

  /** The Pipelines that refer to this ConfigMap or Secret read it again. */
  referenceChanged(kind: 'configMap' | 'secret', { object: { namespace, name } }: Change<Kept>): void {
    for (const pipeline of this.#options.watched.pipelinesIn(namespace)) {
      const names = kind === 'configMap' ? pipeline.configMaps : pipeline.secrets;
      if (names.includes(name)) this.applyAgain(keyOf(pipeline));
    }
  }

  /** The rules of the Team are in the CronJobs of its Pipelines. */
  teamChanged(namespace: string): void {
    for (const pipeline of this.#options.watched.pipelinesIn(namespace)) this.applyAgain(keyOf(pipeline));
  }

  /** The database has something new about a pipeline (row id) that its status shows. */
  rowChanged(id: number | 'all'): void {
    const { memory, queue } = this.#options;
    const keys = id === 'all' ? memory.keys() : [memory.keyOfRow(id)];
    for (const key of keys) if (key !== undefined) queue.addAfter(key, ROW_CHANGED_AFTER_MS);
  }

  /**
   * Checks of these pipelines (row ids) may be overdue: those whose status does not say so yet are looked at.
   */
  checksOverdue(ids: readonly number[]): void {
    for (const id of ids) {
      const { status } = this.#options.memory.get(this.#options.memory.keyOfRow(id) ?? '') ?? {};
      if (status?.conditions?.some(({ type }) => type === 'ChecksStalled') !== true) this.rowChanged(id);
    }
  }

  applyAgain(key: string): void {
    const { memory, queue, watched } = this.#options;
    memory.get(key)?.invalidate();
    if (watched.pipelines.store.get(key) !== undefined) queue.add(key);
  }
}

/** Our own writes of the status come back as updates, and so do changes of labels. */
function isNoChange(before: SeenPipeline, after: SeenPipeline): boolean {
  return (
    before.generation === after.generation &&
    before.requestedAt === after.requestedAt &&
    before.renamedFrom?.key === after.renamedFrom?.key &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
