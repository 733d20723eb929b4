import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CommandError } from '#cli/terminal.ts';
import { Api, requestPath } from './api.ts';

/* A server that answers like another program, or like a gateway that fails. */
interface CannedResponse {
  status?: number;
  type?: string;
  body?: string;
  /** The body never ends. */
  endless?: boolean;
  /** After the body, the connection stays open without more data. */
  silent?: boolean;
  location?: string;
}

let server: Server;
let url: string;
/** What the server sends next. */
let next: CannedResponse = {};
/** Headers of the requests so far. */
const requests: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.headers);
    const { status = 200, type = 'application/json', body = '', endless, silent, location } = next;
    response.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    if (endless === true) sendEndlessly(response);
    else if (silent === true) response.write(body);
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function sendEndlessly(response: ServerResponse): void {
  const piece = 'x'.repeat(1024 * 1024);
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

const ask = async (tokenOrigin: 'of the environment' | 'of a login' = 'of a login'): Promise<unknown> =>
  await new Api({ url, tokenOrigin }, 'tok_secret').get('/x');
const problem = (kind: string, detail: string, more: object = {}): string =>
  JSON.stringify({ type: `https://millrace.dev/problems/${kind}`, title: 'x', detail, ...more });

describe('a response', () => {
  test('is requested with the token and our user agent', async () => {
    next = { body: '{"data":[1]}', type: 'application/json; charset=utf-8' };
    expect(await ask()).toEqual([1]);
    expect(requests.at(-1)).toMatchObject({
      authorization: 'Bearer tok_secret',
      'user-agent': expect.stringMatching(/^millrace\/\d/),
      accept: 'application/json',
    });
  });

  const cases: Record<string, [response: CannedResponse, message: string | RegExp]> = {
    'of another program is an error': [
      { type: 'text/html', body: '<p>' },
      /does not answer like a Millrace gateway: it sent text\/html\./,
    ],
    'without data is an error': [{ body: '{"items":[]}' }, 'sent JSON without data'],
    'without an end is an error': [
      { endless: true },
      /does not answer like a Millrace gateway: it sent more than 33554432 bytes\./,
    ],
    'without an end and with status 500 is an error': [
      { status: 500, endless: true },
      'sent more than 33554432 bytes',
    ],
    'with incomplete JSON is an error': [{ body: '{"data":' }, 'sent invalid JSON'],
    'that redirects to another host names that host': [
      { status: 308, location: 'https://ci.example.org/x' },
      /redirects to https:\/\/ci\.example\.org: use that address as the server$/,
    ],
    'that redirects to nowhere is an error': [{ status: 302 }, /redirects$/],
    'of a proxy is shown with its status': [
      { status: 502, type: 'text/html', body: '<p>' },
      /answered 502 without a message of Millrace\. A proxy may not reach the gateway: try again in a minute\.$/,
    ],
    'of a proxy that limits requests says to try again': [
      { status: 429, type: 'text/html', body: '<p>' },
      /answered 429 without a message of Millrace\. A proxy limits your requests: try again in a minute\.$/,
    ],
    'of a proxy that refuses says whom to ask': [
      { status: 413, type: 'text/html', body: '<p>' },
      /answered 413 without a message of Millrace\. A proxy may have refused the request: ask whoever runs it\.$/,
    ],
    'with an internal error is shown with its request id once': [
      { status: 500, body: problem('internal-error', 'Tell the id 7a.', { instance: 'urn:request:7a' }) },
      /^Tell the id 7a\.$/,
    ],
    'with another error of the server is shown with its request id': [
      { status: 500, body: problem('unavailable', 'The request failed.', { instance: 'urn:request:7' }) },
      'The request failed. (urn:request:7)',
    ],
    'that refuses the token of a login says how to log in': [
      { status: 401, body: problem('unauthenticated', 'The token is not valid here.') },
      /^The token is not valid here\. Log in: run millrace login http:\/\/127\.0\.0\.1:\d+$/,
    ],
    'of a server that may be older says so': [
      { status: 404, body: problem('not-found', 'No such path.') },
      'may be older than this',
    ],
    'with the problem that the pipeline does not exist says what to check': [
      { status: 404, body: problem('not-found', 'Pipeline app in team main does not exist.') },
      /exist\. Check the name and --team\.$/,
    ],
    'with the problem that the user does not exist mentions no team': [
      { status: 404, body: problem('not-found', 'User ann does not exist.') },
      /exist\. Check the name\.$/,
    ],
    'with the problem that the pipeline exists says how to change it': [
      { status: 409, body: problem('already-exists', 'Pipeline app exists already.') },
      /already\. To change it, run millrace pipelines update\.$/,
    ],
    'with the problem that the token exists gives no advice about pipelines': [
      { status: 409, body: problem('already-exists', 'You have a token of this name.') },
      /^You have a token of this name\.$/,
    ],
    'with the problem that a manifest lists the members gives no advice about pipelines': [
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
  test.each(Object.entries(cases))('%s', async (_name, [response, message]) => {
    next = response;
    await expect(ask()).rejects.toThrow(message);
  });

  test('that refuses the token of the environment names MILLRACE_TOKEN', async () => {
    next = { status: 401, body: problem('unauthenticated', 'No.') };
    await expect(ask('of the environment')).rejects.toThrow('No. Check MILLRACE_TOKEN');
  });

  test('that redirects is not followed, because the other address would get the token', async () => {
    next = { status: 302, location: `${url}/elsewhere` };
    const before = requests.length;
    await expect(ask()).rejects.toThrow('redirects');
    expect(requests).toHaveLength(before + 1);
  });
});

test.each(['tok_secret\nof ann', 'tok secret', 'tok_secret…'])(
  'a string that cannot be a token is neither sent nor shown: %j',
  async (token) => {
    const before = requests.length;
    const asks = async (): Promise<unknown> =>
      await new Api({ url, tokenOrigin: 'of the environment' }, token).get('/x');
    await expect(asks).rejects.toThrow(/^(?![^]*secret).*the token of the environment contains characters/);
    expect(requests).toHaveLength(before);
  },
);

const download = (response: CannedResponse): AsyncGenerator<string> => {
  next = { type: 'text/plain', ...response };
  return new Api({ url, tokenOrigin: 'of a login' }, 'tok_secret').download('/logs');
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
    expect(() => requestPath('teams', name)).toThrow(
      'is not a valid name: a name is not empty, has no slash, and is neither . nor ..',
    );
  });
});
