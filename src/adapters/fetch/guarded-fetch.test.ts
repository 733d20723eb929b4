import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { guardedFetch, type FetchOptions, type FetchRules, type GuardedFetch } from './guarded-fetch.ts';
import { sourceReader } from './source-reader.ts';

let server: Server;
let port = 0;
let respond: RequestListener = (_request, response) => response.end('text');
let fetcher: GuardedFetch;

beforeAll(async () => {
  server = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A fake `dns.lookup` that knows three names. */
const resolve = ((name: string, _options: unknown, callback: (...found: unknown[]) => void) => {
  const addresses: Record<string, string[]> = {
    'types.example': ['127.0.0.1'],
    'both.example': ['10.0.0.1', '127.0.0.1'],
    'inside.example': ['10.0.0.1', '169.254.169.254'],
  };
  const found = addresses[name];
  if (found)
    callback(
      null,
      found.map((address) => ({ address, family: 4 })),
    );
  else callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
}) satisfies unknown;

function openFetcher(options: FetchOptions = {}): GuardedFetch {
  const defaults: FetchOptions = {
    allowedRanges: ['127.0.0.0/8'],
    resolve: asLookup(resolve),
    timeoutMs: 300_000,
  };
  return guardedFetch({ ...defaults, ...options });
}

/** dns.lookup has more overloads than the test needs. */
function asLookup(value: unknown): NonNullable<FetchOptions['resolve']> {
  if (!isLookup(value)) throw new Error('no function');
  return value;
}
const isLookup = (value: unknown): value is NonNullable<FetchOptions['resolve']> =>
  typeof value === 'function';

beforeEach(() => {
  respond = (_request, response) => response.end('text');
  fetcher = openFetcher();
});
afterEach(() => fetcher.close());

const http: FetchRules = { allowHttp: true };
const fetchText = async (path: string, host = 'types.example', rules = http): Promise<string> => {
  const result = await fetcher.get(`http://${host}:${port}${path}`, rules);
  return 'bytes' in result
    ? result.bytes.toString()
    : `${result.transient ? 'for now' : 'for good'}: ${result.failure}`;
};

describe('a text', () => {
  test('is fetched', async () => expect(await fetchText('/a')).toBe('text'));

  test('is fetched from an allowed address', async () => {
    expect(await fetchText('/a', 'both.example')).toBe('text');
  });

  test('is fetched after redirects', async () => {
    respond = ({ url }, response) => {
      if (url === '/c') response.end('behind');
      else
        response.writeHead(302, { location: url === '/a' ? '/b' : `http://types.example:${port}/c` }).end();
    };
    expect(await fetchText('/a')).toBe('behind');
  });

  test('is fetched without compression, which could grow', async () => {
    respond = ({ headers }, response) => response.end(String(headers['accept-encoding']));
    expect(await fetchText('/a')).toBe('identity');
  });
});

describe('a fetch is refused', () => {
  test.each<[title: string, host: string, failure: string]>([
    [
      'a name that resolves to an internal address',
      'inside.example',
      'the address of inside.example is not a public address',
    ],
    ['an internal address', '10.0.0.1', '10.0.0.1 is not a public address'],
    ['an internal address in another spelling', '0xa9fea9fe', '169.254.169.254 is not a public address'],
    ['an internal IPv6 address', '[::1]', '::1 is not a public address'],
  ])('for %s', async (_title, host, failure) =>
    expect(await fetchText('/', host)).toBe(`for good: ${failure}`),
  );

  test('for a redirect to an internal address', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    expect(await fetchText('/')).toBe('for good: 169.254.169.254 is not a public address');
  });

  test('for a redirect to another protocol or with a password', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    expect(await fetchText('/')).toBe('for good: it leads to file://');
    respond = (_request, response) =>
      response.writeHead(302, { location: 'http://a:b@types.example/' }).end();
    expect(await fetchText('/')).toBe('for good: it leads to a URL with a name or password in it');
  });

  test('for a URL or a redirect that is malformed', async () => {
    expect(await fetcher.get('http://[', http)).toEqual({
      failure: 'its URL is malformed',
      transient: false,
    });
    respond = (_request, response) => response.writeHead(302, { location: 'http://[' }).end();
    expect(await fetchText('/')).toBe('for good: it redirects to a malformed URL');
  });

  test('for a loop of redirects', async () => {
    respond = (_request, response) => response.writeHead(301, { location: '/' }).end();
    expect(await fetchText('/')).toBe('for good: it redirects more than 5 times');
  });

  test('for HTTP, unless allowed', async () => {
    expect(await fetchText('/', 'types.example', {})).toBe('for good: only https is allowed here');
  });

  test('for a host that the team does not allow', async () => {
    const hosts = ['other.example', `both.example:${port}`];
    expect(await fetchText('/', 'both.example', { ...http, hosts })).toBe('text');
    expect(await fetchText('/', 'types.example', { ...http, hosts })).toContain('is not among those');
  });

  test('for too long a body, without reading all of it', async () => {
    await fetcher.close();
    fetcher = openFetcher({ maxBytes: 1024 });
    respond = (_request, response) => response.end('x'.repeat(1025));
    expect(await fetchText('/')).toBe('for good: it is longer than 1 KiB');
    respond = (_request, response) => response.end('x'.repeat(1024));
    expect(await fetchText('/')).toHaveLength(1024);
  });
});

describe('a fetch fails', () => {
  test.each([
    [404, 'for good: the server answered with status 404'],
    [503, 'for now: the server answered with status 503'],
    [429, 'for now: the server answered with status 429'],
  ])('with status %d', async (status, message) => {
    respond = (_request, response) => response.writeHead(status).end();
    expect(await fetchText('/')).toBe(message);
  });

  test('if the server is silent', async () => {
    await fetcher.close();
    fetcher = openFetcher({ timeoutMs: 50 });
    respond = () => undefined;
    expect(await fetchText('/')).toBe('for now: it took too long');
  });

  test('if the name does not exist', async () => {
    expect(await fetchText('/', 'nowhere.example')).toBe('for now: there is no such host');
  });

  test('if the connection is cut', async () => {
    respond = ({ socket }) => socket.destroy();
    expect(await fetchText('/')).toBe('for now: the connection was cut');
  });
});

function readSource(source: string, registry?: string): Promise<unknown> {
  return sourceReader({ ...fetcher, get: (url) => fetcher.get(url, http) }, registry).read(source, http);
}

describe('a source', () => {
  test('of the registry has the URL of its name with .hcl', async () => {
    respond = ({ url }, response) => response.end(url);
    expect(await readSource('svc://feed', `http://types.example:${port}/types/`)).toEqual({
      text: '/types/feed.hcl',
      digest: 'sha256:7d4d26a8c2cf7d9d1d043c5fe19d11476e16ca51e86d0378b05f7ae93531a441',
    });
  });

  test('of the registry is an error if no registry is configured', async () => {
    expect(await readSource('svc://feed')).toMatchObject({ failure: expect.stringContaining('no registry') });
  });

  test('that is not UTF-8 text is an error', async () => {
    respond = (_request, response) => response.end(Buffer.from([0x61, 0xff]));
    expect(await readSource(`http://types.example:${port}/`)).toMatchObject({
      failure: 'it is not text in UTF-8',
    });
  });
});
