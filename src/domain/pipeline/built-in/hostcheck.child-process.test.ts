import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readRerunRequest } from '#domain/build/rerun-request.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { hostcheckScript } from './hostcheck.ts';

const SHA = 'ab'.repeat(20);
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

let server: Server;
let api = '';
let work = '';
/** Check runs that the host lists. */
let checkRuns: object[] = [];
/** How many of the next requests the host answers with status 502. */
let failures = 0;
let requests: { call: string; authorization: string; body: Record<string, unknown> }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method, url = '', headers } = request;
      requests.push({
        call: `${method} ${url}`,
        authorization: headers.authorization ?? '',
        body: text === '' ? {} : JSON.parse(text),
      });
      const answer = url.includes('access_tokens')
        ? { token: 'short-lived' }
        : { id: 1, check_runs: checkRuns };
      const status = url.includes('/nowhere/') ? 404 : 200;
      const fails = failures > 0;
      if (fails) failures -= 1;
      response.writeHead(fails ? 502 : status).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  api = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(async () => new Promise((resolve) => server.close(resolve)));
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-hostcheck-'));
  checkRuns = [];
  failures = 0;
  requests = [];
});
afterEach(() => rm(work, { recursive: true }));

const run = (variables: Record<string, string>): Promise<ScriptEnd> =>
  runScript(hostcheckScript, work, {
    HOSTCHECK_API: api,
    param_app_id: '12',
    param_installation_id: '34',
    param_private_key: privateKey,
    param_repository: 'o/r',
    BUILD_TEAM_NAME: 'main',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_JOB_NAME: 'unit',
    BUILD_NUMBER: '7',
    ...variables,
  });

const errorAt = (path: string, column?: number): object => ({ path, line: 3, column, message: 'error: x' });

