import { expect, test } from '@jest/globals';
import { applyTeam } from './apply-team.ts';

const never = async (): Promise<never> => {
  throw new Error('This must not be called.');
};

test('a team with a namespace of the cluster is refused before anything is created or saved', async () => {
  const ports = {
    store: { withTeam: never },
    cluster: { prepareNamespace: never, pipelinesOf: never },
    now: () => new Date(0),
  };
  const manifest = { name: 'system', uid: 'uid-1', namespace: 'kube-system' };
  expect(await applyTeam(manifest, ports)).toEqual({
    outcome: 'refused',
    answer: 'refused',
    reason: 'NamespaceReserved',
    message: 'The namespace kube-system is reserved for the cluster. Choose another one.',
  });
});
