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

const rerun = (id: string) =>
  JSON.stringify({ action: 'rerequested', check_run: { id: 1, external_id: id } });
const deliver = async (id: string, headers = signed(rerun(id))) =>
  await post(URL, rerun(id), { ...headers, 'x-github-event': 'check_run' });

describe('a webhook of a re-run', () => {
  test('retries the build that the check run belongs to', async () => {
    const answer = await deliver('main/app/unit/5');
    const url = '/teams/main/pipelines/app/jobs/unit/builds/5.1';
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      {
        data: {
          accepted: true,
          rerun: { retried: true, build: { job: 'unit', number: '5.1', url }, reasons: [] },
        },
      },
    ]);
    expect(ports.calls).toEqual([
      'webhook valid',
      'retry 5 by webhook of git.app',
      'audit job.retried of app/unit/5 by webhook of git.app',
    ]);
  });

  test.each([
    ['of a build that runs', 'main/app/unit/8', 'NotEnded', 'Build 8 of unit has not ended.'],
    ['of a build that does not exist', 'main/app/unit/99', 'BuildUnknown', 'does not exist'],
    ['of a job that does not exist', 'main/app/none/5', 'BuildUnknown', 'does not exist'],
    ['of another pipeline', 'main/managed/unit/5', 'OtherPipeline', 'another pipeline'],
  ])('%s is accepted, retries nothing and says why', async (_title, id, code, message) => {
    const answer = await deliver(id);
    const reasons = [{ code, message: expect.stringContaining(message) }];
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      { data: { accepted: true, rerun: { retried: false, reasons } } },
    ]);
    expect(ports.calls).toEqual(['webhook valid']);
  });

  test('that names no build of Millrace is accepted, says why, and requests no check', async () => {
    const answer = await deliver('ci-4711');
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { data: { rerun: { retried: false, reasons: [{ code: 'NoBuildNamed' }] } } },
    ]);
    expect(ports.calls).toEqual([]);
  });

  test('is refused with a wrong signature and retries nothing', async () => {
    const answer = await deliver('main/app/unit/5', signed('another body'));
    expect(answer.statusCode).toBe(403);
    expect(ports.calls).toEqual(['webhook invalid']);
  });

  test('without a signature requests a check and retries nothing', async () => {
    const headers = { 'x-github-event': 'check_run', 'content-type': 'application/json' };
    const answer = await post(URL, rerun('main/app/unit/5'), headers);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { data: { rerun: { retried: false, reasons: [{ code: 'SignatureMissing' }] } } },
    ]);
    expect(ports.calls).toEqual(['webhook absent']);
  });

  test('of a body above 256 KiB is accepted with its signature, and not read', async () => {
    const large = `${rerun('main/app/unit/5')}${' '.repeat(256 * 1024)}`;
    const answer = await post(URL, large, { ...signed(large), 'x-github-event': 'check_run' });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { data: { rerun: { retried: false, reasons: [{ code: 'BodyTooLarge' }] } } },
    ]);
  });

  test('to an unknown token is answered like any other', async () => {
    const text = rerun('main/app/unit/5');
    const headers = { 'x-gitlab-token': 'secret-of-none', 'x-github-event': 'check_run' };
    expect((await post('/webhooks/none', text, headers)).statusCode).toBe(404);
    expect(ports.calls).toEqual(['webhook valid']);
  });

  test.each([
    ['asks for no re-run', JSON.stringify({ action: 'created', check_run: { id: 1 } })],
    ['names no build of Millrace', rerun('ci-4711')],
  ])('that %s is refused if its token is unknown', async (_title, text) => {
    const headers = { 'x-gitlab-token': 'secret-of-none', 'x-github-event': 'check_run' };
    expect((await post('/webhooks/none', text, headers)).statusCode).toBe(404);
    expect(ports.calls).toEqual([]);
  });

  test('with the body of a push requests a check only', async () => {
    const answer = await post(URL, '{}', { ...signed('{}'), 'x-github-event': 'push' });
    expect(answer.json()).toEqual({ data: { accepted: true } });
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
