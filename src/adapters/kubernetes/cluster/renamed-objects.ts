import { isDeepStrictEqual } from 'node:util';
import { ApiError, orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient, JsonPatch } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { renamedFromOf } from '#adapters/kubernetes/kinds/renamed-from.ts';
import { ANNOTATION, BY_API, LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import type { PipelineCluster } from '#flows/pipelines/manifest-ports.ts';

const kind = KINDS.pipelines;
/** The annotation as a JSON Pointer (RFC 6901), in which `~1` stands for a slash. */
const PATH = `/metadata/annotations/${ANNOTATION.renamedFrom.replace('/', '~1')}`;

/**
 * Compares the two Pipeline objects of a rename, removes the annotation of the new one when the rename is
 * complete, and deletes the old one.
 */
export function renamedObjects(
  client: Pick<ApiClient, 'get' | 'patchJson' | 'delete'>,
): Pick<PipelineCluster, 'compareRenamed' | 'settleRename' | 'removeObject'> {
  return {
    async compareRenamed({ namespace, pipeline, renamedFrom: { name, uid } }) {
      const operation = `reading the Pipeline ${namespace}/${name}, which is renamed`;
      const old = orAbsent(await client.get(kind, { namespace, name }), operation);
      if (old?.metadata.uid !== uid) return 'gone';
      const renamed = orThrow(
        await client.get(kind, { namespace, name: pipeline }),
        `reading the Pipeline ${namespace}/${pipeline}`,
      );
      const byApi = [old, renamed].every(({ metadata }) => metadata.labels?.[LABEL.madeBy] === BY_API);
      if (!byApi) return 'managed';
      return isDeepStrictEqual(old.spec, renamed.spec) ? 'same' : 'changed';
    },
    async settleRename({ namespace, pipeline: name, uid }) {
      const operation = `settling the rename of ${namespace}/${name}`;
      const current = orAbsent(await client.get(kind, { namespace, name }), operation);
      if (current?.metadata.uid !== uid || renamedFromOf(current.metadata.annotations) === undefined) return;
      const patch: JsonPatch[] = [
        { op: 'test', path: '/metadata/uid', value: uid },
        { op: 'remove', path: PATH },
      ];
      orAbsent(await client.patchJson(kind, { namespace, name }, patch), operation);
    },
    async removeObject({ namespace, pipeline: name, uid }) {
      const answer = await client.delete(kind, { namespace, name }, { uid });
      // 409: an object with this name has another uid, so the object to delete no longer exists.
      if (!answer.ok && answer.status !== 409)
        throw new ApiError(`deleting the Pipeline ${namespace}/${name}, which was renamed`, answer);
    },
  };
}
