import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { chatScripts } from './chat.ts';

let server: Server;
let work = '';
let url = '';
let status = 200;
let seen: { path: string; type: string; body: unknown }[] = [];

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-chat-'));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      seen.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', body });
      response.writeHead(status).end('the answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook/a"b`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(work, { recursive: true });
});
beforeEach(() => {
  seen = [];
  status = 200;
});

const build = {
  BUILD_NUMBER: '7',
  BUILD_JOB_NAME: 'unit',
  BUILD_PIPELINE_NAME: 'app',
  BUILD_TEAM_NAME: 'main',
};
const run = (variables: Record<string, string>, script = chatScripts.chatone): Promise<ScriptEnd> =>
  runScript(script, work, { param_webhook_url: url, ...build, ...variables });

describe('the message of a chat', () => {
  test.each<[title: string, variables: Record<string, string>, text: string]>([
    ['is that of the notification', { NOTIFY_MESSAGE: 'say "hi"\nüü $(x) \\' }, 'say "hi"\nüü $(x) \\'],
    [
      'is a default for the status success',
      { notify_build_status: 'success' },
      '✅ [app/unit] Build #7 - success',
    ],
    [
      'is a default for the status failure',
      { notify_build_status: 'failure' },
      '❌ [app/unit] Build #7 - failure',
    ],
    [
      'is a default for the status cancel',
      { notify_build_status: 'cancel' },
      '⚠️ [app/unit] Build #7 - cancel',
    ],
    [
      'is a default for the status succeeded',
      { notify_build_status: 'succeeded' },
      '✅ [app/unit] Build #7 - succeeded',
    ],
    [
      'is a default for the status failed',
      { notify_build_status: 'failed' },
      '❌ [app/unit] Build #7 - failed',
    ],
    [
      'is a default for the status cancelled',
      { notify_build_status: 'cancelled' },
      '⚠️ [app/unit] Build #7 - cancelled',
    ],
    [
      'is a default for the status waiting',
      { notify_build_status: 'waiting' },
      '⏳ [app/unit] Build #7 needs approval',
    ],
    ['is a default without a status', {}, '[app/unit] Build #7'],
    ['is a default before a build', { BUILD_NUMBER: '' }, '[app/unit] triggered'],
    [
      'is a default with a link',
      { notify_build_status: 'success', param_base_url: 'https://ci.example/' },
      '✅ [app/unit] Build #7 - success - https://ci.example/teams/main/pipelines/app/jobs/unit/builds/7',
    ],
    [
      'is that of the notification without a link',
      { NOTIFY_MESSAGE: 'x', param_base_url: 'https://ci.example' },
      'x',
    ],
  ])('%s', async (_title, variables, text) => {
    expect(await run(variables)).toMatchObject({ code: 0, stdout: '' });
    expect(seen).toEqual([{ path: '/hook/a"b', type: 'application/json', body: { text } }]);
  });

  test('is in the right field for each chat, and cut to its limit', async () => {
    await run({ NOTIFY_MESSAGE: 'ü'.repeat(3000) }, chatScripts.chattwo);
    expect(seen).toMatchObject([{ body: { content: 'ü'.repeat(1990) } }]);
  });
});

describe('mentions in the message of a chat', () => {
  const filled = '<!channel> <@U1> @everyone <@1> <@&2> <https://x|y> <!subteam^S1|a>';

  test('from values that were filled in ping nobody', async () => {
    const variables = { NOTIFY_MESSAGE: filled, NOTIFY_TEMPLATE: '$GET_APP_BRANCH' };
    await run(variables);
    await run(variables, chatScripts.chattwo);
    expect(seen.map(({ body }) => body)).toEqual([
      { text: '&lt;!channel> &lt;@U1> @everyone &lt;@1> &lt;@&2> <https://x|y> &lt;!subteam^S1|a>' },
      { content: filled, allowed_mentions: { parse: [], users: [], roles: [] } },
    ]);
  });

  test('that the author of the pipeline wrote ping, and only those', async () => {
    const written = '<!channel> @here <@1> <@!3> <@&2> $GET_APP_BRANCH';
    const message = written.replace('$GET_APP_BRANCH', '<!here> <@9>');
    await run({ NOTIFY_MESSAGE: message, NOTIFY_TEMPLATE: written });
    await run({ NOTIFY_MESSAGE: message, NOTIFY_TEMPLATE: written }, chatScripts.chattwo);
    expect(seen.map(({ body }) => body)).toEqual([
      { text: '<!channel> @here <@1> <@!3> <@&2> &lt;!here> &lt;@9>' },
      { content: message, allowed_mentions: { parse: ['everyone'], users: ['1', '3'], roles: ['2'] } },
    ]);
  });

  test('of everyone from filled-in values ping nobody, even if the author wrote another one', async () => {
    const message = '@here failed: @everyone @here'.padEnd(3000, '@everyone');
    await run(
      { NOTIFY_MESSAGE: message, NOTIFY_TEMPLATE: '@here failed: $GET_APP_BRANCH' },
      chatScripts.chattwo,
    );
    const content = expect.stringMatching(
      /^@here failed: @\u200beveryone @here(?:@\u200beveryone)+[@\u200bevryon]*$/,
    );
    expect(seen).toMatchObject([{ body: { content, allowed_mentions: { parse: ['everyone'] } } }]);
    expect(JSON.stringify(seen[0]?.body).length).toBeLessThan(2100);
  });
});

describe('a notification to a chat fails', () => {
  test('if the chat refuses it, and prints the refusal', async () => {
    status = 400;
    const end = await run({});
    expect(end.code).not.toBe(0);
    expect(end.stderr).toContain('the answer');
    expect(end.stderr).not.toContain('hook');
  });

  test.each(['', 'file:///etc/passwd', '-x'])('with the URL %j', async (bad) => {
    expect(await run({ param_webhook_url: bad })).toMatchObject({
      code: 1,
      stderr: 'chat: the parameter webhook_url is not a URL\n',
    });
  });
});
