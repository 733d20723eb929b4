import { describe, expect, jest, test } from '@jest/globals';
import type { SecretsResponse } from '#domain/build/agent-protocol.ts';
import { createMasker } from '#domain/build/mask-secrets.ts';
import type { PlanStep } from '#domain/planning/plan.ts';
import { GatewayError, RequestRefused, SessionOver } from './gateway-client.ts';
import { Secrets } from './secrets.ts';

const step: PlanStep = {
  id: '1',
  kind: 'task',
  name: 'publish',
  needsSecrets: true,
  env: { TOKEN: 'placeholder' },
  command: { container: 'image-1', argv: ['/entrypoint'] },
  hooks: { ensure: [] },
};
const filled: SecretsResponse = {
  answer: 'filled',
  masks: ['hunter2'],
  operation: { ...step, env: { TOKEN: 'hunter2' }, command: { container: 'image-1', argv: [] } },
};
const wait: SecretsResponse = {
  answer: 'wait',
  reason: 'The vault secret token has no value: it is sealed.',
};

/** Secrets of a gateway that gives these answers in this order, and then repeats the last one. */
function secretsWith(answers: (SecretsResponse | Error)[], limitMs?: number) {
  const masker = createMasker([]);
  const state = { sessionsOver: 0, requested: [] as string[], notes: [] as string[] };
  const secrets = new Secrets({
    masker,
    onOver: () => void (state.sessionsOver += 1),
    shims: new Map(),
    request: async ({ operation }) => {
      state.requested.push(operation);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined || Error.isError(answer)) throw answer ?? new Error('no answer');
      return answer;
    },
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  const stop = new AbortController();
  const onWait = (reason: string): void => void state.notes.push(reason);
  const fetch = async (operation = step): Promise<PlanStep | undefined> =>
    await secrets.fillIn(operation, { stop: stop.signal, onWait });
  return { state, masker, stop, fetch };
}

describe('the secrets of an operation', () => {
  test('are filled in and masked, and the hooks and the entrypoint of the operation stay', async () => {
    const { fetch, masker, state } = secretsWith([filled]);
    expect(await fetch()).toEqual({ ...step, env: { TOKEN: 'hunter2' } });
    expect(masker.mask('it is hunter2')).toBe('it is ***');
    expect(state.requested).toEqual(['1']);
  });

  test('are not fetched if the operation needs none', async () => {
    const { fetch, state } = secretsWith([filled]);
    const { needsSecrets: _, ...plain } = step;
    expect(await fetch(plain)).toEqual(plain);
    expect(state.requested).toEqual([]);
  });

  test('are fetched again while a store or the gateway does not answer, and the log says so once', async () => {
    const { fetch, state } = secretsWith([wait, new GatewayError('reset'), filled]);
    expect(await fetch()).toMatchObject({ env: { TOKEN: 'hunter2' } });
    expect([state.requested.length, state.notes]).toEqual([3, [wait.reason]]);
  });

  test('refuse the operation with the reason if the wait takes too long', async () => {
    expect(await secretsWith([wait], 0).fetch()).toEqual({ ...step, refusal: wait.reason });
  });

  test('are still fetched again if the clock of the node jumps', async () => {
    const { fetch } = secretsWith([wait, filled]);
    const clock = jest.spyOn(Date, 'now').mockReturnValueOnce(0).mockReturnValue(3_600_000);
    expect(await fetch()).toMatchObject({ env: { TOKEN: 'hunter2' } });
    clock.mockRestore();
  });

  test('refuse the operation at once if the gateway refuses the request', async () => {
    const { fetch, state } = secretsWith([new RequestRefused('400')]);
    expect(await fetch()).toMatchObject({ refusal: 'The secrets cannot be fetched from the gateway: 400.' });
    expect(state.requested).toHaveLength(1);
  });

  test('call onOver if the session of the agent is over', async () => {
    const { fetch, state } = secretsWith([new SessionOver('401')]);
    expect(await fetch()).toMatchObject({ refusal: expect.any(String) });
    expect(state.sessionsOver).toBe(1);
  });

  test('are not waited for once the operation is stopped', async () => {
    const { fetch, stop } = secretsWith([wait]);
    const fetching = fetch();
    stop.abort();
    expect(await fetching).toBeUndefined();
  });

  test('refuse the operation if the gateway asks for more and more gets', async () => {
    const command = { container: 'gone', argv: ['get'] };
    const gets = [{ values: [{ name: 'token', key: 'k' }], command, env: {} }];
    const { fetch, state, masker } = secretsWith([{ answer: 'run', gets, masks: ['of-the-vault'] }]);
    expect(await fetch()).toMatchObject({ refusal: 'The secrets need too many gets.' });
    expect(state.requested).toHaveLength(21);
    expect(masker.mask('of-the-vault')).toBe('***');
  });
});
