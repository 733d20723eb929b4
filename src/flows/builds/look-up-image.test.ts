import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { KnownImage } from '#domain/planning/image-look-up.ts';
import { createFairPool, type FairPool } from '#domain/scheduling/fair-pool.ts';
import type { ImageAnswer, ImageKey, LookUpAnswer, PullFacts } from './image-ports.ts';
import { lookUpImage } from './look-up-image.ts';

const IMAGE = 'registry.example/tool:1';
const key = { namespace: 'main', image: IMAGE, architecture: 'amd64' };
const configuration = { entrypoint: ['/plugin'], cmd: [] };
const away = { failure: 'The registry registry.example answered with status 503.', transient: true };

/** The registry, the database and the Pod. */
let digest: ImageAnswer<string>;
let answer: ImageAnswer<ImageConfiguration>;
let requests: string[];
let known: Map<string, KnownImage>;
let configurations: Map<string, ImageConfiguration>;
let facts: PullFacts | undefined;
let time: number;
let seats: FairPool<number>;
/** What the registry does before it answers. */
let slowly: () => Promise<void>;

beforeEach(() => {
  digest = { found: 'sha256:1' };
  answer = { found: configuration };
  requests = [];
  known = new Map();
  configurations = new Map();
  facts = { credentialTexts: ['{"auths":{}}'], agentStartedAt: new Date(0) };
  time = 1000;
  seats = createFairPool([0, 1]);
  slowly = () => Promise.resolve();
});

const nameOf = ({ namespace, image }: ImageKey): string => `${namespace} ${image}`;

async function lookUp(image: ImageKey = key): Promise<LookUpAnswer> {
  return await lookUpImage(image, 'build-1', {
    images: {
      known: (one) => Promise.resolve(known.get(nameOf(one)) ?? {}),
      configuration: ({ namespace }, of) => Promise.resolve(configurations.get(`${namespace} ${of}`)),
      recordFound: (one, found) => {
        configurations.set(`${one.namespace} ${found.digest}`, found.configuration);
        known.set(nameOf(one), { found });
        return Promise.resolve();
      },
      recordFailure: (one, failure) => {
        known.set(nameOf(one), { ...known.get(nameOf(one)), failure });
        return Promise.resolve();
      },
    },
    registry: {
      open: (one, credentialTexts) => ({
        digest: () => {
          requests.push(`digest of ${one} with ${credentialTexts.length} credentials`);
          return slowly().then(() => digest);
        },
        configuration: (of) => {
          requests.push(`configuration of ${of}`);
          return Promise.resolve(answer);
        },
      }),
    },
    pulls: { of: () => Promise.resolve(facts) },
    seats,
    now: () => new Date(time),
  });
}

const FOUND = { answer: 'found', configuration };
const reason = `The entrypoint of the image ${IMAGE} is not known. ${away.failure}`;

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
    facts = undefined;
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

  test('is asked for its digest only, if that is the same', async () => {
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toEqual([`digest of ${IMAGE} with 1 credentials`]);
  });

  test('has the configuration of its new digest', async () => {
    digest = { found: 'sha256:2' };
    answer = { found: { entrypoint: ['/new'], cmd: [] } };
    expect(await lookUp()).toMatchObject({ configuration: { entrypoint: ['/new'] } });
  });

  test('is used as it was while the registry is unreachable', async () => {
    digest = away;
    expect(await lookUp()).toEqual(FOUND);
    expect(await lookUp()).toEqual(FOUND);
    expect(requests).toHaveLength(1);
  });
});

describe('a registry that fails', () => {
  beforeEach(() => {
    digest = away;
  });

  test('leaves the build waiting, with the reason', async () => {
    expect(await lookUp()).toEqual({ answer: 'wait', reason });
  });

  test('is not asked again before its wait is over, which grows', async () => {
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

  test('does not mean that the configuration is known', async () => {
    digest = { found: 'sha256:1' };
    answer = away;
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
  test('has few look-ups at the same time, and another team has its turn', async () => {
    const release: (() => void)[] = [];
    slowly = async () => await new Promise<void>((resolve) => release.push(resolve));
    const greedy = images('greedy', 20).map(async (one) => await lookUp(one));
    await turn();
    const [other = key] = images('other', 1);
    const looked = lookUp(other);
    await turn();
    expect(requests).toHaveLength(2);
    for (const end of release.splice(0)) end();
    await turn();
    expect(requests.at(-1)).toBe(`digest of ${other.image} with 1 credentials`);
    slowly = () => Promise.resolve();
    for (const end of release) end();
    expect(await looked).toEqual(FOUND);
    expect(await Promise.all(greedy)).toEqual(Array.from({ length: 20 }, () => FOUND));
  });
});
