import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { TeamCustomResource } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { TEAM_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import type { TeamObject, TeamObjects } from '#flows/people/object-ports.ts';
import { mapAnswer, newObject, objectAnswer, onlyByApi } from './object-answer.ts';

/**
 * Reads, creates and deletes Team objects. The API creates them with an empty spec. The answer is `managed`
 * for a Team that the API did not create.
 */
export function teamObjects(client: Pick<ApiClient, 'get' | 'create' | 'delete'>): TeamObjects {
  const read = async (name: string) => onlyByApi(objectAnswer(await client.get(KINDS.teams, { name })));
  return {
    read: async (name) => mapAnswer(await read(name), toTeamObject),
    create: async (name, by) =>
      objectAnswer(
        await client.create(KINDS.teams, newObject(KINDS.teams, { name, by, finalizer: TEAM_FINALIZER })),
      ),
    async remove(name) {
      const found = await read(name);
      if (found.answer !== 'done') return found;
      const { uid } = found.value.metadata;
      return objectAnswer(await client.delete(KINDS.teams, { name }, uid === undefined ? {} : { uid }));
    },
  };
}

function toTeamObject({ metadata, status }: Wire<TeamCustomResource>): TeamObject {
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    ...(stalled?.status === 'True' && { refused: stalled.message }),
  };
}
