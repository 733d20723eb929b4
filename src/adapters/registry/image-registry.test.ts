import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { guardedRequests, type GuardedRequests } from '#adapters/fetch/guarded-request.ts';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { ImageAnswer } from '#flows/builds/image-ports.ts';
import { digestOf, startRegistry, type TestRegistry } from '#testing/network/registry-server.ts';
import { imageRegistry } from './image-registry.ts';

const CONFIG = { Entrypoint: ['/plugin'], Cmd: ['--help'], WorkingDir: '/app', Env: ['A=b'], User: '1000' };
const FOUND_CONFIG = { found: { entrypoint: ['/plugin'], cmd: ['--help'], workingDir: '/app' } };
const IMAGE_INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

let registry: TestRegistry;
let requests: GuardedRequests;
const robot = { username: 'robot', password: 'pass:word' };

beforeEach(async () => {
  registry = await startRegistry();
  requests = guardedRequests({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 300_000 });
});
afterEach(async () => {
  await requests.close();
  await registry.close();
});

interface Options {
  credentials?: object;
  architecture?: string;
  timeoutMs?: number;
}

/** Looks up `team/tool` with this version: `:1`, `@sha256:…`. */
async function lookUp(version = ':1', options: Options = {}): Promise<ImageAnswer<ImageConfiguration>> {
  const { credentials = {}, architecture = 'amd64', timeoutMs = 300_000 } = options;
  const image = imageRegistry({ send: requests.send, plainHttp: [], timeoutMs }).open(
    `${registry.host}/team/tool${version}`,
    [JSON.stringify({ auths: credentials })],
  );
  const digest = await image.digest();
  return 'found' in digest ? await image.configuration(digest.found, architecture) : digest;
}

const auth = (credential: { username: string; password: string }): object => ({
  auth: Buffer.from(`${credential.username}:${credential.password}`).toString('base64'),
});
const failureOf = (answer: ImageAnswer<unknown>): string =>
  'failure' in answer ? answer.failure.replaceAll(registry.host, 'HOST') : 'found';

describe('an image', () => {
  test('is found by its tag', async () => {
    registry.addImage('team/tool', CONFIG, '1');
    expect(await lookUp()).toEqual(FOUND_CONFIG);
    expect(registry.requests).toEqual([
      'HEAD manifests/1',
      expect.stringMatching(/^GET manifests\/sha256:/),
      expect.stringMatching(/^GET blobs\/sha256:/),
    ]);
  });

  test('is found by its digest, without a request for the tag', async () => {
    const digest = registry.addImage('team/tool', CONFIG, '1');
    expect(await lookUp(`:other@${digest}`)).toEqual(FOUND_CONFIG);
    expect(registry.requests[0]).toBe(`GET manifests/${digest}`);
  });

  test('is found if the registry sends no digest header', async () => {
    registry.addImage('team/tool', CONFIG, '1');
    registry.rules.hidesDigests = true;
    expect(await lookUp()).toEqual(FOUND_CONFIG);
  });

  test('is found after a redirect to another origin, which gets no credentials', async () => {
    registry.addImage('team/tool', CONFIG, '1');
    Object.assign(registry.rules, { login: 'token', redirectsBlobs: true });
    expect(await lookUp()).toEqual(FOUND_CONFIG);
  });

  test('can have no entrypoint and no command', async () => {
    registry.addImage('team/tool', { Entrypoint: null, Cmd: null }, '1');
    expect(await lookUp()).toEqual({ found: { entrypoint: [], cmd: [] } });
  });
});

const platform = (architecture: string, variant?: string, os = 'linux') => ({
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  platform: { os, architecture, ...(variant === undefined ? {} : { variant }) },
});

