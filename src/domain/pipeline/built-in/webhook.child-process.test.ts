import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { webhookScript } from './webhook.ts';

let server: Server;
let work = '';
let url = '';
let answers: number[] = [];
let seen: {
  call: string;
  headers: IncomingHttpHeaders;
  text: string;
  event: { id?: string; type?: string };
}[] = [];

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-webhook-'));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const call = `${request.method} ${request.url}`;
      seen.push({ call, headers: request.headers, text, event: JSON.parse(text) });
      response.writeHead(answers.shift() ?? 202, { location: '/other' }).end('the answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/in/a"b?x={1,2}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(work, { recursive: true });
});
beforeEach(() => {
  seen = [];
  answers = [];
});

const PAGE = 'https://ci.example/teams/main/pipelines/app/jobs/unit/builds/7.1';
const ended = {
  BUILD_NUMBER: '7.1',
  BUILD_URL: PAGE,
  BUILD_REASON: 'StepFailed',
  notify_build_status: 'failed',
  version_ref: 'abc',
};
const run = (variables: Record<string, string>): Promise<ScriptEnd> =>
  runScript(webhookScript, work, {
    param_url: url,
    param_base_url: 'https://ci.example/',
    BUILD_JOB_NAME: 'unit',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_TEAM_NAME: 'main',
    ...variables,
  });

describe('the event of a webhook', () => {
  test('follows CloudEvents 1.0, and has what is known about the build', async () => {
    expect(await run(ended)).toMatchObject({ code: 0, stdout: '' });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      call: 'POST /in/a"b?x={1,2}',
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
    expect(seen[0]?.event).toEqual({
      specversion: '1.0',
      id: 'teams/main/pipelines/app/unit/7.1/build.failed',
      source: 'https://ci.example/teams/main/pipelines/app',
      type: 'dev.millrace.build.failed',
      subject: 'unit/7.1',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      datacontenttype: 'application/json',
      data: {
        team: 'main',
        pipeline: 'app',
        job: 'unit',
        number: '7.1',
        status: 'failed',
        reason: 'StepFailed',
        url: PAGE,
        version: { ref: 'abc' },
      },
    });
  });

  test('has the same id each time it is sent', async () => {
    await run(ended);
    await run({ ...ended, NOTIFY_MESSAGE: 'once more' });
    expect(seen[1]?.event.id).toBe(seen[0]?.event.id);
  });

  test('of a step has its attributes and message, and an id of its own', async () => {
    const step = {
      BUILD_NUMBER: '7',
      param_base_url: '',
      notify_stage: 'a "b"',
      NOTIFY_MESSAGE: 'two\nlines ü',
    };
    await run(step);
    await run({ ...step, notify_stage: 'c' });
    expect(seen[0]?.event).toMatchObject({
      source: '/teams/main/pipelines/app',
      type: 'dev.millrace.build.notified',
      data: { attributes: { stage: 'a "b"' }, message: 'two\nlines ü' },
    });
    expect(seen[1]?.event.id).not.toBe(seen[0]?.event.id);
  });

  test('has the type that the step names', async () => {
    await run({ ...ended, notify_build_status: '', notify_event: 'deploy.done' });
    expect(seen[0]?.event.type).toBe('dev.millrace.deploy.done');
  });

  test('is of a version before there is a build, and each version has its own id', async () => {
    await run({ version_ref: 'a' });
    await run({ version_ref: 'b' });
    await run({ version_ref: 'a' });
    expect(seen[0]?.event).toMatchObject({ type: 'dev.millrace.version.found', subject: 'unit' });
    expect(seen[1]?.event.id).not.toBe(seen[0]?.event.id);
    expect(seen[2]?.event.id).toBe(seen[0]?.event.id);
  });

  test('is signed, and has the token in a header', async () => {
    const secret = 'se"cret $(x) \\ü';
    await run({ ...ended, param_secret: secret, param_token: 'tok"en \\' });
    const expected = createHmac('sha256', secret)
      .update(seen[0]?.text ?? '')
      .digest('hex');
    expect(seen[0]?.headers).toMatchObject({
      'x-millrace-signature-256': `sha256=${expected}`,
      authorization: 'Bearer tok"en \\',
    });
  });

  test('is sent again a few times while the receiver is busy', async () => {
    answers = [503, 429];
    expect(await run(ended)).toMatchObject({ code: 0 });
    expect(seen.map(({ event }) => event.id)).toEqual(Array.from({ length: 3 }, () => seen[0]?.event.id));
  });
});

describe('a webhook fails', () => {
  test.each<[title: string, answer: number]>([
    ['if the receiver refuses the event', 400],
    ['if the receiver redirects', 302],
  ])('%s', async (_title, answer) => {
    answers = [answer];
    const end = await run({ ...ended, param_token: 'top-secret' });
    expect(end).toMatchObject({
      code: 1,
      stderr: `webhook: the receiver answered with status ${answer}: the answer\n`,
    });
    expect(seen).toHaveLength(1);
  });

  test.each<[title: string, variables: Record<string, string>, message: string]>([
    [
      'with a URL that is not for HTTP',
      { param_url: 'file:///etc/passwd' },
      'is not an https:// or http:// URL',
    ],
    ['with a header in the token', { param_token: 'a\r\nX-Other: b' }, 'control characters'],
  ])('%s', async (_title, variables, message) => {
    expect(await run(variables)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(seen).toEqual([]);
  });
});
