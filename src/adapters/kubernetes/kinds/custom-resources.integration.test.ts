import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { Connection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';

/* What a real API server takes and refuses by the definitions in crds/, and with which words. */
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
    orThrow(await client.create(DEFINITIONS, definition), `making ${file}`);
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

/** `taken`, or why not. */
async function answerTo<T>(kind: ApiKind<T>, spec: object, name?: string): Promise<string> {
  count += 1;
  const metadata = { name: name ?? `object-${count}`, ...(kind.namespaced ? { namespace: 'default' } : {}) };
  const object: T & { metadata?: { namespace?: string } } = JSON.parse(
    JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec }),
  );
  const answer = await client.create(kind, object);
  return answer.ok ? 'taken' : answer.message;
}

/** The answer to an object whose spec is changed after it was taken. */
async function answerToChange<T>(kind: ApiKind<T>, before: object, after: object): Promise<string> {
  expect(await answerTo(kind, before)).toBe('taken');
  const ref = { name: `object-${count}`, ...(kind.namespaced ? { namespace: 'default' } : {}) };
  const answer = await client.patchMerge(kind, ref, { spec: after });
  return answer.ok ? 'taken' : answer.message;
}

describe('a Pipeline', () => {
  test.each<[string, object, string]>([
    ['with text', { config: 'x' }, 'taken'],
    ['with text of 256 KiB', { config: 'x'.repeat(262_144) }, 'taken'],
    ['with text beyond that', { config: 'x'.repeat(262_145) }, 'may not be more than 262144 bytes'],
    ['that refers to a ConfigMap', { configFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }, 'taken'],
    ['with neither', {}, 'exactly one of config and configFrom must be set'],
    [
      'with both',
      { config: 'x', configFrom: { configMapKeyRef: { name: 'a', key: 'b' } } },
      'exactly one of config and configFrom must be set',
    ],
    [
      'with variables of all sources',
      {
        config: 'x',
        vars: { a: '1' },
        varsFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'c' } }],
      },
      'taken',
    ],
    [
      'with a source that is two',
      { config: 'x', varsFrom: [{ secretRef: { name: 's' }, configMapRef: { name: 'c' } }] },
      'exactly one of configMapRef and secretRef must be set',
    ],
    ['with a number as a variable', { config: 'x', vars: { a: 1 } }, 'must be of type string'],
  ])('%s', async (_, spec, expected) => {
    expect(await answerTo(KINDS.pipelines, spec)).toContain(expected);
  });

  test('with a name that no label could hold', async () => {
    expect(await answerTo(KINDS.pipelines, { config: 'x' }, 'x'.repeat(64))).toContain(
      'at most 63 characters',
    );
  });
});

