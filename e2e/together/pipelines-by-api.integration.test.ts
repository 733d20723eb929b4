import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Role } from '#domain/access/roles.ts';
import { eventually, openHouse, type House } from '#testing/together/house-under-test.ts';

/* Pipelines through the API, over a real API server with the chart's policies, beside the operator. */
const TEAM = 'makers';
let house: House;
let ann: string;
let count = 0;
let name: string;

beforeAll(async () => {
  house = await openHouse({ sessionSeconds: 0 });
  await house.apply(KINDS.teams, { metadata: { name: TEAM }, spec: {} });
  await eventually(
    async () => await house.stores.access.members.team(TEAM),
    (team) => team !== undefined,
  );
  ann = await member('ann', 'maintain');
}, 600_000);
beforeEach(() => {
  count += 1;
  name = `app-${count}`;
});
afterAll(async () => await house.close(), 600_000);

async function member(username: string, role: Role): Promise<string> {
  await house.gateway.account(username, { teams: { [TEAM]: role } });
  return await house.gateway.session(username);
}

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
  findings: { line?: number; column?: number; code?: string; message: string; severity: string }[];
}
const ask = async (what: string, body?: unknown, as = ann) =>
  await house.gateway.ask<Body>(what, { as, ...(body !== undefined && { body }) });
const kind = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const of = (rest = ''): string => `/teams/${TEAM}/pipelines/${name}${rest}`;
const objectOf = async () =>
  orThrow(await house.client.get(KINDS.pipelines, { namespace: TEAM, name }), 'reading');
const text = (job: string, more = ''): string =>
  `${more}job "${job}" {\n  task "hello" {\n    run "shell" {\n      cmd = "echo hello"\n    }\n  }\n}\n`;
const WHO = 'variable "who" {\n  type = string\n}\n';
const create = async (more: object = {}) =>
  await ask(`POST /teams/${TEAM}/pipelines`, { name, config: text('first'), ...more });

describe('a pipeline that the API makes', () => {
  test('is a Pipeline object, and runs when the answer says so', async () => {
    const made = await create({ display_name: 'The App', public: true });
    expect([made.status, made.body.data]).toEqual([201, { team: TEAM, name, ready: true, warnings: [] }]);
    expect((await ask(`GET ${of()}`)).body.data).toMatchObject({
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
    expect(kind((await create()).body)).toBe('already-exists');
    const audit = await house.gateway.ask<{ data: { action: string; actor: string; target: string }[] }>(
      `GET /teams/${TEAM}/audit?pipeline=${name}`,
      { as: ann },
    );
    expect(audit.body.data).toMatchObject([{ action: 'pipeline.created', actor: 'ann', target: name }]);
  });

  test('changes, and what the body leaves out stays', async () => {
    await create({ vars: { who: 'x' }, config: text('first', WHO) });
    const changed = await ask(`PUT ${of()}`, { config: text('second', WHO) });
    expect([changed.status, changed.body.data]).toMatchObject([200, { ready: true }]);
    expect((await ask(`GET ${of()}`)).body.data).toMatchObject({ revision: 2, public: false });
    expect((await ask(`PUT ${of()}`, { public: true })).status).toBe(200);
    expect((await ask(`GET ${of()}`)).body.data).toMatchObject({ public: true });
    expect((await ask(`GET ${of('/definition')}`)).body.data).toEqual({
      name,
      config: text('second', WHO),
      vars: { who: 'x' },
      public: true,
    });
  });

  test('is not made of a text with errors: all of them are told by line and column, as validate tells them', async () => {
    const config = 'job "a" {\n  get "git" "nowhere" {}\n  tsk "b" {}\n}\n';
    const refused = await create({ config });
    expect([refused.status, kind(refused.body)]).toEqual([400, 'invalid-pipeline']);
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
    expect((await house.client.get(KINDS.pipelines, { namespace: TEAM, name })).ok).toBe(false);
    await create();
    expect(kind((await ask(`PUT ${of()}`, { config })).body)).toBe('invalid-pipeline');
    expect((await objectOf()).spec.config).toBe(text('first'));
  });

  test('stands and does not run where the operator refuses it, and the answer says why', async () => {
    const config = `resource_type "own" {\n  source = "https://127.0.0.1:1/own.hcl"\n}\nresource "own" "x" {}\n${text('first')}`;
    const made = await create({ config });
    expect([made.status, made.body.data]).toMatchObject([
      202,
      { ready: false, reason: 'SourceUnavailable', message: expect.stringContaining('own.hcl') },
    ]);
    expect(made.body.data['warnings']).toMatchObject([{ severity: 'warning', line: 2 }]);
  });

  test('goes, and comes back with its history', async () => {
    await create();
    const { id } = (await ask(`GET ${of()}`)).body.data;
    expect((await ask(`DELETE ${of()}`)).status).toBe(200);
    expect((await ask(`GET ${of()}`)).status).toBe(404);
    expect((await ask(`DELETE ${of()}`)).status).toBe(404);
    await create();
    expect((await ask(`GET ${of()}`)).body.data['id']).toBe(id);
    const audit = await house.gateway.ask<{ data: { action: string }[] }>(
      `GET /teams/${TEAM}/audit?pipeline=${name}`,
      { as: ann },
    );
    const actions = audit.body.data.map(({ action }) => action);
    expect(actions).toEqual(['pipeline.created', 'pipeline.deleted', 'pipeline.created']);
  });
});

test('a pipeline of a manifest is not the API’s to change', async () => {
  await house.apply(KINDS.pipelines, {
    metadata: { namespace: TEAM, name },
    spec: { config: text('first') },
  });
  for (const [what, body] of [
    [`PUT ${of()}`, { config: text('second') }],
    [`DELETE ${of()}`, undefined],
    [`GET ${of('/definition')}`, undefined],
  ] as const) {
    const refused = await ask(what, body);
    expect([what, refused.status, kind(refused.body)]).toEqual([what, 409, 'managed-by-manifest']);
  }
});

test('who may only write changes no pipeline, and a body names no other team', async () => {
  const bob = await member('bob', 'write');
  const body = { name, config: text('first') };
  expect((await ask(`POST /teams/${TEAM}/pipelines`, body, bob)).status).toBe(403);
  expect((await ask(`POST /teams/${TEAM}/pipelines/validate`, { config: body.config }, bob)).status).toBe(
    403,
  );
  const made = await ask(`POST /teams/${TEAM}/pipelines`, { ...body, team: 'other', namespace: 'other' });
  expect([made.status, made.body.data['team'], (await objectOf()).metadata.namespace]).toEqual([
    201,
    TEAM,
    TEAM,
  ]);
  expect((await ask('POST /teams/other/pipelines', body)).status).toBe(403);
});
