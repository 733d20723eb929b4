import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '#testing/network/certificate.ts';
import type { FetchOptions } from './guarded-fetch.ts';
import { guardedWebFetch, type GuardedWebFetch } from './guarded-web-fetch.ts';

let server: Server;
let base = '';
let ca = '';
let respond: RequestListener = (_request, response) => response.end('text');
let fetcher: GuardedWebFetch | undefined;

beforeAll(async () => {
  const { key, cert } = await makeCertificate();
  ca = cert;
  server = createServer({ key, cert }, (request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  base = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterEach(async () => await fetcher?.close());
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const request = async (
  url: string,
  options: FetchOptions = {},
  body?: URLSearchParams,
): Promise<Response> => {
  fetcher = guardedWebFetch({ allowedRanges: ['127.0.0.0/8'], ca, timeoutMs: 300_000, ...options });
  return await fetcher.fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { accept: 'text/plain' },
    ...(body && { body }),
  });
};

describe('a fetch function for a library', () => {
  test('returns status, headers and text', async () => {
    respond = (_request, response) => response.writeHead(201, { 'x-one': 'two' }).end('found');
    const response = await request(base);
    expect([response.status, response.headers.get('x-one'), await response.text()]).toEqual([
      201,
      'two',
      'found',
    ]);
  });

  test('sends a form', async () => {
    respond = (received, response) =>
      void text(received).then((sent) => response.end(`${received.method} ${sent}`));
    expect(await (await request(base, {}, new URLSearchParams({ code: 'a b' }))).text()).toBe(
      'POST code=a+b',
    );
  });

  test('does not follow redirects', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end();
    expect((await request(base)).status).toBe(302);
  });

  test('accepts a response without a body', async () => {
    respond = (_request, response) => response.writeHead(204).end();
    expect((await request(base)).status).toBe(204);
  });

  const refused: Record<string, [url: () => string, options: FetchOptions, message: string]> = {
    'an address that is not public': [() => base, { allowedRanges: [] }, 'is not a public address'],
    'the metadata service': [() => 'https://169.254.169.254/latest', {}, 'is not a public address'],
    'plain HTTP': [() => base.replace('https:', 'http:'), {}, 'only https is allowed'],
    'a URL with a password': [() => base.replace('//', '//a:b@'), {}, 'a name or password'],
    'a file': [() => 'file:///etc/passwd', {}, 'it leads to file:'],
    'too long an answer': [() => base, { maxBytes: 3 }, 'longer than'],
  };
  test.each(Object.entries(refused))('refuses %s', async (_name, [url, options, message]) => {
    respond = (_request, response) => response.end('text');
    await expect(request(url(), options)).rejects.toThrow(message);
  });

  test('times out', async () => {
    respond = () => undefined;
    await expect(request(base, { timeoutMs: 500 })).rejects.toThrow(/aborted due to timeout/);
  });
});
