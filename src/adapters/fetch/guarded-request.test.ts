import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { guardedRequests, type GuardedAnswer, type GuardedRequests } from './guarded-request.ts';

/** Servers of two origins. */
const servers: Server[] = [];
const bases: string[] = [];
let respond: RequestListener = (_request, response) => response.end('text');
const receivedRequests: IncomingMessage[] = [];
let requests: GuardedRequests;

beforeAll(async () => {
  for (const index of [0, 1]) {
    const server = createServer((request, response) => {
      receivedRequests.push(request);
      respond(request, response);
    });
    servers[index] = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    bases[index] = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }
});
beforeEach(() => {
  receivedRequests.length = 0;
  requests = guardedRequests({ allowedRanges: ['127.0.0.0/8'] });
});
afterEach(async () => await requests.close());
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

async function send(url = `${bases[0]}/a`, overrides: object = {}): Promise<GuardedAnswer> {
  return await requests.send(url, {
    method: 'GET',
    headers: { authorization: 'Bearer secret', accept: 'text/plain' },
    allowHttp: true,
    maxBytes: 1024,
    signal: AbortSignal.timeout(300_000),
    ...overrides,
  });
}

const redirectTo = (location: string): void => {
  respond = ({ url }, response) => {
    if (url === '/a') response.writeHead(307, { location }).end();
    else response.end('behind');
  };
};

describe('a request', () => {
  test('sends its headers and returns any status with headers and body', async () => {
    respond = (_request, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end('no');
    const result = await send();
    expect(result).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic' } });
    expect('bytes' in result && result.bytes.toString()).toBe('no');
    expect(receivedRequests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      accept: 'text/plain',
    });
  });

  test('can return headers only', async () => {
    respond = (_request, response) => response.writeHead(200, { 'content-length': '5000000' }).end();
    expect(await send(undefined, { method: 'HEAD' })).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
  });

  test('sends its credentials again to the same origin', async () => {
    redirectTo('/b');
    expect(await send()).toMatchObject({ status: 200 });
    expect(receivedRequests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret',
      'Bearer secret',
    ]);
  });

  test('sends no credentials to another origin', async () => {
    redirectTo(`${bases[1]}/b`);
    expect(await send()).toMatchObject({ status: 200 });
    expect(receivedRequests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret',
      undefined,
    ]);
    expect(receivedRequests[1]?.headers.accept).toBe('text/plain');
  });
});

describe('a request is refused', () => {
  test('over plain HTTP, unless allowed', async () => {
    expect(await send(undefined, { allowHttp: false })).toEqual({
      failure: 'only https is allowed here',
      transient: false,
    });
  });

  test('for a redirect to an internal address', async () => {
    redirectTo('http://169.254.169.254/');
    expect(await send()).toMatchObject({
      failure: '169.254.169.254 is not a public address',
      transient: false,
    });
  });

  test('for a redirect to a malformed URL', async () => {
    redirectTo('http://[');
    expect(await send()).toEqual({ failure: 'it redirects to a malformed URL', transient: false });
  });

  test('for a header with a line break, without its value', async () => {
    expect(await send(undefined, { headers: { 'X-Vault-Token': 'hvs.secret\n' } })).toEqual({
      failure:
        'the value of the header X-Vault-Token has a line break or another character that is not allowed',
      transient: false,
    });
    expect(await send(undefined, { headers: { 'hvs.secret\n': 'x' } })).toEqual({
      failure: 'the request is malformed',
      transient: false,
    });
  });

  test('for a loop of redirects', async () => {
    respond = (_request, response) => response.writeHead(301, { location: '/a' }).end();
    expect(await send()).toMatchObject({ failure: 'it redirects more than 5 times' });
  });

  test('for too long a body', async () => {
    respond = (_request, response) => response.end('x'.repeat(1025));
    expect(await send()).toMatchObject({ failure: 'it is longer than 1 KiB', transient: false });
  });

  test("by the caller's signal while the server is silent", async () => {
    respond = () => undefined;
    expect(await send(undefined, { signal: AbortSignal.timeout(50) })).toEqual({
      failure: 'it took too long',
      transient: true,
    });
  });
});
