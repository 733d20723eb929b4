import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OperationAnswer } from '#flows/builds/fetch-secrets.ts';
import { ask, BUILD, fake, KEY, lines, useAgentServer } from '#testing/http/agent-server-under-test.ts';
import { hashKey } from './sessions.ts';

useAgentServer();

const PATH = '/agent/v1/secrets';
const FILLED: OperationAnswer = {
  answer: 'filled',
  masks: ['hunter2'],
  operation: { id: '0', kind: 'task', name: 'publish', env: { TOKEN: 'hunter2' } },
};

beforeEach(() => void fake.sessions.set(hashKey(KEY), BUILD));

describe('a request for the secrets of an operation', () => {
  test('is answered with their values, which do not appear in the log', async () => {
    fake.state.secrets = FILLED;
    const answer = await ask(PATH, { key: KEY, body: { operation: '0' } });
    expect(answer).toEqual({ status: 200, body: FILLED });
    expect(lines.join('')).toContain(PATH);
    expect(lines.join('')).not.toContain('hunter2');
  });

  test('is answered with the reason while a store is unreachable', async () => {
    fake.state.secrets = { answer: 'wait', reason: 'Vault is sealed.' };
    const answer = await ask(PATH, { key: KEY, body: { operation: '0' } });
    expect(answer).toEqual({ status: 200, body: fake.state.secrets });
  });

  test.each<[title: string, state: OperationAnswer, request: { key: string; body: object }, status: number]>([
    ['without the key of a session', FILLED, { key: 'x'.repeat(43), body: { operation: '0' } }, 401],
    ['of a build that is over', { answer: 'over' }, { key: KEY, body: { operation: '0' } }, 401],
    [
      'for an operation that the work does not have',
      { answer: 'unknown' },
      { key: KEY, body: { operation: '9' } },
      400,
    ],
    ['without the name of an operation', FILLED, { key: KEY, body: {} }, 400],
    ['with a name that is too long', FILLED, { key: KEY, body: { operation: 'x'.repeat(65) } }, 400],
  ])('is refused %s', async (_title, state, request, status) => {
    fake.state.secrets = state;
    const answer = await ask(PATH, request);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  });
});