describe('an image for several platforms', () => {
  beforeEach(() => {
    const entries = [
      { ...platform('amd64', undefined, 'windows'), digest: registry.addImage('team/tool', { Cmd: ['w'] }) },
      { ...platform('arm64', 'v9'), digest: registry.addImage('team/tool', { Cmd: ['arm64v9'] }) },
      { ...platform('arm64', 'v8'), digest: registry.addImage('team/tool', { Cmd: ['arm64'] }) },
      { ...platform('amd64'), digest: registry.addImage('team/tool', { Cmd: ['amd64'] }) },
      { ...platform('unknown', undefined, 'unknown'), digest: registry.addImage('team/tool', {}) },
    ];
    registry.addManifest(
      'team/tool',
      { schemaVersion: 2, mediaType: IMAGE_INDEX_TYPE, manifests: entries },
      '1',
    );
  });

  test.each(['amd64', 'arm64'])("has an image for the node's architecture: %s", async (architecture) => {
    expect(await lookUp(':1', { architecture })).toMatchObject({ found: { cmd: [architecture] } });
  });

  test('is refused for a missing architecture', async () => {
    const answer = await lookUp(':1', { architecture: 's390x' });
    expect(answer).toMatchObject({ transient: false });
    expect(failureOf(answer)).toBe('The registry HOST: it has no such image for linux/s390x.');
  });

  test('can be in nested lists up to a depth of 3', async () => {
    let digest = registry.addImage('team/tool', CONFIG);
    for (let depth = 1; depth <= 4; depth += 1) {
      const manifests = [{ ...platform('amd64'), digest }];
      digest = registry.addManifest('team/tool', { mediaType: IMAGE_INDEX_TYPE, manifests, depth });
      const answer = await lookUp(`@${digest}`);
      expect(failureOf(answer)).toBe(
        depth <= 3 ? 'found' : 'The registry HOST: it nests lists of images more than 3 deep.',
      );
    }
  });
});

describe('a registry login', () => {
  beforeEach(() => {
    registry.addImage('team/tool', CONFIG, '1');
  });

  test('gets an anonymous token once', async () => {
    registry.rules.login = 'token';
    expect(await lookUp()).toEqual(FOUND_CONFIG);
    expect(registry.requests.filter((request) => request === 'TOKEN')).toHaveLength(1);
  });

  test.each(['token', 'basic'] as const)('uses the pull secret: %s', async (login) => {
    Object.assign(registry.rules, { login, credential: robot });
    expect(await lookUp(':1', { credentials: { [registry.host]: auth(robot) } })).toEqual(FOUND_CONFIG);
  });

  test('tries one pull secret after another, as a kubelet does', async () => {
    Object.assign(registry.rules, { login: 'token', credential: robot });
    const credentials = {
      [`${registry.host}/team`]: auth({ ...robot, password: 'old' }),
      [registry.host]: auth(robot),
    };
    expect(await lookUp(':1', { credentials })).toEqual(FOUND_CONFIG);
  });

  test.each(['token', 'basic'] as const)('fails without a pull secret: %s', async (login) => {
    Object.assign(registry.rules, { login, credential: robot });
    const answer = await lookUp(':1', { credentials: { 'other.example': auth(robot) } });
    expect(answer).toMatchObject({ transient: true });
    expect(failureOf(answer)).toBe(
      "The registry HOST requires a login for team/tool: name a Secret for it in the Team's imagePullSecrets.",
    );
  });

  test.each(['token', 'basic'] as const)('fails with a wrong password: %s', async (login) => {
    Object.assign(registry.rules, { login, credential: robot });
    const wrong = { [registry.host]: auth({ ...robot, password: 'wrong' }) };
    expect(failureOf(await lookUp(':1', { credentials: wrong }))).toBe(
      "The registry HOST refuses the credentials in the Team's imagePullSecrets for team/tool.",
    );
  });
});

