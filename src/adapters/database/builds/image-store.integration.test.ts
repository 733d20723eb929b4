import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { imageStore } from './image-store.ts';

const key = { namespace: 'main', image: 'registry.example/tool:1', architecture: 'amd64' };
const configuration = { entrypoint: ['/plugin'], cmd: ['a "quoted" word', ''], workingDir: '/app' };
const at = (day: number): Date => new Date(Date.UTC(2026, 10, day));
const found = (digest: string, day: number) => ({ digest, configuration, checkedAt: at(day) });
const failure = {
  failure: 'The registry answered with status 503.',
  transient: true,
  count: 2,
  retryAt: at(2),
};

let stores: TestStores;
let images: ReturnType<typeof imageStore>;
beforeAll(async () => {
  stores = await openStores();
  images = imageStore(stores);
});
beforeEach(async () => {
  await stores.pool.query(rows()`TRUNCATE image_look_ups, image_configurations`);
});
afterAll(async () => await stores.close());

describe('an image', () => {
  test('is unknown before it is recorded', async () => {
    expect(await images.known(key)).toEqual({});
    expect(await images.configuration(key, 'sha256:1')).toBeUndefined();
  });

  test('is known with its configuration in the namespace that looked it up, and in no other', async () => {
    await images.recordFound(key, found('sha256:1', 1));
    expect(await images.known(key)).toEqual({ found: found('sha256:1', 1) });
    expect(await images.known({ ...key, namespace: 'other' })).toEqual({});
    expect(await images.known({ ...key, architecture: 'arm64' })).toEqual({});
    expect(await images.configuration(key, 'sha256:1')).toEqual(configuration);
    expect(await images.configuration({ ...key, namespace: 'other' }, 'sha256:1')).toBeUndefined();
    expect(await images.configuration({ ...key, architecture: 'arm64' }, 'sha256:1')).toBeUndefined();
  });

  test('has the digest that was recorded last', async () => {
    await images.recordFound(key, found('sha256:1', 1));
    await images.recordFound(key, found('sha256:2', 2));
    expect(await images.known(key)).toEqual({ found: found('sha256:2', 2) });
  });

  test('has no working directory if its configuration has none', async () => {
    const bare = { digest: 'sha256:1', configuration: { entrypoint: [], cmd: [] }, checkedAt: at(1) };
    await images.recordFound(key, bare);
    expect(await images.known(key)).toEqual({ found: bare });
  });
});

describe('a failure', () => {
  test('is recorded beside what was found before', async () => {
    await images.recordFound(key, found('sha256:1', 1));
    await images.recordFailure(key, failure, at(1));
    expect(await images.known(key)).toEqual({ found: found('sha256:1', 1), failure });
  });

  test('is recorded for an image that was never found, and removed when the image is found', async () => {
    await images.recordFailure(key, failure, at(1));
    expect(await images.known(key)).toEqual({ failure });
    await images.recordFound(key, found('sha256:1', 3));
    expect(await images.known(key)).toEqual({ found: found('sha256:1', 3) });
  });
});

test('concurrent look-ups of one image are recorded once', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? images.recordFound(key, found('sha256:1', 1))
        : images.recordFailure(key, failure, at(1)),
    ),
  );
  const counted = await stores.pool.one(rows<{ names: number; configurations: number }>()`
    SELECT (SELECT count(*) FROM image_look_ups) AS names,
      (SELECT count(*) FROM image_configurations) AS configurations`);
  expect(counted).toEqual({ names: 1, configurations: 1 });
});

test('rows older than 30 days are removed', async () => {
  await images.recordFound(key, found('sha256:1', 1));
  await images.recordFailure(
    { ...key, image: 'registry.example/other' },
    { ...failure, retryAt: at(90) },
    at(1),
  );
  await images.recordFailure(
    { ...key, image: 'registry.example/late' },
    { ...failure, retryAt: at(90) },
    at(2),
  );
  expect(await images.known(key)).toEqual({ found: found('sha256:1', 1) });
  await images.recordFound({ ...key, image: 'registry.example/new' }, found('sha256:2', 31));
  expect(await images.known(key)).toEqual({ found: found('sha256:1', 1) });
  await images.recordFound({ ...key, image: 'registry.example/new' }, found('sha256:2', 32));
  expect(await images.known(key)).toEqual({});
  expect(await images.known({ ...key, image: 'registry.example/other' })).toEqual({});
  expect(await images.configuration(key, 'sha256:1')).toBeUndefined();
  expect(await images.configuration(key, 'sha256:2')).toEqual(configuration);
});
