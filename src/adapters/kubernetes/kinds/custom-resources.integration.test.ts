import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';

/* What a real API server accepts and rejects by the definitions in crds/, and with which messages. */
const DEFINITIONS: ApiKind<object> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const FOLDER = new URL('../../../../crds/', import.meta.url);

let server: OwnApiServer;
let connection: Connection;
let client: ApiClient;

beforeAll(async () => {
  server = await startApiServer();
  connection = server.connect();
  client = new ApiClient(connection);
  for (const file of readdirSync(FOLDER)) {
    const definition: object = parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    orThrow(await client.create(DEFINITIONS, definition), `creating ${file}`);
  }
  // The API server serves a new kind within moments, not at once.
  for (const kind of [KINDS.teams, KINDS.pipelines, KINDS.oauthProviders]) {
    while (!(await client.list<unknown>(kind, {}, () => undefined)).ok);
  }
}, 600_000);

afterAll(async () => {
  await connection.close();
  await server.stop();
});

let count = 0;

/** Creates an object. Returns `accepted`, or the message of the refusal. */
async function answerTo<T>(kind: ApiKind<T>, spec: object, name?: string): Promise<string> {
  count += 1;
  const metadata = { name: name ?? `object-${count}`, ...(kind.namespaced ? { namespace: 'default' } : {}) };
  const object: T & { metadata?: { namespace?: string } } = JSON.parse(
    JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec }),
  );
  const answer = await client.create(kind, object);
  return answer.ok ? 'accepted' : answer.message;
}

/** The answer to a change of the spec of an accepted object. */
async function answerToChange<T>(kind: ApiKind<T>, before: object, after: object): Promise<string> {
  expect(await answerTo(kind, before)).toBe('accepted');
  const ref = { name: `object-${count}`, ...(kind.namespaced ? { namespace: 'default' } : {}) };
  const answer = await client.patchMerge(kind, ref, { spec: after });
  return answer.ok ? 'accepted' : answer.message;
}

describe('the API server validates a Pipeline', () => {
  test.each<[string, object, string]>([
    ['accepts a config', { config: 'x' }, 'accepted'],
    ['accepts a config of 256 KiB', { config: 'x'.repeat(262_144) }, 'accepted'],
    ['rejects a config above 256 KiB', { config: 'x'.repeat(262_145) }, 'may not be more than 262144 bytes'],
    [
      'accepts a reference to a ConfigMap',
      { configFrom: { configMapKeyRef: { name: 'a', key: 'b' } } },
      'accepted',
    ],
    [
      'rejects a Pipeline with neither config nor configFrom',
      {},
      'exactly one of config and configFrom must be set',
    ],
    [
      'rejects a Pipeline with both config and configFrom',
      { config: 'x', configFrom: { configMapKeyRef: { name: 'a', key: 'b' } } },
      'exactly one of config and configFrom must be set',
    ],
    [
      'accepts variables from all sources',
      {
        config: 'x',
        vars: { a: '1' },
        varsFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'c' } }],
      },
      'accepted',
    ],
    [
      'rejects a variable source with two references',
      { config: 'x', varsFrom: [{ secretRef: { name: 's' }, configMapRef: { name: 'c' } }] },
      'exactly one of configMapRef and secretRef must be set',
    ],
    [
      'rejects a number as the value of a variable',
      { config: 'x', vars: { a: 1 } },
      'must be of type string',
    ],
  ])('%s', async (_, spec, expected) => {
    expect(await answerTo(KINDS.pipelines, spec)).toContain(expected);
  });

  test('rejects a name that is too long for a label', async () => {
    expect(await answerTo(KINDS.pipelines, { config: 'x' }, 'x'.repeat(64))).toContain(
      'at most 63 characters',
    );
  });
});

