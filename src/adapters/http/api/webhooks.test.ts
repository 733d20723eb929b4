import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { inMemoryPorts, WEBHOOK_TOKEN } from '#testing/http/in-memory-ports.ts';

const URL = `/webhooks/${WEBHOOK_TOKEN}`;
const RESOURCE = '/teams/main/pipelines/app/resources/git.app';

const ports = inMemoryPorts();
const app = createServer({
  routes: publicRoutes(ports, async () => undefined, '0'),
  authorize: async () => ({ user: 'anna', globalAdmin: true, teams: new Map() }),
  log: createLog('silent', 'test'),
});
const post = async (url: string, payload?: string, headers: Record<string, string> = {}) =>
  await app.inject({ method: 'POST', url, headers, ...(payload !== undefined && { payload }) });

beforeEach(() => {
  ports.calls.length = 0;
});

const signed = (payload: string) => ({
  'content-type': 'application/json',
  'x-hub-signature-256': `sha256=${createHmac('sha256', `secret-of-${WEBHOOK_TOKEN}`).update(payload).digest('hex')}`,
});

describe('a webhook', () => {
  test.each<[string, string | undefined, Record<string, string>, string]>([
    ['without a signature', '{}', {}, '202 absent'],
    ['with the signature of its body', '{"a":1}', signed('{"a":1}'), '202 valid'],
    [
      'with that of an empty body',
      undefined,
      { 'x-gitlab-token': `secret-of-${WEBHOOK_TOKEN}` },
      '202 valid',
    ],
    ['with the signature of another body', '{"a":2}', signed('{"a":1}'), '403 invalid'],
    ['of a megabyte', 'x'.repeat(1024 * 1024), signed('x'.repeat(1024 * 1024)), '202 valid'],
  ])('%s', async (_, payload, headers, expected) => {
    const { statusCode } = await post(URL, payload, headers);
    expect([`webhook ${expected.split(' ')[1]}`]).toEqual(ports.calls);
    expect(String(statusCode)).toBe(expected.split(' ')[0]);
  });

  test('that is refused says where the secret is, and not what it is', async () => {
    const answer = await post(URL, '{}', { 'x-gitlab-token': 'guessed' });
    expect(answer.json()).toMatchObject({
      type: 'https://millrace.dev/problems/wrong-signature',
      status: 403,
    });
    expect(answer.body).toContain('webhook_secret');
    expect(answer.body).not.toContain('secret-of');
  });

  test('of a token that nobody has is judged all the same before it is said', async () => {
    expect((await post('/webhooks/none', '{}', { 'x-gitlab-token': 'guessed' })).statusCode).toBe(404);
    expect(ports.calls).toEqual(['webhook invalid']);
  });
});

describe('a token that is made anew', () => {
  test.each([
    [undefined, 'optional'],
    ['{"signature":"required"}', 'required'],
    ['{"signature":"optional"}', 'optional'],
    ['{}', 'optional'],
  ])('with the body %s', async (payload, signature) => {
    const answer = await post(
      `${RESOURCE}/webhook_token`,
      payload,
      payload === undefined ? {} : { 'content-type': 'application/json' },
    );
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        data: {
          resource: 'git.app',
          webhook_token: 'derived-for-5-2',
          webhook_secret: 'secret-of-derived-for-5-2',
          webhook_signature: signature,
        },
      },
    ]);
  });

  test.each(['{"signature":"sometimes"}', '[]', '"required"'])('not with the body %s', async (payload) => {
    const headers = { 'content-type': 'application/json' };
    expect((await post(`${RESOURCE}/webhook_token`, payload, headers)).statusCode).toBe(400);
  });

  test('is none of a resource that is not there', async () => {
    expect((await post(RESOURCE.replace('git.app', 'git.none') + '/webhook_token')).statusCode).toBe(404);
  });
});
