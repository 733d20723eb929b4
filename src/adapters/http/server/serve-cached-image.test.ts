import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { cachedPictures, imageRoutes } from '#adapters/http/api/images.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { Overviews, PictureOptions } from '#flows/views/show-pipeline.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';
import type { PressureLimits } from './pressure.ts';
import { createServer } from './server.ts';

/*
 * Requests with any credential, even a cookie of another site, go to the route. With `UNCACHED`, the tests
 * get the response of the route and compare it with the cached one.
 */
const SVG = '/teams/main/pipelines/app/image.svg';
const ROUTE = '/teams/:team/pipelines/:pipeline/image.svg';
const UNCACHED = { cookie: 'of=another-site' };

const state = { drawn: 0, draining: false, public: true };
const observed: { method: string; route: string; status: number; seconds: number }[] = [];
const lines: string[] = [];

const pictureOf = ({ format, hideIntermediates, groupParallel }: PictureOptions) => {
  const text = `${format} ${hideIntermediates} ${groupParallel}`;
  return { tag: `tag-${text.replaceAll(' ', '-')}`, public: state.public, bytes: Buffer.from(`<${text}>`) };
};
const overviews: Overviews = {
  ...inMemoryPorts().overviews,
  picture: async (_name, member, options) => {
    const { bytes, ...picture } = pictureOf(options);
    state.drawn += 1;
    return member || picture.public ? { ...picture, draw: async () => ({ bytes }) } : undefined;
  },
  cachedPicture: (_name, options) =>
    state.public && options.version === undefined ? pictureOf(options) : undefined,
};
const serve = (pressure?: PressureLimits) =>
  createServer({
    routes: imageRoutes({ ...inMemoryPorts(), overviews }),
    cachedImages: cachedPictures(overviews),
    authenticate: async () => 'anonymous',
    externalUrl: 'https://ci.example.org',
    trustedProxies: ['127.0.0.0/8'],
    log: createLog('info', 'test', { write: (line) => void lines.push(line) }),
    draining: () => state.draining,
    observe: (facts) => void observed.push(facts),
    ...(pressure && { pressure }),
  });
const app = serve();
let base = '';

beforeAll(async () => {
  base = await app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  Object.assign(state, { drawn: 0, draining: false, public: true });
});
afterAll(async () => await app.close());

async function fetchImage(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = state.drawn;
  const request = send(`${base}${path}`, {
    method,
    headers: { 'x-request-id': 'asked-by-a-proxy', ...headers },
  });
  const [response]: IncomingMessage[] = await once(request.end(), 'response');
  if (response === undefined) throw new Error('There is no answer.');
  const { statusCode: status, headers: responseHeaders } = response;
  const text = Buffer.concat(await response.toArray()).toString();
  return { status, headers: { ...responseHeaders, date: '' }, text, drawn: state.drawn > before };
}

const PATHS = [
  SVG,
  SVG.replace('svg', 'png'),
  `${SVG}?hide_intermediates=1`,
  `${SVG}?group_parallel=true&hide_intermediates=0`,
];

test.each(PATHS)('%s: the cached answer equals the answer of the route', async (path) => {
  const cachedAnswer = await fetchImage(path);
  expect(cachedAnswer).toMatchObject({ status: 200, drawn: false });
  expect(await fetchImage(path, UNCACHED)).toEqual({ ...cachedAnswer, drawn: true });
});

test.each(['"tag-svg-false-false"', 'W/"tag-svg-false-false"', '"of-yesterday", "tag-svg-false-false"', '*'])(
  'a request with a matching tag (%s) gets 304, as from the route',
  async (tag) => {
    const cachedAnswer = await fetchImage(SVG, { 'if-none-match': tag });
    expect(cachedAnswer).toMatchObject({ status: 304, text: '', drawn: false });
    const { headers } = await fetchImage(SVG, { ...UNCACHED, 'if-none-match': tag });
    expect(headers).toEqual(cachedAnswer.headers);
  },
);

test('a request with an old tag gets the whole image', async () => {
  expect(await fetchImage(SVG, { 'if-none-match': '"of-yesterday"' })).toMatchObject({
    status: 200,
    drawn: false,
  });
});

test.each<[string, string, Record<string, string>?]>([
  ['with a token', SVG, { authorization: 'Bearer mine' }],
  ['for a version', `${SVG}?version_id=3`],
  ['with an unknown query parameter', `${SVG}?hide_intermediates=1&more=1`],
  ['with the same parameter twice', `${SVG}?group_parallel=1&group_parallel=0`],
  ['with a query that ends in &', `${SVG}?group_parallel=1&`],
  ['for a name in another encoding', SVG.replace('app', '%61pp')],
  ['for a name that is too long', SVG.replace('app', 'a'.repeat(64))],
])('a request %s is passed to the route', async (_name, path, headers = {}) => {
  const { drawn, status } = await fetchImage(path, headers);
  expect({ drawn, status }).toEqual({ drawn: status === 200, status });
  expect(await fetchImage(path, { ...headers, ...UNCACHED })).toMatchObject({ status });
});

test('unknown paths occupy no memory afterwards, however long they are', () => {
  const find = cachedPictures(overviews);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heapUsed = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  for (let count = 0; count < 4000; count++)
    expect(find(`/image.${count}${'a'.repeat(15_900)}`)).toBeUndefined();
  const after = heapUsed();
  expect(find(SVG)).toBeDefined();
  expect(after - before).toBeLessThan(10_000_000);
});

test.each(['HEAD', 'POST', 'DELETE', 'PURGE', 'QUERY'])('%s is passed to the routes', async (method) => {
  expect(await fetchImage(SVG, {}, method)).toMatchObject({
    text: method === 'HEAD' ? '' : expect.stringContaining('404'),
  });
});

test('an image of a private pipeline is not cached and looks like an absent one', async () => {
  state.public = false;
  const hidden = await fetchImage(SVG);
  expect(hidden).toMatchObject({ status: 404 });
  expect(await fetchImage(SVG, UNCACHED)).toEqual(hidden);
});

test('the route answers during shutdown and closes the connection', async () => {
  state.draining = true;
  expect(await fetchImage(SVG)).toMatchObject({ status: 200, drawn: true, headers: { connection: 'close' } });
});

test('an overloaded process also refuses cached images', async () => {
  const overloaded = serve({ delay: 1e9, heapBytes: 1 });
  const normalBase = base;
  base = await overloaded.listen({ host: '127.0.0.1', port: 0 });
  // The heap is measured once a second.
  while (overloaded.memoryUsage().heapUsed === 0) await sleep(25);
  expect(await fetchImage(SVG)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  base = normalBase;
  await overloaded.close();
});

test('log and metrics are the same as for the route, except for the time', async () => {
  lines.length = observed.length = 0;
  await fetchImage(SVG);
  await fetchImage(SVG, UNCACHED);
  await fetchImage(SVG, { 'if-none-match': '*' });
  await fetchImage(SVG, { 'if-none-match': '*', ...UNCACHED });
  const logLines = lines.map((line): Record<string, unknown> => ({
    ...JSON.parse(line),
    time: '',
    milliseconds: 0,
  }));
  expect(logLines).toHaveLength(4);
  expect(logLines[0]).toEqual(logLines[1]);
  expect(logLines[2]).toEqual(logLines[3]);
  const comparable = observed.map((observation) => ({
    ...observation,
    seconds: observation.seconds > 0 && observation.seconds < 60,
  }));
  expect(comparable).toEqual(
    [200, 200, 304, 304].map((status) => ({ method: 'GET', route: ROUTE, status, seconds: true })),
  );
});