const gpu = (more: object): object => ({ workers: [{ tag: 'gpu', ...more }] });
const bears = (toleration: object): object => gpu({ tolerations: [toleration] });
const WORKERS: [string, object, string][] = [
  [
    'with a tag that says all there is to say',
    {
      allowedTags: ['gpu', 'arm64'],
      ...gpu({
        nodeSelector: { 'node-restriction.kubernetes.io/pool': 'gpu', accelerator: 'a100' },
        tolerations: [
          { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
          { operator: 'Exists' },
        ],
        resources: { requests: { cpu: 4 }, limits: { 'nvidia.com/gpu': 1 } },
        runtimeClassName: 'nvidia',
      }),
    },
    'taken',
  ],
  ['with a tag for any node', gpu({ nodeSelector: {} }), 'taken'],
  ['that allows no tag', { allowedTags: [] }, 'taken'],
  [
    'that describes a tag which it does not allow',
    { allowedTags: ['arm64'], ...gpu({}) },
    'one of spec.allowedTags',
  ],
  ['with a tag that no pipeline can name', { allowedTags: ['GPU nodes'] }, 'should match'],
  ['that describes a tag twice', { workers: [{ tag: 'gpu' }, { tag: 'gpu' }] }, 'Duplicate value'],
  ['with a label that is none', gpu({ nodeSelector: { 'a b': 'c' } }), 'must be the name of a label'],
  ['with a value that no label has', gpu({ nodeSelector: { a: 'b c' } }), 'should match'],
  ['that bears a taint without key', bears({ effect: 'NoSchedule' }), 'needs the operator Exists'],
  [
    'that bears any value, and names one',
    bears({ key: 'a', operator: 'Exists', value: 'b' }),
    'has no value',
  ],
  ['that bears a taint for a time', bears({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 }), 'taken'],
  ['for a time that never begins', bears({ key: 'a', tolerationSeconds: 5 }), 'needs the effect NoExecute'],
  ['with an effect that is none', bears({ key: 'a', effect: 'Never' }), 'supported values'],
];

describe('a Team', () => {
  test.each<[string, object, string | undefined, string]>([
    ['with nothing but a name', {}, undefined, 'taken'],
    ['with a namespace', { namespace: 'somewhere' }, undefined, 'taken'],
    ['in a namespace of the cluster', { namespace: 'kube-system' }, undefined, 'belong to no team'],
    ['in the default namespace', { namespace: 'default' }, undefined, 'belong to no team'],
    ['named like a namespace of the cluster', {}, 'kube-team', 'spec.namespace must be set'],
    ['whose name is no namespace', {}, 'with.dot', 'spec.namespace must be set'],
    ['whose name is no namespace, but which has one', { namespace: 'with-dot' }, 'with.dot2', 'taken'],
    ['with ranges', { network: { denyCIDRs: ['10.0.0.0/8', 'fc00::/7'] } }, undefined, 'taken'],
    [
      'with a range that is none',
      { network: { denyCIDRs: ['10.0.0.0'] } },
      undefined,
      'must be an address range',
    ],
    [
      'with amounts',
      {
        limits: { requests: { cpu: 8, memory: '16Gi' } },
        defaults: { resources: { limits: { cpu: '500m' } } },
      },
      undefined,
      'taken',
    ],
    ['with an amount that is none', { limits: { requests: { cpu: 'much' } } }, undefined, 'should match'],
    ['with a standard that does not exist', { podSecurity: 'privileged' }, undefined, 'supported values'],
    ...WORKERS.map(([what, spec, answer]): [string, object, undefined, string] => [
      what,
      spec,
      undefined,
      answer,
    ]),
  ])('%s', async (_, spec, name, expected) => {
    expect(await answerTo(KINDS.teams, spec, name)).toContain(expected);
  });

  test.each<[string, object, object, string]>([
    ['its namespace changed', { namespace: 'one' }, { namespace: 'two' }, 'cannot be changed'],
    ['its namespace removed', { namespace: 'one' }, { namespace: null }, 'cannot be set or removed later'],
    ['a namespace added', { displayName: 'x' }, { namespace: 'two' }, 'cannot be set or removed later'],
    ['its name for people changed', { displayName: 'x' }, { displayName: 'y' }, 'taken'],
  ])('cannot have %s later, unless that is harmless', async (_, before, after, expected) => {
    expect(await answerToChange(KINDS.teams, before, after)).toContain(expected);
  });
});

describe('an OAuthProvider', () => {
  const common = { clientID: 'me', clientSecretRef: { name: 's', key: 'k' } };
  const urls = {
    authURL: 'https://idp.test/auth',
    tokenURL: 'https://idp.test/token',
    userInfoURL: 'https://idp.test/me',
  };
  test.each<[string, object, string]>([
    ['of type OIDC with its issuer', { type: 'OIDC', issuerURL: 'https://idp.test' }, 'taken'],
    ['of type OIDC without', { type: 'OIDC' }, 'needs issuerURL'],
    [
      'of type OIDC with URLs beside it',
      { type: 'OIDC', issuerURL: 'https://idp.test', ...urls },
      'must be absent',
    ],
    ['of type OAuth2 with its URLs', { type: 'OAuth2', ...urls }, 'taken'],
    [
      'of type OAuth2 without one',
      { type: 'OAuth2', ...urls, tokenURL: undefined },
      'needs authURL, tokenURL and userInfoURL',
    ],
    [
      'of type OAuth2 with an issuer',
      { type: 'OAuth2', ...urls, issuerURL: 'https://idp.test' },
      'has no issuerURL',
    ],
    ['without encryption', { type: 'OIDC', issuerURL: 'http://idp.test' }, 'should match'],
  ])('%s', async (_, spec, expected) => {
    expect(await answerTo(KINDS.oauthProviders, { ...common, ...spec })).toContain(expected);
  });

  test('cannot change its type', async () => {
    const before = { ...common, type: 'OIDC', issuerURL: 'https://idp.test' };
    const after = { type: 'OAuth2', issuerURL: null, ...urls };
    expect(await answerToChange(KINDS.oauthProviders, before, after)).toContain(
      'spec.type cannot be changed',
    );
  });
});
