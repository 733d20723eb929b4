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
  authenticate: async () => ({ user: 'anna', globalAdmin: true, teams: new Map() }),
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
    ['is accepted without a signature if none is required', '{}', {}, '202 absent'],
    ['is accepted with a valid signature', '{"a":1}', signed('{"a":1}'), '202 valid'],
    [
      'is accepted without a body with a valid token',
      undefined,
      { 'x-gitlab-token': `secret-of-${WEBHOOK_TOKEN}` },
      '202 valid',
    ],
    ['is refused with the signature of another body', '{"a":2}', signed('{"a":1}'), '403 invalid'],
    [
      'is accepted with a body of 1 MiB',
      'x'.repeat(1024 * 1024),
      signed('x'.repeat(1024 * 1024)),
      '202 valid',
    ],
  ])('%s', async (_, payload, headers, expected) => {
    const { statusCode } = await post(URL, payload, headers);
    expect([`webhook ${expected.split(' ')[1]}`]).toEqual(ports.calls);
    expect(String(statusCode)).toBe(expected.split(' ')[0]);
  });

  test('is refused with a message that names the setting and not the secret', async () => {
    const answer = await post(URL, '{}', { 'x-gitlab-token': 'guessed' });
    expect(answer.json()).toMatchObject({
      type: 'https://millrace.dev/problems/wrong-signature',
      status: 403,
    });
    expect(answer.body).toContain('webhook_secret');
    expect(answer.body).not.toContain('secret-of');
  });

  test('with an unknown token has its signature checked before it is answered', async () => {
    expect((await post('/webhooks/none', '{}', { 'x-gitlab-token': 'guessed' })).statusCode).toBe(404);
    expect(ports.calls).toEqual(['webhook invalid']);
  });
});

describe('a new webhook token', () => {
  test.each([
    [undefined, 'optional'],
    ['{"signature":"required"}', 'required'],
    ['{"signature":"optional"}', 'optional'],
    ['{}', 'optional'],
  ])('is created with the body %s', async (payload, signature) => {
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

  test.each(['{"signature":"sometimes"}', '[]', '"required"'])(
    'is not created with the body %s',
    async (payload) => {
      const headers = { 'content-type': 'application/json' };
      expect((await post(`${RESOURCE}/webhook_token`, payload, headers)).statusCode).toBe(400);
    },
  );

  test('is not created for a resource that does not exist', async () => {
    expect((await post(RESOURCE.replace('git.app', 'git.none') + '/webhook_token')).statusCode).toBe(404);
  });
});
