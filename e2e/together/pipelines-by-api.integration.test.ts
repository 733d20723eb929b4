import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Role } from '#domain/access/roles.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/* Pipelines managed through the API, with a real API server, the chart's policies and a running operator. */
const TEAM = 'makers';
let installation: TestInstallation;
let ann: string;
let count = 0;
let name: string;

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
  await installation.apply(KINDS.teams, { metadata: { name: TEAM }, spec: {} });
  await eventually(
    async () => await installation.stores.access.members.team(TEAM),
    (team) => team !== undefined,
  );
  ann = await member('ann', 'maintain');
}, 600_000);
beforeEach(() => {
  count += 1;
  name = `app-${count}`;
});
afterAll(async () => await installation.close(), 600_000);

async function member(username: string, role: Role): Promise<string> {
  await installation.gateway.account(username, { teams: { [TEAM]: role } });
  return await installation.gateway.session(username);
}

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
  findings: { line?: number; column?: number; code?: string; message: string; severity: string }[];
}
const ask = async (request: string, body?: unknown, as = ann) =>
  await installation.gateway.ask<Body>(request, { as, ...(body !== undefined && { body }) });
const problemOf = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const pathOf = (rest = ''): string => `/teams/${TEAM}/pipelines/${name}${rest}`;
const objectOf = async () =>
  orThrow(await installation.client.get(KINDS.pipelines, { namespace: TEAM, name }), 'reading');
const text = (job: string, more = ''): string =>
  `${more}job "${job}" {\n  task "hello" {\n    run "shell" {\n      cmd = "echo hello"\n    }\n  }\n}\n`;
const WHO = 'variable "who" {\n  type = string\n}\n';
const create = async (fields: object = {}) =>
  await ask(`POST /teams/${TEAM}/pipelines`, { name, config: text('first'), ...fields });

describe('a pipeline of the API', () => {
  test('is created as a Pipeline object, and is running when the API answers `ready`', async () => {
    const answer = await create({ display_name: 'The App', public: true });
    expect([answer.status, answer.body.data]).toEqual([201, { team: TEAM, name, ready: true, warnings: [] }]);
    expect((await ask(`GET ${pathOf()}`)).body.data).toMatchObject({
      name,
      display_name: 'The App',
      public: true,
      revision: 1,
      jobs: 1,
    });
    const { metadata, spec } = await objectOf();
    expect([metadata.labels, metadata.annotations?.['millrace.dev/changed-by']]).toEqual([
      { 'millrace.dev/managed-by': 'api' },
      'ann',
    ]);
    expect(spec).toEqual({ config: text('first'), displayName: 'The App', public: true });
    expect(problemOf((await create()).body)).toBe('already-exists');
    const audit = await installation.gateway.ask<{
      data: { action: string; actor: string; target: string }[];
    }>(`GET /teams/${TEAM}/audit?pipeline=${name}`, { as: ann });
    expect(audit.body.data).toMatchObject([{ action: 'pipeline.created', actor: 'ann', target: name }]);
  });

  test('keeps the fields that an update does not contain', async () => {
    await create({ vars: { who: 'x' }, config: text('first', WHO) });
    const changed = await ask(`PUT ${pathOf()}`, { config: text('second', WHO) });
    expect([changed.status, changed.body.data]).toMatchObject([200, { ready: true }]);
    expect((await ask(`GET ${pathOf()}`)).body.data).toMatchObject({ revision: 2, public: false });
    expect((await ask(`PUT ${pathOf()}`, { public: true })).status).toBe(200);
    expect((await ask(`GET ${pathOf()}`)).body.data).toMatchObject({ public: true });
    expect((await ask(`GET ${pathOf('/definition')}`)).body.data).toEqual({
      name,
      config: text('second', WHO),
      vars: { who: 'x' },
      ready: true,
      public: true,
      generation: expect.any(Number),
    });
  });

  test('is not created from an invalid text, and the answer has the same errors as `validate`', async () => {
    const config = 'job "a" {\n  get "git" "nowhere" {}\n  tsk "b" {}\n}\n';
    const refused = await create({ config });
    expect([refused.status, problemOf(refused.body)]).toEqual([400, 'invalid-pipeline']);
    expect(refused.body.findings.length).toBeGreaterThan(1);
    expect(refused.body.findings[0]).toMatchObject({
      severity: 'error',
      line: 2,
      code: expect.any(String),
      blocks: ['job "a"'],
    });
    expect(refused.body.detail).toMatch(/^2:\d+: in job "a": /);
    const validated = await ask(`POST /teams/${TEAM}/pipelines/validate`, { config });
    expect(validated.body.data).toEqual({ valid: false, findings: refused.body.findings });
    expect((await installation.client.get(KINDS.pipelines, { namespace: TEAM, name })).ok).toBe(false);
    await create();
    expect(problemOf((await ask(`PUT ${pathOf()}`, { config })).body)).toBe('invalid-pipeline');
    expect((await objectOf()).spec.config).toBe(text('first'));
  });

  test('is created but does not run if the operator refuses it, and the answer says why', async () => {
    const config =
      'resource_type "own" {\n  source = "https://127.0.0.1:1/own.hcl"\n}\nresource "own" "x" {}\n' +
      text('first');
    const answer = await create({ config });
    expect([answer.status, answer.body.data]).toMatchObject([
      202,
      { ready: false, reason: 'SourceUnavailable', message: expect.stringContaining('own.hcl') },
    ]);
    expect(answer.body.data['warnings']).toMatchObject([{ severity: 'warning', line: 2 }]);
  });

  test('is not created in a team that does not exist, and the answer names the team', async () => {
    await installation.gateway.account('root', { globalAdmin: true });
    const root = await installation.gateway.session('root');
    const refused = await ask('POST /teams/nowhere/pipelines', { name, config: text('first') }, root);
    expect([refused.status, refused.body.detail]).toEqual([404, 'Team nowhere does not exist.']);
  });

  test('is deleted, and finds its history when it is created again', async () => {
    await create();
    const { id } = (await ask(`GET ${pathOf()}`)).body.data;
    expect((await ask(`DELETE ${pathOf()}`)).status).toBe(200);
    expect((await ask(`GET ${pathOf()}`)).status).toBe(404);
    expect((await ask(`DELETE ${pathOf()}`)).status).toBe(404);
    await create();
    expect((await ask(`GET ${pathOf()}`)).body.data['id']).toBe(id);
    const audit = await installation.gateway.ask<{ data: { action: string }[] }>(
      `GET /teams/${TEAM}/audit?pipeline=${name}`,
      { as: ann },
    );
    const actions = audit.body.data.map(({ action }) => action);
    expect(actions).toEqual(['pipeline.created', 'pipeline.deleted', 'pipeline.created']);
  });
});

