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
 * Requests with any credential, even a cookie of another site, go to the route, so the test can compare both
 * responses.
 */
const SVG = '/teams/main/pipelines/app/image.svg';
const ROUTE = '/teams/:team/pipelines/:pipeline/image.svg';
const OTHERWISE = { cookie: 'of=another-site' };

const served = { drawn: 0, draining: false, public: true };
const observed: { method: string; route: string; status: number; seconds: number }[] = [];
const lines: string[] = [];

const pictureOf = ({ format, hideIntermediates, groupParallel }: PictureOptions) => {
  const text = `${format} ${hideIntermediates} ${groupParallel}`;
  return { tag: `tag-${text.replaceAll(' ', '-')}`, public: served.public, bytes: Buffer.from(`<${text}>`) };
};
const overviews: Overviews = {
  ...inMemoryPorts().overviews,
  picture: async (_name, member, wanted) => {
    const { bytes, ...picture } = pictureOf(wanted);
    served.drawn += 1;
    return member || picture.public ? { ...picture, draw: async () => ({ bytes }) } : undefined;
  },
  cachedPicture: (_name, wanted) =>
    served.public && wanted.version === undefined ? pictureOf(wanted) : undefined,
};
const serve = (pressure?: PressureLimits) =>
  createServer({
    routes: imageRoutes({ ...inMemoryPorts(), overviews }),
    cachedImages: cachedPictures(overviews),
    authenticate: async () => 'anonymous',
    externalUrl: 'https://ci.example.org',
    trustedProxies: ['127.0.0.0/8'],
    log: createLog('info', 'test', { write: (line) => void lines.push(line) }),
    draining: () => served.draining,
    observe: (facts) => void observed.push(facts),
    ...(pressure && { pressure }),
  });
const app = serve();
let base = '';

beforeAll(async () => {
  base = await app.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  Object.assign(served, { drawn: 0, draining: false, public: true });
});
afterAll(async () => await app.close());

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = served.drawn;
  const request = send(`${base}${path}`, {
    method,
    headers: { 'x-request-id': 'asked-by-a-proxy', ...headers },
  });
  const [response]: IncomingMessage[] = await once(request.end(), 'response');
  if (response === undefined) throw new Error('There is no answer.');
  const { statusCode: status, headers: logged } = response;
  const text = Buffer.concat(await response.toArray()).toString();
  return { status, headers: { ...logged, date: '' }, text, drawn: served.drawn > before };
}

const PATHS = [
  SVG,
  SVG.replace('svg', 'png'),
  `${SVG}?hide_intermediates=1`,
  `${SVG}?group_parallel=true&hide_intermediates=0`,
];

test.each(PATHS)('%s: the cached answer equals the answer of the route', async (path) => {
  const cachedImages = await ask(path);
  expect(cachedImages).toMatchObject({ status: 200, drawn: false });
  expect(await ask(path, OTHERWISE)).toEqual({ ...cachedImages, drawn: true });
});

test.each(['"tag-svg-false-false"', 'W/"tag-svg-false-false"', '"of-yesterday", "tag-svg-false-false"', '*'])(
  'a request with a matching tag (%s) gets 304, as from the route',
  async (tag) => {
    const cachedImages = await ask(SVG, { 'if-none-match': tag });
    expect(cachedImages).toMatchObject({ status: 304, text: '', drawn: false });
    const { headers } = await ask(SVG, { ...OTHERWISE, 'if-none-match': tag });
    expect(headers).toEqual(cachedImages.headers);
  },
);

test('a request with an old tag gets the whole image', async () => {
  expect(await ask(SVG, { 'if-none-match': '"of-yesterday"' })).toMatchObject({ status: 200, drawn: false });
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
  const { drawn, status } = await ask(path, headers);
  expect({ drawn, status }).toEqual({ drawn: status === 200, status });
  expect(await ask(path, { ...headers, ...OTHERWISE })).toMatchObject({ status });
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
  for (let one = 0; one < 4000; one++) expect(find(`/image.${one}${'a'.repeat(15_900)}`)).toBeUndefined();
  const after = heapUsed();
  expect(find(SVG)).toBeDefined();
  expect(after - before).toBeLessThan(10_000_000);
});

test.each(['HEAD', 'POST', 'DELETE', 'PURGE', 'QUERY'])('%s is passed to the routes', async (method) => {
  expect(await ask(SVG, {}, method)).toMatchObject({
    text: method === 'HEAD' ? '' : expect.stringContaining('404'),
  });
});

test('an image of a private pipeline is not cached and looks like an absent one', async () => {
  served.public = false;
  const hidden = await ask(SVG);
  expect(hidden).toMatchObject({ status: 404 });
  expect(await ask(SVG, OTHERWISE)).toEqual(hidden);
});

test('the route answers during shutdown and closes the connection', async () => {
  served.draining = true;
  expect(await ask(SVG)).toMatchObject({ status: 200, drawn: true, headers: { connection: 'close' } });
});

test('an overloaded process also refuses cached images', async () => {
  const pressed = serve({ delay: 1e9, heapBytes: 1 });
  const usual = base;
  base = await pressed.listen({ host: '127.0.0.1', port: 0 });
  // The heap is measured once a second.
  while (pressed.memoryUsage().heapUsed === 0) await sleep(25);
  expect(await ask(SVG)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  base = usual;
  await pressed.close();
});

test('log and metrics are the same as for the route, except for the time', async () => {
  lines.length = observed.length = 0;
  await ask(SVG);
  await ask(SVG, OTHERWISE);
  await ask(SVG, { 'if-none-match': '*' });
  await ask(SVG, { 'if-none-match': '*', ...OTHERWISE });
  const logged = lines.map((line): Record<string, unknown> => ({
    ...JSON.parse(line),
    time: '',
    milliseconds: 0,
  }));
  expect(logged).toHaveLength(4);
  expect(logged[0]).toEqual(logged[1]);
  expect(logged[2]).toEqual(logged[3]);
  const seen = observed.map((one) => ({ ...one, seconds: one.seconds > 0 && one.seconds < 60 }));
  expect(seen).toEqual(
    [200, 200, 304, 304].map((status) => ({ method: 'GET', route: ROUTE, status, seconds: true })),
  );
});
