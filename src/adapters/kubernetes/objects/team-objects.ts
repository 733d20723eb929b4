import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { TeamObject as Manifest } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { TEAM_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import type { TeamObject, TeamObjects } from '#flows/people/object-ports.ts';
import { made, mapped, ofApi, writtenOf } from './written.ts';

/** Team objects that the API made: they say nothing but that there is such a team. */
export function teamObjects(client: Pick<ApiClient, 'get' | 'create' | 'delete'>): TeamObjects {
  const read = async (name: string) => ofApi(writtenOf(await client.get(KINDS.teams, { name })));
  return {
    read: async (name) => mapped(await read(name), seen),
    create: async (name, by) =>
      writtenOf(await client.create(KINDS.teams, made(KINDS.teams, { name, by, finalizer: TEAM_FINALIZER }))),
    async remove(name) {
      const found = await read(name);
      if (found.answer !== 'done') return found;
      const { uid } = found.value.metadata;
      return writtenOf(await client.delete(KINDS.teams, { name }, uid === undefined ? {} : { uid }));
    },
  };
}

function seen({ metadata, status }: Wire<Manifest>): TeamObject {
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    ...(stalled?.status === 'True' && { refused: stalled.message }),
  };
}
