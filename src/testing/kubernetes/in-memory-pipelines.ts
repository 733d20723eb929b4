import { defined } from '#defined';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import type { PipelineCluster, PipelineManifest } from '#flows/pipelines/manifest-ports.ts';
import type {
  NewPipelineObject,
  PipelineObject,
  PipelineObjectKey,
  PipelineObjects,
  PipelineSpec,
} from '#flows/pipelines/object-ports.ts';
import type { RenamedFrom } from '#flows/pipelines/rename-ports.ts';

interface StoredPipeline extends NewPipelineObject {
  uid: string;
  generation: number;
  byApi: boolean;
  deleting: boolean;
  verdict?: NonNullable<PipelineObject['verdict']>;
  undecided?: NonNullable<PipelineObject['undecided']>;
}

/**
 * Pipeline objects in memory, for the gateway and the operator. A deleted object stays until the operator
 * removes its finalizer.
 */
export class InMemoryPipelines {
  readonly stored = new Map<string, StoredPipeline>();
  /** Names of the pipelines whose checks are scheduled. */
  readonly scheduled = new Set<string>();
  #uid = 0;

  /** Adds an object that the API has created, or, with `byApi` false, an object of a manifest. */
  add(object: NewPipelineObject, byApi = true): StoredPipeline {
    this.#uid += 1;
    const stored = { ...object, uid: `uid-${this.#uid}`, generation: 1, byApi, deleting: false };
    this.stored.set(keyOf(object), stored);
    return stored;
  }

  readonly objects: PipelineObjects = {
    read: async (objectKey) => this.#ofApi(objectKey),
    create: async (object) => {
      if (this.stored.has(keyOf(object))) return { answer: 'exists' };
      return { answer: 'done', value: toPipelineObject(this.add(object)) };
    },
    replace: async (read, spec) => {
      const existing = this.stored.get(keyOf(read));
      if (existing?.uid !== read.uid) return { answer: 'unknown' };
      if (existing.generation !== read.generation) return { answer: 'changed' };
      return { answer: 'done', value: toPipelineObject(this.#updateSpec(existing, spec)) };
    },
    remove: async (read) => {
      await this.cluster.removeObject(manifestOf(read, ''));
      return { answer: 'done', value: undefined };
    },
  };

  readonly cluster: PipelineCluster = {
    configurationOf: async (pipeline) => {
      const config = this.stored.get(keyOf(objectKeyOf(pipeline)))?.spec.config ?? '';
      return { answer: 'found', config, variables: {}, digest: config };
    },
    sourceRulesOf: () => ({}),
    pipelineLimitOf: () => undefined,
    podRulesOf: (name) => ({ name, workers: [] }),
    nodeLabel: (tag) => tag,
    applyChecks: async ({ pipeline }) => {
      this.scheduled.add(pipeline);
      return [];
    },
    compareRenamed: async (renaming) => {
      const { name, uid } = renaming.renamedFrom;
      const old = this.stored.get(keyOf({ namespace: renaming.namespace, name }));
      const renamed = this.stored.get(keyOf(objectKeyOf(renaming)));
      if (old?.uid !== uid) return 'gone';
      if (!old.byApi || renamed?.byApi !== true) return 'managed';
      return old.spec.config === renamed.spec.config ? 'same' : 'changed';
    },
    settleRename: async (pipeline) => {
      const existing = this.stored.get(keyOf(objectKeyOf(pipeline)));
      if (existing?.uid === pipeline.uid) delete existing.renamedFrom;
    },
    removeObject: async (pipeline) => {
      const existing = this.stored.get(keyOf(objectKeyOf(pipeline)));
      if (existing?.uid === pipeline.uid) existing.deleting = true;
    },
  };

  manifests(team: string): (PipelineManifest & { deleting: boolean })[] {
    return [...this.stored.values()].map((object) => ({
      ...manifestOf(object, team),
      deleting: object.deleting,
    }));
  }

  /** Sets the operator's verdict in the status. */
  judge(pipeline: PipelineManifest, verdict: NonNullable<PipelineObject['verdict']>): void {
    const existing = this.stored.get(keyOf(objectKeyOf(pipeline)));
    if (existing?.uid === pipeline.uid) existing.verdict = verdict;
  }

  /** Removes the finalizer, as the operator does. */
  removeFinalizer(pipeline: PipelineManifest): void {
    const key = keyOf(objectKeyOf(pipeline));
    if (this.stored.get(key)?.uid !== pipeline.uid) return;
    this.stored.delete(key);
    this.scheduled.delete(pipeline.pipeline);
  }

  #ofApi(objectKey: PipelineObjectKey): ObjectAnswer<PipelineObject> {
    const existing = this.stored.get(keyOf(objectKey));
    if (existing === undefined) return { answer: 'unknown' };
    return existing.byApi ? { answer: 'done', value: toPipelineObject(existing) } : { answer: 'managed' };
  }

  #updateSpec(existing: StoredPipeline, spec: PipelineSpec): StoredPipeline {
    const hasSameText = existing.spec.config === spec.config;
    existing.spec = spec;
    existing.generation += hasSameText ? 0 : 1;
    if (!hasSameText) delete existing.verdict;
    return existing;
  }
}

function keyOf({ namespace, name }: PipelineObjectKey): string {
  return `${namespace}/${name}`;
}

function objectKeyOf({ namespace, pipeline }: PipelineManifest): PipelineObjectKey {
  return { namespace, name: pipeline };
}

function toPipelineObject(object: Omit<PipelineObject, 'others'>): PipelineObject {
  return { ...object, others: [] };
}

function manifestOf(
  object: PipelineObjectKey & { uid: string; renamedFrom?: RenamedFrom },
  team: string,
): PipelineManifest {
  const { namespace, name, uid, renamedFrom } = object;
  return { team, pipeline: name, namespace, uid, ...defined({ renamedFrom }) };
}
