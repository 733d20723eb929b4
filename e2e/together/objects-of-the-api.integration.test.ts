import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/*
 * Who may mark an object as created by the API, and who may name the person who changed it, on a real API
 * server with the chart's rights and policies.
 */
const TEAM = 'marked';
const TENANT = 'a-tenant';
const BY_API = { 'millrace.dev/managed-by': 'api' };
const BY_ROOT = { 'millrace.dev/changed-by': 'root' };
const SPEC = { config: 'job "a" {\n  task "b" {\n    run "exec" {\n      path = "true"\n    }\n  }\n}\n' };
const PIPELINES: ApiKind<object> = {
  apiVersion: KINDS.pipelines.apiVersion,
  kind: 'Pipeline',
  plural: 'pipelines',
  namespaced: true,
};
const BINDINGS: ApiKind<object> = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};
let installation: TestInstallation;
let tenant: ApiClient;
let count = 0;
/** Each test has its own Pipeline. */
let name = '';

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
  await installation.apply(KINDS.teams, { metadata: { name: TEAM }, spec: {} });
  await eventually(
    async () => await installation.client.get(KINDS.namespaces, { name: TEAM }),
    ({ ok }) => ok,
  );
  await installation.apply(BINDINGS, {
    metadata: { name: 'tenant', namespace: TEAM },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'millrace-edit' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: TENANT }],
  });
  tenant = installation.as(TENANT);
  await eventually(
    async () => await tenant.create(PIPELINES, pipeline('first')),
    ({ ok }) => ok,
  );
}, 600_000);
beforeEach(() => {
  count += 1;
  name = `app-${count}`;
});
afterAll(async () => await installation.close(), 600_000);

function pipeline(pipelineName: string, metadata: object = {}): object {
  const { apiVersion, kind } = PIPELINES;
  return { apiVersion, kind, metadata: { name: pipelineName, namespace: TEAM, ...metadata }, spec: SPEC };
}

async function tryPatch(by: ApiClient, metadata: object, spec: object = {}): Promise<string> {
  const answer = await by.patchMerge(PIPELINES, { namespace: TEAM, name }, { metadata, spec });
  return answer.ok ? 'allowed' : answer.message;
}

const ONLY_LABEL = 'only the public gateway labels an object millrace.dev/managed-by=api';
const OWN_SPEC = 'remove millrace.dev/changed-by: it names the person who wrote the former spec';
const ONLY_NAME = 'only the public gateway says in millrace.dev/changed-by who changed an object';

describe('a tenant with edit rights on Pipelines', () => {
  test.each([
    ['that the API made it', { labels: BY_API }, ONLY_LABEL],
    ['that somebody else changed it', { annotations: BY_ROOT }, ONLY_NAME],
    ['both', { labels: BY_API, annotations: BY_ROOT }, 'only the public gateway'],
  ])('cannot claim about a new or existing Pipeline %s', async (_, metadata, reason) => {
    const answer = await tenant.create(PIPELINES, pipeline(name, metadata));
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
    orThrow(await tenant.create(PIPELINES, pipeline(name)), 'making');
    expect(await tryPatch(tenant, metadata)).toContain(reason);
    expect(await tryPatch(tenant, { labels: { team: 'ours' }, annotations: { note: 'x' } })).toBe('allowed');
  });

  test('may change a Pipeline of the API and remove its marks, but not name another editor', async () => {
    orThrow(
      await installation.restricted.create(
        PIPELINES,
        pipeline(name, { labels: BY_API, annotations: BY_ROOT }),
      ),
      'making',
    );
    expect(await tryPatch(tenant, { labels: { team: 'ours' } })).toBe('allowed');
    expect(await tryPatch(tenant, { annotations: { 'millrace.dev/changed-by': 'ann' } })).toContain(
      ONLY_NAME,
    );
    expect(await tryPatch(tenant, { annotations: { 'millrace.dev/changed-by': null } })).toBe('allowed');
    expect(await tryPatch(tenant, { annotations: BY_ROOT })).toContain(ONLY_NAME);
    expect(await tryPatch(tenant, { labels: { 'millrace.dev/managed-by': null } })).toBe('allowed');
    expect(await tryPatch(tenant, { labels: BY_API })).toContain(ONLY_LABEL);
  });
});

/** Who made the revisions of the test's Pipeline, newest first. */
async function actors(): Promise<readonly string[]> {
  return await installation.stores.pool.anyFirst(rows<{ actor: string }>()`
    SELECT r.actor FROM revisions r JOIN pipelines p ON p.id = r.pipeline_id WHERE p.name = ${name}
    ORDER BY r.id DESC`);
}

describe('a tenant who changes the spec of a Pipeline of the API', () => {
  beforeEach(async () => {
    const marks = { labels: BY_API, annotations: BY_ROOT };
    orThrow(await installation.restricted.create(PIPELINES, pipeline(name, marks)), 'making');
  });

  test('cannot do so under the name of the person who wrote the former spec', async () => {
    expect(await tryPatch(tenant, {}, { paused: true })).toContain(OWN_SPEC);
    expect(await tryPatch(tenant, { annotations: { note: 'x' } }, SPEC)).toBe('allowed');
  });

  test('may remove that name, and then the revision names nobody', async () => {
    const config = SPEC.config.replaceAll('"a"', '"b"');
    expect(await tryPatch(tenant, { annotations: { 'millrace.dev/changed-by': null } }, { config })).toBe(
      'allowed',
    );
    expect((await eventually(actors, ([actor]) => actor === 'manifest'))[0]).toBe('manifest');
  });

  test('may also remove the label, and the name has no meaning then', async () => {
    expect(await tryPatch(tenant, { labels: { 'millrace.dev/managed-by': null } })).toBe('allowed');
    expect(await tryPatch(tenant, {}, { paused: true })).toBe('allowed');
  });
});

test('a cluster administrator may restore objects of the API from a backup', async () => {
  const restored = pipeline(name, { labels: BY_API, annotations: BY_ROOT });
  expect(await installation.client.create(PIPELINES, restored)).toMatchObject({ ok: true });
});

describe('the operator', () => {
  test('cannot add or remove the label that allows it to delete an object', async () => {
    orThrow(await tenant.create(PIPELINES, pipeline(name)), 'making');
    // Two policies deny this, and the API server may name either.
    expect(await tryPatch(installation.operator, { labels: BY_API })).toMatch(/denied request: .*managed-by/);
    const other = `${name}-of-the-api`;
    orThrow(await installation.restricted.create(PIPELINES, pipeline(other, { labels: BY_API })), 'making');
    name = other;
    expect(await tryPatch(installation.operator, { labels: { 'millrace.dev/managed-by': null } })).toContain(
      'the operator never changes the label millrace.dev/managed-by',
    );
    expect(await tryPatch(installation.operator, { finalizers: ['millrace.dev/pipeline'] })).toBe('allowed');
  });
});