describe('an image is refused', () => {
  test('if the registry does not have it', async () => {
    const answer = await lookUp();
    expect(answer).toMatchObject({ transient: true });
    expect(failureOf(answer)).toBe('The registry HOST has no image team/tool:1.');
  });

  test.each([
    [429, 'The registry HOST limits requests at the moment (status 429).'],
    [503, 'The registry HOST answered with status 503.'],
  ])('for status %d', async (status, failure) => {
    registry.rules.fails = (response) => void response.writeHead(status).end();
    const answer = await lookUp();
    expect(answer).toMatchObject({ transient: true });
    expect(failureOf(answer)).toBe(failure);
  });

  test('if the registry is silent', async () => {
    registry.rules.fails = () => undefined;
    expect(failureOf(await lookUp(':1', { timeoutMs: 50 }))).toBe('The registry HOST: it took too long.');
  });

  test('if its content does not match its digest', async () => {
    const digest = registry.addImage('team/tool', CONFIG, '1');
    registry.rules.tampers = (bytes) => Buffer.concat([bytes, Buffer.from(' ')]);
    expect(failureOf(await lookUp())).toBe(
      `The registry HOST: it sent content that does not match the digest ${digest}.`,
    );
  });

  test('if a response is too long', async () => {
    registry.addImage('team/tool', { Entrypoint: ['x'.repeat(5_000_000)] }, '1');
    const answer = await lookUp();
    expect(answer).toMatchObject({ transient: false });
    expect(failureOf(answer)).toBe('The registry HOST: it is longer than 4096 KiB.');
  });

  test('if its entrypoint is longer than kernels allow', async () => {
    registry.addImage('team/tool', { Entrypoint: ['x'.repeat(200_000)] }, '1');
    expect(failureOf(await lookUp())).toBe(
      "The registry HOST: the image's entrypoint and command are longer than 128 KiB.",
    );
  });

  test.each([{ Entrypoint: '/plugin' }, { Cmd: [1] }, { Cmd: ['a\0b'] }, { WorkingDir: ['/'] }])(
    'if its configuration has wrong types: %j',
    async (config) => {
      registry.addImage('team/tool', config, '1');
      expect(failureOf(await lookUp())).toContain('is malformed');
    },
  );

  test('if its manifest has schema 1', async () => {
    const manifest = { schemaVersion: 1, fsLayers: [{ blobSum: digestOf('') }] };
    registry.addManifest('team/tool', manifest, '1');
    expect(failureOf(await lookUp())).toBe("The registry HOST: the image's manifest has an unknown format.");
  });

  test('if the login URL is internal', async () => {
    registry.rules.fails = (response) =>
      void response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://169.254.169.254/"' }).end();
    expect(failureOf(await lookUp())).toBe('The registry HOST: 169.254.169.254 is not a public address.');
  });

  test('if the login URL is invalid', async () => {
    registry.rules.fails = (response) =>
      void response.writeHead(401, { 'www-authenticate': 'Bearer realm="somewhere"' }).end();
    expect(failureOf(await lookUp())).toBe('The registry HOST: it names no valid URL for its tokens.');
  });
});

const digestAt = async (image: string, plainHttp: string[] = []): Promise<ImageAnswer<string>> =>
  await imageRegistry({
    send: (url) => Promise.resolve({ failure: url, transient: false }),
    plainHttp,
  })
    .open(image, [])
    .digest();

describe('the URL of a registry', () => {
  test.each([
    ['registry.example:5000/tool:1', [], 'https://registry.example:5000/v2/tool/manifests/1'],
    [
      'registry.example:5000/tool:1',
      ['registry.example:5000'],
      'http://registry.example:5000/v2/tool/manifests/1',
    ],
    ['registry.example/tool:1', ['registry.example:5000'], 'https://registry.example/v2/tool/manifests/1'],
    ['127.0.0.1:5000/tool:1', [], 'http://127.0.0.1:5000/v2/tool/manifests/1'],
    ['alpine', [], 'https://registry-1.docker.io/v2/library/alpine/manifests/latest'],
  ])('uses plain HTTP only for configured registries: %s with %j', async (image, plainHttp, url) => {
    expect(await digestAt(image, plainHttp)).toMatchObject({ failure: expect.stringContaining(url) });
  });

  test('does not exist for images on localhost', async () => {
    expect(await digestAt('localhost/tool:1')).toEqual({
      failure: 'Images on localhost were loaded into the node and are in no registry.',
      transient: false,
    });
  });
});
