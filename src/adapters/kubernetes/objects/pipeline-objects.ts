import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { PipelineObject as Manifest } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { renamedFromOf, renamedFromText } from '#adapters/kubernetes/kinds/renamed-from.ts';
import { ANNOTATION, PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { defined } from '#defined';
import type { PipelineObject, PipelineObjects } from '#flows/pipelines/object-ports.ts';
import { replaceSpec } from './replace-spec.ts';
import { made, mapped, ofApi, writtenOf } from './written.ts';

const kind = KINDS.pipelines;

/** Pipeline objects that the API made. */
export function pipelineObjects(
  client: Pick<ApiClient, 'get' | 'create' | 'replace' | 'delete'>,
): PipelineObjects {
  return {
    read: async (place) => mapped(ofApi(writtenOf(await client.get(kind, place))), seen),
    async create({ namespace, name, spec, renamedFrom }, by) {
      const annotations = renamedFrom && { [ANNOTATION.renamedFrom]: renamedFromText(renamedFrom) };
      const finalizer = PIPELINE_FINALIZER;
      const object = made(kind, defined({ namespace, name, by, finalizer, annotations, spec }));
      return mapped(writtenOf(await client.create(kind, object)), seen);
    },
    async replace({ namespace, name, generation }, spec, by) {
      // An update has sources fetched anew, also where nothing else differs.
      const annotations = { [ANNOTATION.requestedAt]: new Date().toISOString() };
      const change = { generation, spec: { ...spec }, by, annotations };
      return mapped(await replaceSpec(client, kind, { namespace, name }, change), seen);
    },
    remove: async ({ namespace, name, uid }) =>
      writtenOf(await client.delete(kind, { namespace, name }, { uid })),
  };
}

function seen({ metadata, spec, status }: Wire<Manifest>): PipelineObject {
  const { name = '', namespace = '', uid = '', generation = 0 } = metadata;
  const { config = '', vars, displayName, public: open, ...others } = spec;
  return defined({
    name,
    namespace,
    uid,
    generation,
    spec: defined({ config, vars, displayName, public: open }),
    others: Object.keys(others),
    renamedFrom: renamedFromOf(metadata.annotations),
    deleting: metadata.deletionTimestamp !== undefined,
    verdict: verdictOf(status, generation),
  });
}

function verdictOf(status: Wire<Manifest>['status'], generation: number): PipelineObject['verdict'] {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.observedGeneration !== generation || ready.status === 'Unknown') return undefined;
  return { ready: ready.status === 'True', reason: ready.reason, message: ready.message };
}
