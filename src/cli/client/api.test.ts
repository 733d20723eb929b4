import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CommandError } from '#cli/terminal.ts';
import { Api, requestPath } from './api.ts';

/* Responses of servers that are no gateway, or that fail. */
interface Said {
  status?: number;
  type?: string;
  body?: string;
  /** More follows, without an end. */
  endless?: boolean;
  /** Nothing follows, and there is no end. */
  silent?: boolean;
  location?: string;
}

let server: Server;
let url: string;
let says: Said = {};
const got: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  server = createServer((asked, answer) => {
    got.push(asked.headers);
    const { status = 200, type = 'application/json', body = '', endless, silent, location } = says;
    answer.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    if (endless === true) sendOn(answer);
    else if (silent === true) answer.write(body);
    else answer.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function sendOn(answer: ServerResponse): void {
  const piece = 'x'.repeat(1024 * 1024);
  const write = (): void => {
    while (!answer.destroyed && answer.write(piece));
  };
  answer.on('drain', write);
  write();
}

const ask = async (token: 'of the environment' | 'of a login' = 'of a login'): Promise<unknown> =>
  await new Api({ url, token }, 'tok_secret').get('/x');
const problem = (kind: string, detail: string, more: object = {}): string =>
  JSON.stringify({ type: `https://millrace.dev/problems/${kind}`, title: 'x', detail, ...more });

describe('a response', () => {
  test('is requested with the token and our user agent', async () => {
    says = { body: '{"data":[1]}', type: 'application/json; charset=utf-8' };
    expect(await ask()).toEqual([1]);
    expect(got.at(-1)).toMatchObject({
      authorization: 'Bearer tok_secret',
      'user-agent': expect.stringMatching(/^millrace\/\d/),
      accept: 'application/json',
    });
  });

  const cases: Record<string, [said: Said, message: string | RegExp]> = {
    'of another program is an error': [
      { type: 'text/html', body: '<p>' },
      /sent text\/html, as no Millrace gateway does/,
    ],
    'without data is an error': [{ body: '{"items":[]}' }, 'sent an answer without data'],
    'without an end is an error': [
      { endless: true },
      /sent more than 33554432 bytes, as no Millrace gateway does/,
    ],
    'without an end and with status 500 is an error': [
      { status: 500, endless: true },
      'sent more than 33554432 bytes',
    ],
    'with incomplete JSON is an error': [{ body: '{"data":' }, 'sent JSON that cannot be read'],
    'that redirects to another host names that host': [
      { status: 308, location: 'https://ci.example.org/x' },
      /redirects to https:\/\/ci\.example\.org: use that address as the server$/,
    ],
    'that redirects to nowhere is an error': [{ status: 302 }, /redirects$/],
    'of a proxy is shown with its status': [
      { status: 502, type: 'text/html', body: '<p>' },
      /answered 502\.$/,
    ],
    'with an internal error is shown with its request id': [
      { status: 500, body: problem('internal-error', 'The request failed.', { instance: 'urn:request:7' }) },
      'The request failed. (urn:request:7)',
    ],
    'that refuses the token of a login says how to log in': [
      { status: 401, body: problem('unauthenticated', 'The token is not valid here.') },
      /^The token is not valid here\. Log in: run millrace login http:\/\/127\.0\.0\.1:\d+$/,
    ],
    'of an older server says so': [
      { status: 404, body: problem('not-found', 'No such path.') },
      'may be older than this',
    ],
    'without a pipeline of that name says where to look': [
      { status: 404, body: problem('not-found', 'Pipeline app in team main does not exist.') },
      /exist\. Check the name and --team\.$/,
    ],
    'without a user of that name mentions no team': [
      { status: 404, body: problem('not-found', 'User ann does not exist.') },
      /exist\. Check the name\.$/,
    ],
    'that there is such a pipeline says how to change it': [
      { status: 409, body: problem('already-exists', 'Pipeline app exists already.') },
      /already\. To change it, run millrace pipelines update\.$/,
    ],
    'that there is such a token gives no advice for pipelines': [
      { status: 409, body: problem('already-exists', 'You have a token of this name.') },
      /^You have a token of this name\.$/,
    ],
    'that a manifest has the members gives no advice for pipelines': [
      { status: 409, body: problem('managed-by-manifest', 'The manifest of this team lists its members.') },
      /members\.$/,
    ],
    'with an unknown problem type is shown with its detail': [
      { status: 418, body: problem('tea', 'Tea.') },
      'Tea.',
    ],
    'is shown without control characters': [
      { status: 409, body: problem('refused', 'a\u001b[2Jb') },
      'a\uFFFD[2Jb',
    ],
    "with a problem type named like an object's own property is shown": [
      { status: 409, body: problem('constructor', 'No.') },
      /^No\.$/,
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [said, message]) => {
    says = said;
    await expect(ask()).rejects.toThrow(message);
  });

  test('that refuses the token of the environment names MILLRACE_TOKEN', async () => {
    says = { status: 401, body: problem('unauthenticated', 'No.') };
    await expect(ask('of the environment')).rejects.toThrow('No. Check MILLRACE_TOKEN');
  });

  test('that redirects is not followed, because the token would go along', async () => {
    says = { status: 302, location: `${url}/elsewhere` };
    const before = got.length;
    await expect(ask()).rejects.toThrow('redirects');
    expect(got).toHaveLength(before + 1);
  });
});

test.each(['tok_secret\nof ann', 'tok secret', 'tok_secret…'])(
  'a string that cannot be a token is neither sent nor shown: %j',
  async (token) => {
    const before = got.length;
    const asking = async (): Promise<unknown> =>
      await new Api({ url, token: 'of the environment' }, token).get('/x');
    await expect(asking).rejects.toThrow(/^(?![^]*secret).*the token of the environment contains characters/);
    expect(got).toHaveLength(before);
  },
);

const download = (said: Said): AsyncGenerator<string> => {
  says = { type: 'text/plain', ...said };
  return new Api({ url, token: 'of a login' }, 'tok_secret').download('/logs');
};

describe('a download', () => {
  beforeEach(
    () =>
      void jest.useFakeTimers({
        doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'],
      }),
  );
  afterEach(() => void jest.useRealTimers());

  test('waits for a slow reader', async () => {
    const log = download({ endless: true });
    await log.next();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(await log.next()).toMatchObject({ done: false, value: expect.stringMatching(/^x+$/) });
    await log.return(undefined);
  });

  test('fails if nothing more arrives', async () => {
    const log = download({ body: 'one', silent: true });
    expect(await log.next()).toEqual({ done: false, value: 'one' });
    const more = expect(log.next()).rejects.toThrow(CommandError);
    await jest.advanceTimersByTimeAsync(30_000);
    await more;
  });
});

describe('a request path', () => {
  test('encodes names with any characters', () => {
    expect(requestPath('teams', 'a b', 'x?y#z', 'ü%')).toBe('/teams/a%20b/x%3Fy%23z/%C3%BC%25');
  });

  test.each([[''], ['.'], ['..'], ['a/b']])('is refused for the name %j', (name) => {
    expect(() => requestPath('teams', name)).toThrow('is not a valid name');
  });
});
