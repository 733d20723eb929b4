import { expect, test } from '@jest/globals';
import { deleteProvider, type ChangeProviderPorts } from './change-oauth-provider.ts';
import type { ObjectAnswer, ProviderObject } from './object-ports.ts';

const DONE = { answer: 'done' as const, value: undefined };
const AWAY = { answer: 'unreachable' as const, message: 'The API server of Kubernetes does not answer.' };
const ACT = { by: 'ann', at: new Date(100_000) };

const unknown = async (): Promise<ObjectAnswer<ProviderObject>> => ({ answer: 'unknown' });
const failIfUsed = (): never => {
  throw new Error('The provider is gone.');
};

/** Ports in which the provider `github` no longer has an object. */
function setUp(deletion: ObjectAnswer) {
  const deletedBefore: number[] = [];
  const ports: ChangeProviderPorts = {
    objects: {
      read: unknown,
      create: unknown,
      replace: unknown,
      remove: async () => DONE,
      saveSecret: failIfUsed,
      deleteSecret: async () => DONE,
      async deleteSecretsBefore(_, at) {
        deletedBefore.push(at.getTime());
        return deletion;
      },
    },
    oauth: {
      withSignInMethods: failIfUsed,
      providers: failIfUsed,
      local: failIfUsed,
      usersLinkedWith: failIfUsed,
    },
    now: () => ACT.at,
  };
  return { ports, deletedBefore };
}

test('deleting a provider again deletes the secrets that the first attempt left, but no new one', async () => {
  const { ports, deletedBefore } = setUp(DONE);
  expect(await deleteProvider('github', ACT, ports)).toEqual({ answer: 'unknown' });
  expect(deletedBefore).toEqual([40_000]);
});

test('deleting a provider says so if its client secret remains', async () => {
  const { ports } = setUp(AWAY);
  expect(await deleteProvider('github', ACT, ports)).toMatchObject({
    answer: 'unreachable',
    message: expect.stringContaining('Its client secret remains'),
  });
});
