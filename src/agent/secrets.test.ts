import { describe, expect, test } from '@jest/globals';
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

/** Answers in this order; the last one stays. */
function world(answers: (SecretsResponse | Error)[], limitMs?: number) {
  const masker = createMasker([]);
  const state = { over: 0, asked: [] as string[], notes: [] as string[] };
  const secrets = new Secrets({
    masker,
    onOver: () => void (state.over += 1),
    shims: new Map(),
    request: async ({ operation }) => {
      state.asked.push(operation);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
      return answer;
    },
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  const stop = new AbortController();
  const onWait = (reason: string): void => void state.notes.push(reason);
  const fetch = async (one = step): Promise<PlanStep | undefined> =>
    await secrets.of(one, { stop: stop.signal, onWait });
  return { state, masker, stop, fetch };
}

describe('the secrets of an operation', () => {
  test('are filled in and masked, and its hooks and the entrypoint of its image stay', async () => {
    const { fetch, masker, state } = world([filled]);
    expect(await fetch()).toEqual({ ...step, env: { TOKEN: 'hunter2' } });
    expect(masker.mask('it is hunter2')).toBe('it is ***');
    expect(state.asked).toEqual(['1']);
  });

  test('are not fetched if it names none', async () => {
    const { fetch, state } = world([filled]);
    const { needsSecrets: _, ...plain } = step;
    expect(await fetch(plain)).toEqual(plain);
    expect(state.asked).toEqual([]);
  });

  test('are fetched again while a store or the gateway does not answer, and the log says so once', async () => {
    const { fetch, state } = world([wait, new GatewayError('reset'), filled]);
    expect(await fetch()).toMatchObject({ env: { TOKEN: 'hunter2' } });
    expect([state.asked.length, state.notes]).toEqual([3, [wait.reason]]);
  });

  test('refuse it with the reason if the wait takes too long', async () => {
    expect(await world([wait], 0).fetch()).toEqual({ ...step, refusal: wait.reason });
  });

  test('refuse it at once if the gateway refuses the request', async () => {
    const { fetch, state } = world([new RequestRefused('400')]);
    expect(await fetch()).toMatchObject({ refusal: 'The secrets cannot be fetched from the gateway: 400.' });
    expect(state.asked).toHaveLength(1);
  });

  test('end the agent if its session is over', async () => {
    const { fetch, state } = world([new SessionOver('401')]);
    expect(await fetch()).toMatchObject({ refusal: expect.any(String) });
    expect(state.over).toBe(1);
  });

  test('are not waited for once it is stopped', async () => {
    const { fetch, stop } = world([wait]);
    const fetching = fetch();
    stop.abort();
    expect(await fetching).toBeUndefined();
  });

  test('are refused if their get cannot run, or there is no end of gets', async () => {
    const command = { container: 'gone', argv: ['get'] };
    const gets = [{ values: [{ name: 'token', key: 'k' }], command, env: {} }];
    const { fetch, state, masker } = world([{ answer: 'run', gets, masks: ['of-the-vault'] }]);
    expect(await fetch()).toMatchObject({ refusal: 'The secrets need too many gets.' });
    expect(state.asked).toHaveLength(21);
    expect(masker.mask('of-the-vault')).toBe('***');
  });
});