test('the API cannot change a pipeline of a manifest', async () => {
  await installation.apply(KINDS.pipelines, {
    metadata: { namespace: TEAM, name },
    spec: { config: text('first') },
  });
  for (const [request, body] of [
    [`PUT ${pathOf()}`, { config: text('second') }],
    [`DELETE ${pathOf()}`, undefined],
  ] as const) {
    const refused = await ask(request, body);
    expect([request, refused.status, problemOf(refused.body)]).toEqual([request, 409, 'managed-by-manifest']);
  }
  const definition = await eventually(
    async () => await ask(`GET ${pathOf('/definition')}`),
    ({ status }) => status === 200,
  );
  expect([definition.status, definition.body.data]).toEqual([
    200,
    { name, config: text('first'), vars: {}, managed_by_manifest: true },
  ]);
});

test('the API does not overwrite a change that its caller has not seen', async () => {
  await create();
  const { generation } = (await ask(`GET ${pathOf('/definition')}`)).body.data;
  expect((await ask(`PUT ${pathOf()}`, { config: text('second'), generation })).status).toBe(200);
  const late = await ask(`PUT ${pathOf()}`, { config: text('third'), generation });
  expect([late.status, problemOf(late.body)]).toEqual([409, 'refused']);
  expect((await objectOf()).spec.config).toBe(text('second'));
});

test('the role write cannot change a pipeline, and a body cannot name a team or namespace', async () => {
  const bob = await member('bob', 'write');
  const body = { name, config: text('first') };
  expect((await ask(`POST /teams/${TEAM}/pipelines`, body, bob)).status).toBe(403);
  expect((await ask(`POST /teams/${TEAM}/pipelines/validate`, { config: body.config }, bob)).status).toBe(
    403,
  );
  for (const field of ['team', 'namespace']) {
    const refused = await ask(`POST /teams/${TEAM}/pipelines`, { ...body, [field]: 'other' });
    expect([refused.status, problemOf(refused.body)]).toEqual([400, 'invalid-request']);
  }
  const answer = await ask(`POST /teams/${TEAM}/pipelines`, body);
  expect([answer.status, answer.body.data['team'], (await objectOf()).metadata.namespace]).toEqual([
    201,
    TEAM,
    TEAM,
  ]);
  expect((await ask('POST /teams/other/pipelines', body)).status).toBe(403);
});
