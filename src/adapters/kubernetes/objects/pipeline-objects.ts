import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { PipelineCustomResource } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { observedRequestedAt } from '#adapters/kubernetes/kinds/observed-requested-at.ts';
import { renamedFromOf, renamedFromText } from '#adapters/kubernetes/kinds/renamed-from.ts';
import { ANNOTATION, PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { defined } from '#defined';
import type { PipelineObject, PipelineObjects } from '#flows/pipelines/object-ports.ts';
import { mapAnswer, newObject, objectAnswer, onlyByApi, type ObjectMeta } from './object-answer.ts';
import { replaceSpec } from './replace-spec.ts';

const kind = KINDS.pipelines;

/**
 * Reads, creates, updates and deletes Pipeline objects. `read` and `replace` answer `managed` for an object
 * that Millrace's API did not create.
 */
export function pipelineObjects(
  client: Pick<ApiClient, 'get' | 'create' | 'replace' | 'delete'>,
): PipelineObjects {
  return {
    read: async (objectKey) =>
      mapAnswer(onlyByApi(objectAnswer(await client.get(kind, objectKey))), toPipelineObject),
    async create({ namespace, name, spec, renamedFrom }, by) {
      const annotations = renamedFrom && { [ANNOTATION.renamedFrom]: renamedFromText(renamedFrom) };
      const finalizer = PIPELINE_FINALIZER;
      const object = newObject(kind, defined({ namespace, name, by, finalizer, annotations, spec }));
      return mapAnswer(objectAnswer(await client.create(kind, object)), toPipelineObject);
    },
    async replace({ namespace, name, generation }, spec, by) {
      // Every update fetches the sources again, even if the spec is equal.
      const annotations = { [ANNOTATION.requestedAt]: new Date().toISOString() };
      const change = { generation, spec: { ...spec }, by, annotations };
      return mapAnswer(await replaceSpec(client, kind, { namespace, name }, change), toPipelineObject);
    },
    remove: async ({ namespace, name, uid }) =>
      objectAnswer(await client.delete(kind, { namespace, name }, { uid })),
  };
}

function toPipelineObject({ metadata, spec, status }: Wire<PipelineCustomResource>): PipelineObject {
  const { name = '', namespace = '', uid = '', generation = 0 } = metadata;
  const { config = '', vars, displayName, public: isPublic, ...others } = spec;
  return defined({
    name,
    namespace,
    uid,
    generation,
    spec: defined({ config, vars, displayName, public: isPublic }),
    others: Object.keys(others),
    renamedFrom: renamedFromOf(metadata.annotations),
    deleting: metadata.deletionTimestamp !== undefined,
    ...judgementOf(status, metadata),
  });
}

/**
 * With these reasons of Ready=False, the operator has not yet decided whether the text is valid. It tries
 * again within about a minute, without another request.
 */
const UNDECIDED_REASONS: ReadonlySet<string> = new Set(['Retrying', 'MachineBusy']);

type Status = Wire<PipelineCustomResource>['status'];

function judgementOf(
  status: Status,
  { generation = 0, annotations }: ObjectMeta,
): Pick<PipelineObject, 'verdict' | 'undecided'> {
  const ready = conditionOf(status, 'Ready', generation);
  if (ready === undefined) return {};
  const { reason, message } = ready;
  if (ready.status === 'Unknown' || UNDECIDED_REASONS.has(reason)) return { undecided: { reason, message } };
  const requested = observedRequestedAt(annotations?.[ANNOTATION.requestedAt]);
  if (requested === status?.observedRequestedAt)
    return { verdict: { ready: ready.status === 'True', reason, message } };
  // Ready is the verdict on an earlier request. If the newest request failed with an error, Reconciling has
  // the error.
  const fault = conditionOf(status, 'Reconciling', generation);
  return fault?.reason === 'Retrying' ? { undecided: { reason: fault.reason, message: fault.message } } : {};
}

function conditionOf(status: Status, type: string, generation: number) {
  return status?.conditions?.find(
    (condition) => condition.type === type && condition.observedGeneration === generation,
  );
}