describe('a notification to hostcheck', () => {
  test('creates a check run with the name of the job and a link', async () => {
    const end = await run({
      notify_status: 'in_progress',
      notify_head_sha: SHA,
      param_base_url: 'https://ci.example/',
    });
    expect(end).toMatchObject({ code: 0, stdout: '' });
    expect(requests.map(({ call }) => call)).toEqual([
      'POST /app/installations/34/access_tokens',
      `GET /repos/o/r/commits/${SHA}/check-runs?check_name=app%2Funit&filter=latest`,
      'POST /repos/o/r/check-runs',
    ]);
    expect(requests[2]).toMatchObject({
      authorization: 'token short-lived',
      body: {
        name: 'app/unit',
        head_sha: SHA,
        status: 'in_progress',
        started_at: expect.any(String),
        details_url: 'https://ci.example/teams/main/pipelines/app/jobs/unit/builds/7',
        external_id: 'main/app/unit/7',
      },
    });
  });

  test('signs the request for its token with the key of the application', async () => {
    await run({ notify_status: 'queued', version_ref: SHA, BUILD_NUMBER: '' });
    const [, header = '', body = '', signature = ''] =
      /^Bearer ([^.]+)\.([^.]+)\.(.+)$/.exec(requests[0]?.authorization ?? '') ?? [];
    const signed = Buffer.from(`${header}.${body}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({ iss: '12' });
    expect(requests[2]?.body).toEqual({ name: 'app/unit', head_sha: SHA, status: 'queued' });
  });

  test('completes the open check run', async () => {
    checkRuns = [
      { id: 1, status: 'completed' },
      { id: 5, status: 'in_progress', app: { id: 99 } },
      { id: 6, status: 'in_progress', app: { id: 12 } },
    ];
    await run({ notify_conclusion: 'success', notify_head_sha: SHA, notify_name: 'a b' });
    expect(requests[2]).toMatchObject({
      call: 'PATCH /repos/o/r/check-runs/6',
      body: { name: 'a b', status: 'completed', conclusion: 'success', external_id: 'main/app/unit/7' },
    });
  });

  test('sends the name of the build, so that a webhook of the host can retry it', async () => {
    await run({ notify_build_status: 'failed', notify_head_sha: SHA, BUILD_NUMBER: '7.1' });
    const externalId = requests[2]?.body['external_id'];
    expect(externalId).toBe('main/app/unit/7.1');
    const event = { action: 'rerequested', check_run: { id: 1, external_id: externalId } };
    expect(readRerunRequest('check_run', 'valid', JSON.stringify(event))).toEqual({
      kind: 'rerun',
      build: { team: 'main', pipeline: 'app', job: 'unit', number: '7.1' },
    });
  });

  test.each([
    ['succeeded', { status: 'completed', conclusion: 'success' }],
    ['failed', { status: 'completed', conclusion: 'failure' }],
    ['cancelled', { status: 'completed', conclusion: 'cancelled' }],
    ['waiting', { status: 'queued' }],
  ])('reports the status of the build in an automatic notification: %s', async (status, body) => {
    await run({ notify_build_status: status, notify_head_sha: SHA });
    expect(requests[2]?.body).toMatchObject(body);
  });

  test('shows the end of the log, and annotates files of the repository with the errors of compilers', async () => {
    const clone = join(work, 'app');
    await mkdir(join(clone, 'src'), { recursive: true });
    await mkdir(join(clone, '.git'));
    await writeFile(join(clone, 'src/a.c'), '');
    await run({
      notify_build_status: 'failed',
      notify_head_sha: SHA,
      BUILD_REASON: 'StepFailed',
      BUILD_LOG: JSON.stringify(['make', 'a ````` b', '@everyone $(x)']),
      BUILD_ERRORS: JSON.stringify([errorAt('src/a.c', 5), errorAt('app/src/a.c'), errorAt('elsewhere.c')]),
    });
    const annotation = {
      path: 'src/a.c',
      start_line: 3,
      end_line: 3,
      annotation_level: 'failure',
      message: 'error: x',
    };
    expect(requests[2]?.body).toMatchObject({
      conclusion: 'failure',
      output: {
        title: 'Build #7: failure (StepFailed)',
        summary:
          'Build #7: failure (StepFailed)\n\nThe end of the log:\n\n' +
          '``````text\nmake\na ````` b\n@everyone $(x)\n``````',
        annotations: [{ ...annotation, start_column: 5, end_column: 5 }, annotation],
      },
    });
  });

  test('is repeated if the host fails', async () => {
    failures = 2;
    expect(await run({ notify_conclusion: 'success', notify_head_sha: SHA })).toMatchObject({ code: 0 });
    expect(requests).toHaveLength(5);
  });

  test('can also be made by a put', async () => {
    await run({ put_conclusion: 'failure', put_head_sha: SHA });
    expect(requests[2]?.body).toMatchObject({ conclusion: 'failure', head_sha: SHA });
  });

  test('refers to the commit of the only clone', async () => {
    const clone = join(work, 'app');
    await mkdir(clone);
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
      }).trim();
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    await run({ notify_conclusion: 'success' });
    expect(requests[2]?.body).toMatchObject({ head_sha: git('rev-parse', 'HEAD') });
  });
});

describe('a notification to hostcheck fails', () => {
  test.each<[title: string, variables: Record<string, string>, message: string]>([
    ['without status and conclusion', { notify_head_sha: SHA }, 'either status or conclusion'],
    ['without a commit', { notify_status: 'queued' }, 'there is no commit to report on'],
    [
      'with an invalid key',
      { notify_status: 'queued', notify_head_sha: SHA, param_private_key: 'x' },
      'in PEM',
    ],
    [
      'if the host refuses it',
      { notify_status: 'queued', notify_head_sha: SHA, param_repository: 'nowhere/r' },
      'status 404',
    ],
    [
      'with a repository that would change the path of the request',
      { notify_status: 'x', param_repository: '../x' },
      'repository',
    ],
  ])('%s', async (_title, variables, message) => {
    const end = await run(variables);
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(end.stderr).not.toContain('PRIVATE KEY');
  });
});
