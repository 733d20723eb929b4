import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { check, pull } from './http.ts';

let work = '';
let url = '';
let server: Server;
let requests: IncomingMessage[] = [];
let answer: RequestListener = () => undefined;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-http-'));
  requests = [];
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/file`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(work, { recursive: true });
});

const run = (script: string, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(script, work, { param_url: url, ...variables });

function answerWith(headers: Record<string, string>, body = 'content'): void {
  answer = ({ method }, response) => response.writeHead(200, headers).end(method === 'HEAD' ? '' : body);
}

const answerWithJson = (value: unknown): void => answerWith({}, JSON.stringify(value));

async function versionsOf(variables: Record<string, string> = {}): Promise<unknown> {
  const { code, stdout, stderr } = await run(check, variables);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('a check', () => {
  test('prints the ETag, without getting the content', async () => {
    answerWith({ ETag: '"v1"', 'Last-Modified': 'Tue, 24 Nov 2026 05:00:00 GMT' });
    expect(await versionsOf()).toEqual([{ etag: '"v1"' }]);
    expect(requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  test('prints the time of change if there is no ETag', async () => {
    answerWith({ 'Last-Modified': 'Tue, 24 Nov 2026 05:00:00 GMT' });
    expect(await versionsOf()).toEqual([{ modified: 'Tue, 24 Nov 2026 05:00:00 GMT' }]);
  });

  test('prints the hash of the content if the headers say nothing', async () => {
    answerWith({}, 'hello\n');
    expect(await versionsOf()).toEqual([
      { hash: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03' },
    ]);
  });

  test('gets the content from a server that refuses HEAD', async () => {
    answer = ({ method }, response) =>
      method === 'HEAD' ? response.writeHead(405).end() : response.writeHead(200, { ETag: '"v2"' }).end('x');
    expect(await versionsOf()).toEqual([{ etag: '"v2"' }]);
  });

  test('follows redirects, and reads the headers of the last answer', async () => {
    answer = (request, response) =>
      request.url === '/file'
        ? response.writeHead(302, { Location: '/other', ETag: '"of-the-redirect"' }).end()
        : response.writeHead(200, { ETag: '"v3"' }).end();
    expect(await versionsOf()).toEqual([{ etag: '"v3"' }]);
  });

  test.each([
    ['.tag_name', { tag_name: 'v1.2' }, 'v1.2'],
    ['.releases[1].number', { releases: [{}, { number: 7 }] }, '7'],
    ['[0]', [true], 'true'],
    ['.a-b', { 'a-b': 'x "y"' }, 'x "y"'],
  ])('prints the value at %s', async (path, body, value) => {
    answerWithJson(body);
    expect(await versionsOf({ param_json_path: path })).toEqual([{ value }]);
  });

  test('prints every digit of a long number', async () => {
    answerWith(
      {},
      '{"text": "\\"id\\": 1234567890123456789",\n"run": [{"id": 20241127123456789}, -9007199254740993]}',
    );
    expect(await versionsOf({ param_json_path: '.run[0].id' })).toEqual([{ value: '20241127123456789' }]);
    expect(await versionsOf({ param_json_path: '.run[1]' })).toEqual([{ value: '-9007199254740993' }]);
    expect(await versionsOf({ param_json_path: '.text' })).toEqual([{ value: '"id": 1234567890123456789' }]);
  });

  test.each([
    ['.missing', { tag: 1 }, 'there is no text, number or truth value at .missing'],
    ['.list', { list: [] }, 'there is no text, number or truth value at .list'],
    ['.a.b', { a: 'text' }, 'there is no text, number or truth value at .a.b'],
    ['env.SECRET | .', {}, 'the parameter json_path is not a path'],
  ])('fails if there is no value at %s', async (path, body, reason) => {
    answerWithJson(body);
    const end = await run(check, { param_json_path: path });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain(reason);
  });

  test.each([
    ['nothing', '', 'is 0 JSON values'],
    ['two values', '{"tag": "v1"}\n{"tag": "v2"}', 'is 2 JSON values'],
    ['a page for people', '<!DOCTYPE html>', 'parse error'],
  ])('fails if the answer has %s in place of a JSON value', async (_title, body, reason) => {
    answerWith({}, body);
    const end = await run(check, { param_json_path: '.tag' });
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
  });

  test('fails with the status of the answer', async () => {
    answer = (_request, response) => response.writeHead(404).end('gone');
    expect(await run(check)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'http: the server answered with status 404\n',
    });
  });

  test('sends the token to the host of the URL only', async () => {
    const other = createServer((request, response) => {
      requests.push(request);
      response.writeHead(200, { ETag: '"v1"' }).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.2', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    answer = (_request, response) => response.writeHead(302, { Location: `http://127.0.0.2:${port}/` }).end();
    await versionsOf({ param_token: String.raw`a"b\c` });
    await new Promise((resolve) => other.close(resolve));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      String.raw`Bearer a"b\c`,
      undefined,
    ]);
  });

  test.each(['file:///etc/passwd', '-o/tmp/x', '', 'https://a\nurl = "file:///etc/passwd"'])(
    'refuses the URL %j',
    async (wrong) => {
      const end = await run(check, { param_url: wrong });
      expect([end.code, end.stdout]).toEqual([1, '']);
      expect(end.stderr).toMatch(/^http: the parameter/);
    },
  );
});

describe('a get', () => {
  test('writes the content of the version to the file', async () => {
    answerWith({ ETag: '"v1"' });
    expect(await run(pull, { version_etag: '"v1"', param_file: 'a/b.json' })).toMatchObject({ code: 0 });
    expect(readFileSync(join(work, 'a/b.json'), 'utf8')).toBe('content');
  });

  test('writes the answer that has the value', async () => {
    answerWithJson({ tag: 'v1' });
    await run(pull, { version_value: 'v1', param_json_path: '.tag' });
    expect(readFileSync(join(work, 'response'), 'utf8')).toBe('{"tag":"v1"}');
  });

  test.each([
    [{ version_etag: '"v0"' }],
    [{ version_modified: 'Mon, 23 Nov 2026 05:00:00 GMT' }],
    [{ version_hash: '0'.repeat(64) }],
  ])('fails if the content has changed since %j', async (version) => {
    answerWith({ ETag: '"v1"' });
    const end = await run(pull, version);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('has changed since this version was found');
    expect(existsSync(join(work, 'response'))).toBe(false);
  });

  test.each(['/etc/x', '../x', 'a/../../x'])('refuses the file %j', async (file) => {
    answerWith({ ETag: '"v1"' });
    const end = await run(pull, { version_etag: '"v1"', param_file: file });
    expect(end).toMatchObject({ code: 1 });
    expect(end.stderr).toContain('cannot be the name of a file');
  });
});
