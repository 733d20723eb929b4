import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { KnownImage } from '#domain/planning/image-look-up.ts';
import { createFairPool, type FairPool } from '#domain/scheduling/fair-pool.ts';
import type { ImageAnswer, ImageKey, LookUpAnswer, PullFacts } from './image-ports.ts';
import { lookUpImage } from './look-up-image.ts';

const IMAGE = 'registry.example/tool:1';
const key = { namespace: 'main', image: IMAGE, architecture: 'amd64' };
const configuration = { entrypoint: ['/plugin'], cmd: [] };
const registryFails = { failure: 'The registry registry.example answered with status 503.', transient: true };

/** What the registry answers. */
let digest: ImageAnswer<string>;
let registryConfiguration: ImageAnswer<ImageConfiguration>;
/** Requests to the registry. */
let requests: string[];
/** What the database has. */
let known: Map<string, KnownImage>;
let configurations: Map<string, ImageConfiguration>;
let pullFacts: PullFacts | undefined;
let time: number;
let seats: FairPool<number>;
/** The registry waits for this before it answers with a digest. */
let delay: () => Promise<void>;

beforeEach(() => {
  digest = { found: 'sha256:1' };
  registryConfiguration = { found: configuration };
  requests = [];
  known = new Map();
  configurations = new Map();
  pullFacts = { credentialTexts: ['{"auths":{}}'], agentStartedAt: new Date(0) };
  time = 1000;
  seats = createFairPool([0, 1]);
  delay = () => Promise.resolve();
});

const nameOf = ({ namespace, image }: ImageKey): string => `${namespace} ${image}`;

async function lookUp(image: ImageKey = key): Promise<LookUpAnswer> {
  return await lookUpImage(image, 'build-1', {
    images: {
      known: (ofImage) => Promise.resolve(known.get(nameOf(ofImage)) ?? {}),
      configuration: ({ namespace }, ofDigest) =>
        Promise.resolve(configurations.get(`${namespace} ${ofDigest}`)),
      recordFound: (ofImage, found) => {
        configurations.set(`${ofImage.namespace} ${found.digest}`, found.configuration);
        known.set(nameOf(ofImage), { found });
        return Promise.resolve();
      },
      recordFailure: (ofImage, failure) => {
        known.set(nameOf(ofImage), { ...known.get(nameOf(ofImage)), failure });
        return Promise.resolve();
      },
    },
    registry: {
      open: (opened, credentialTexts) => ({
        digest: () => {
          requests.push(`digest of ${opened} with ${credentialTexts.length} credentials`);
          return delay().then(() => digest);
        },
        configuration: (ofDigest) => {
          requests.push(`configuration of ${ofDigest}`);
          return Promise.resolve(registryConfiguration);
        },
      }),
    },
    pulls: { factsOf: () => Promise.resolve(pullFacts) },
    seats,
    now: () => new Date(time),
  });
}

const FOUND = { answer: 'found', configuration };
const reason = `The entrypoint of the image ${IMAGE} is not known. ${registryFails.failure}`;

describe('an image that is not cached', () => {
  test('is looked up with the pull secrets of the Pod, once', async () => {
    expect(await lookUp()).toEqual(FOUND);
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toEqual([`digest of ${IMAGE} with 1 credentials`, 'configuration of sha256:1']);
  });

  test('tells no other namespace its configuration, whatever digest a registry or a name claims', async () => {
    await lookUp();
    requests = [];
    expect(await lookUp({ ...key, namespace: 'other' })).toEqual(FOUND);
    expect(requests).toEqual([`digest of ${IMAGE} with 1 credentials`, 'configuration of sha256:1']);
  });

  test('waits while the API server is unreachable, without asking the registry', async () => {
    pullFacts = undefined;
    expect(await lookUp()).toMatchObject({ answer: 'wait' });
    expect(requests).toEqual([]);
  });
});

describe('a tag that was looked up before', () => {
  beforeEach(async () => {
    await lookUp();
    requests = [];
    time += 60_000;
  });

  test('is looked up by its digest only, if the digest is the same', async () => {
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toEqual([`digest of ${IMAGE} with 1 credentials`]);
  });

  test('has the configuration of its new digest', async () => {
    digest = { found: 'sha256:2' };
    registryConfiguration = { found: { entrypoint: ['/new'], cmd: [] } };
    expect(await lookUp()).toMatchObject({ configuration: { entrypoint: ['/new'] } });
  });

  test('keeps its cached configuration while the registry fails', async () => {
    digest = registryFails;
    expect(await lookUp()).toEqual(FOUND);
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toHaveLength(1);
  });
});

describe('a registry that fails', () => {
  beforeEach(() => {
    digest = registryFails;
  });

  test('leaves the build waiting, with the reason', async () => {
    expect(await lookUp()).toEqual({ answer: 'wait', reason });
  });

  test('is asked again only after a wait, which grows with each failure', async () => {
    await lookUp();
    expect(await lookUp()).toEqual({ answer: 'wait', reason });
    expect(requests).toHaveLength(1);
    time += 2000;
    await lookUp();
    time += 3999;
    await lookUp();
    expect(requests).toHaveLength(2);
    time += 1;
    digest = { found: 'sha256:1' };
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toContain('configuration of sha256:1');
  });

  test('ends the build before its agent gives up', async () => {
    time = 8 * 60_000;
    expect(await lookUp()).toEqual({ answer: 'end', reason });
  });

  test('ends the build at once if no retry helps', async () => {
    digest = { failure: 'Images on localhost are in no registry.', transient: false };
    expect(await lookUp()).toMatchObject({ answer: 'end' });
    expect(await lookUp()).toMatchObject({ answer: 'end' });
    expect(requests).toHaveLength(1);
  });

  test('leaves no configuration behind if only the digest was found', async () => {
    digest = { found: 'sha256:1' };
    registryConfiguration = registryFails;
    expect(await lookUp()).toEqual({ answer: 'wait', reason });
    expect(configurations.size).toBe(0);
  });
});

const images = (namespace: string, count: number): ImageKey[] =>
  Array.from({ length: count }, (_, index) => ({
    ...key,
    namespace,
    image: `r.example/${namespace}:${index}`,
  }));

describe('a team with many images on a slow registry', () => {
  test('has two look-ups at a time, and another team gets the next one', async () => {
    const release: (() => void)[] = [];
    delay = async () => await new Promise<void>((resolve) => release.push(resolve));
    const greedy = images('greedy', 20).map(async (image) => await lookUp(image));
    await nextTurn();
    const [other = key] = images('other', 1);
    const lookedUp = lookUp(other);
    await nextTurn();
    expect(requests).toHaveLength(2);
    for (const end of release.splice(0)) end();
    await nextTurn();
    expect(requests.at(-1)).toBe(`digest of ${other.image} with 1 credentials`);
    delay = () => Promise.resolve();
    for (const end of release) end();
    expect(await lookedUp).toEqual(FOUND);
    expect(await Promise.all(greedy)).toEqual(Array.from({ length: 20 }, () => FOUND));
  });
});