const gpuWorker = (options: object): object => ({ workers: [{ tag: 'gpu', ...options }] });
const workerTolerating = (toleration: object): object => gpuWorker({ tolerations: [toleration] });
const WORKERS: [string, object, string][] = [
  [
    'accepts a tag with every field set',
    {
      allowedTags: ['gpu', 'arm64'],
      ...gpuWorker({
        nodeSelector: { 'node-restriction.kubernetes.io/pool': 'gpu', accelerator: 'a100' },
        tolerations: [
          { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
          { operator: 'Exists' },
        ],
        resources: { requests: { cpu: 4 }, limits: { 'nvidia.com/gpu': 1 } },
        runtimeClassName: 'nvidia',
      }),
    },
    'accepted',
  ],
  ['accepts a tag for any node', gpuWorker({ nodeSelector: {} }), 'accepted'],
  ['accepts an empty list of allowed tags', { allowedTags: [] }, 'accepted'],
  [
    'rejects a worker for a tag that is not allowed',
    { allowedTags: ['arm64'], ...gpuWorker({}) },
    'one of spec.allowedTags',
  ],
  ['rejects a tag that a pipeline cannot name', { allowedTags: ['GPU nodes'] }, 'should match'],
  ['rejects two workers for one tag', { workers: [{ tag: 'gpu' }, { tag: 'gpu' }] }, 'Duplicate value'],
  ['rejects an invalid label', gpuWorker({ nodeSelector: { 'a b': 'c' } }), 'must be the name of a label'],
  ['rejects an invalid label value', gpuWorker({ nodeSelector: { a: 'b c' } }), 'should match'],
  [
    'rejects a toleration without a key and operator',
    workerTolerating({ effect: 'NoSchedule' }),
    'needs the operator Exists',
  ],
  [
    'rejects a toleration of any value that also names a value',
    workerTolerating({ key: 'a', operator: 'Exists', value: 'b' }),
    'has no value',
  ],
  [
    'accepts a toleration with a time limit',
    workerTolerating({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 }),
    'accepted',
  ],
  [
    'rejects a time limit on a toleration that never evicts',
    workerTolerating({ key: 'a', tolerationSeconds: 5 }),
    'needs the effect NoExecute',
  ],
  ['rejects an unknown taint effect', workerTolerating({ key: 'a', effect: 'Never' }), 'supported values'],
];

const claim = { persistentVolumeClaim: { claimName: 'data' } };
const volumesAt = (...paths: string[]): object => ({
  volumes: paths.map((mountPath, index) => ({ name: `v${index}`, mountPath, ...claim })),
});
const VOLUMES: [title: string, spec: object, expected: string][] = [
  ['accepts volumes beside each other', volumesAt('/srv/data', '/srv/data2', '/mnt/x'), 'accepted'],
  [
    'accepts a ConfigMap as a volume',
    { volumes: [{ name: 'a', mountPath: '/srv/a', configMap: { name: 'a' } }] },
    'accepted',
  ],
  ['rejects a volume inside another one', volumesAt('/srv/data', '/srv/data/in'), 'or inside it'],
  ['rejects two volumes with one path', volumesAt('/srv/data', '/srv/data'), 'must not be the same'],
  ['rejects a volume in a directory of the system', volumesAt('/etc/data'), 'directory of the system'],
  ['rejects a volume in the working directory', volumesAt('/workdir/data'), 'directory of the system'],
  ['rejects a path that leads up', volumesAt('/srv/../etc'), 'should match'],
  [
    'rejects a volume that is a claim and a ConfigMap',
    { volumes: [{ name: 'a', mountPath: '/srv/a', ...claim, configMap: { name: 'a' } }] },
    'either a persistentVolumeClaim or a configMap',
  ],
];

describe('the API server validates a Team', () => {
  test.each<[string, object, string | undefined, string]>([
    ['accepts a Team with only a name', {}, undefined, 'accepted'],
    ['accepts a namespace', { namespace: 'somewhere' }, undefined, 'accepted'],
    ['rejects a system namespace', { namespace: 'kube-system' }, undefined, 'belong to no team'],
    ['rejects the default namespace', { namespace: 'default' }, undefined, 'belong to no team'],
    ['rejects a Team named like a system namespace', {}, 'kube-team', 'spec.namespace must be set'],
    ['rejects a name that is not a namespace name', {}, 'with.dot', 'spec.namespace must be set'],
    [
      'accepts a name that is not a namespace name if the Team names a namespace',
      { namespace: 'with-dot' },
      'with.dot2',
      'accepted',
    ],
    ['accepts address ranges', { network: { denyCIDRs: ['10.0.0.0/8', 'fc00::/7'] } }, undefined, 'accepted'],
    [
      'rejects an invalid address range',
      { network: { denyCIDRs: ['10.0.0.0'] } },
      undefined,
      'must be an address range',
    ],
    [
      'accepts quantities',
      {
        limits: { requests: { cpu: 8, memory: '16Gi' } },
        defaults: { resources: { limits: { cpu: '500m' } } },
      },
      undefined,
      'accepted',
    ],
    ['rejects an invalid quantity', { limits: { requests: { cpu: 'much' } } }, undefined, 'should match'],
    [
      'rejects an unknown Pod security standard',
      { podSecurity: 'privileged' },
      undefined,
      'supported values',
    ],
    ...[...WORKERS, ...VOLUMES].map(([title, spec, answer]): [string, object, undefined, string] => [
      title,
      spec,
      undefined,
      answer,
    ]),
  ])('%s', async (_, spec, name, expected) => {
    expect(await answerTo(KINDS.teams, spec, name)).toContain(expected);
  });

  test.each<[string, object, object, string]>([
    ['rejects a changed namespace', { namespace: 'one' }, { namespace: 'two' }, 'cannot be changed'],
    [
      'rejects the removal of the namespace',
      { namespace: 'one' },
      { namespace: null },
      'cannot be set or removed later',
    ],
    [
      'rejects a namespace that is added later',
      { displayName: 'x' },
      { namespace: 'two' },
      'cannot be set or removed later',
    ],
    ['accepts a changed display name', { displayName: 'x' }, { displayName: 'y' }, 'accepted'],
  ])('%s', async (_, before, after, expected) => {
    expect(await answerToChange(KINDS.teams, before, after)).toContain(expected);
  });
});

describe('the API server validates an OAuthProvider', () => {
  const common = { clientID: 'me', clientSecretRef: { name: 's', key: 'k' } };
  const urls = {
    authURL: 'https://idp.test/auth',
    tokenURL: 'https://idp.test/token',
    userInfoURL: 'https://idp.test/me',
  };
  test.each<[string, object, string]>([
    ['accepts type OIDC with an issuer', { type: 'OIDC', issuerURL: 'https://idp.test' }, 'accepted'],
    ['rejects type OIDC without an issuer', { type: 'OIDC' }, 'needs issuerURL'],
    [
      'rejects type OIDC with URLs of its own',
      { type: 'OIDC', issuerURL: 'https://idp.test', ...urls },
      'must be absent',
    ],
    ['accepts type OAuth2 with its URLs', { type: 'OAuth2', ...urls }, 'accepted'],
    [
      'rejects type OAuth2 without one of its URLs',
      { type: 'OAuth2', ...urls, tokenURL: undefined },
      'needs authURL, tokenURL and userInfoURL',
    ],
    [
      'rejects type OAuth2 with an issuer',
      { type: 'OAuth2', ...urls, issuerURL: 'https://idp.test' },
      'has no issuerURL',
    ],
    ['rejects a URL without TLS', { type: 'OIDC', issuerURL: 'http://idp.test' }, 'should match'],
  ])('%s', async (_, spec, expected) => {
    expect(await answerTo(KINDS.oauthProviders, { ...common, ...spec })).toContain(expected);
  });

  test('rejects a change of the type', async () => {
    const before = { ...common, type: 'OIDC', issuerURL: 'https://idp.test' };
    const after = { type: 'OAuth2', issuerURL: null, ...urls };
    expect(await answerToChange(KINDS.oauthProviders, before, after)).toContain(
      'spec.type cannot be changed',
    );
  });
});
