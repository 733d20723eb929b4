import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/* Renames through the API, with a real API server, the chart's policies and a running operator. */
const TEAM = 'makers';
let installation: TestInstallation;
let ann: string;
let count = 0;
let name: string;
let newName: string;

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
  await installation.apply(KINDS.teams, { metadata: { name: TEAM }, spec: {} });
  await eventually(
    async () => await installation.stores.access.members.team(TEAM),
    (team) => team !== undefined,
  );
  await installation.gateway.account('ann', { teams: { [TEAM]: 'maintain' } });
  ann = await installation.gateway.session('ann');
}, 600_000);
beforeEach(() => {
  count += 1;
  name = `app-${count}`;
  newName = `other-${count}`;
});
afterAll(async () => await installation.close(), 600_000);

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
}
const JOB = `job "unit" {
  task "hello" {
    run "shell" {
      cmd = "echo hello"
    }
  }
}
`;
/** A config whose checks need no Pod, because Pods never end in this test. */
const CONFIG = `resource "trigger" "app" {
}
${JOB}`;
const CONFIG_WITH_CHECKS = `resource "git" "app" {
  check_interval = "0 4 * * *"
  params {
    name   = "app"
    url    = "https://git.example.org/me/app.git"
    branch = "main"
  }
}
${JOB}`;
const ask = async (request: string, body?: unknown, as = ann) =>
  await installation.gateway.ask<Body>(request, { as, ...(body !== undefined && { body }) });
const problemOf = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const pathOf = (pipeline: string, rest = ''): string => `/teams/${TEAM}/pipelines/${pipeline}${rest}`;
async function create(pipeline = name, config = CONFIG) {
  const made = await ask(`POST /teams/${TEAM}/pipelines`, { name: pipeline, config, public: true });
  if (made.status !== 201) throw new Error(made.text);
  return made.body.data;
}
const rename = async (to = newName, from = name) =>
  await ask(`POST ${pathOf(from, '/rename')}`, { name: to });
const objectOf = async (pipeline: string) =>
  orThrow(await installation.client.get(KINDS.pipelines, { namespace: TEAM, name: pipeline }), 'reading');
const readyOf = async (pipeline: string) =>
  (await objectOf(pipeline)).status?.conditions?.find(({ type }) => type === 'Ready');

describe('a rename', () => {
  test('keeps ids, pauses and webhook tokens, frees the old name, and is in the audit log', async () => {
    await create();
    await ask(`POST ${pathOf(name, '/jobs/unit/pause')}`);
    const before = (await ask(`GET ${pathOf(name)}`)).body.data;
    const token = await webhookOf(name);
    const answer = await rename();
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { team: TEAM, name: newName, ready: true, warnings: [] },
    ]);
    expect((await ask(`GET ${pathOf(newName)}`)).body.data).toEqual({ ...before, name: newName });
    expect(await webhookOf(newName)).toEqual(token);
    expect((await ask(`GET ${pathOf(newName, '/jobs/unit')}`)).body.data).toMatchObject({ paused: true });
    const renamed = await objectOf(newName);
    expect(renamed.metadata.annotations).toEqual({ 'millrace.dev/changed-by': 'ann' });
    expect(renamed.spec).toEqual({ config: CONFIG, public: true });
    expect(renamed.status?.jobs).toEqual([{ name: 'unit', paused: true }]);
    for (const path of ['', '/definition', '/jobs/unit', '/public'])
      expect([path, (await ask(`GET ${pathOf(name, path)}`)).status]).toEqual([path, 404]);
    expect((await installation.gateway.ask(`GET ${pathOf(newName, '/public')}`)).status).toBe(200);
    await create();
    expect((await ask(`GET ${pathOf(name)}`)).body.data['id']).not.toEqual(before['id']);
    const { body } = await installation.gateway.ask<{ data: object[] }>(
      `GET /teams/${TEAM}/audit?pipeline=${newName}`,
      {
        as: ann,
      },
    );
    expect(body.data).toMatchObject([
      { action: 'pipeline.updated', actor: 'ann', target: newName, details: { renamed_from: name } },
    ]);
  });

  test('gives checks and Pods the new name', async () => {
    await create(name, CONFIG_WITH_CHECKS);
    await endCheckOf(name);
    expect((await rename()).status).toBe(200);
    const cronJobs: { name: string | undefined; pipeline: unknown; owners: unknown }[] = [];
    orThrow(
      await installation.client.list(KINDS.cronJobs, { namespace: TEAM }, (items) => {
        for (const { metadata } of items)
          cronJobs.push({
            name: metadata?.name,
            pipeline: metadata?.labels?.['millrace.dev/pipeline'],
            owners: metadata?.ownerReferences?.map((owner) => owner.name),
          });
      }),
      'listing',
    );
    expect(cronJobs.filter(({ pipeline }) => pipeline === newName)).toEqual([
      { name: expect.stringContaining(newName), pipeline: newName, owners: [newName] },
    ]);
    expect((await ask(`POST ${pathOf(newName, '/jobs/unit/trigger')}`)).status).toBe(201);
    const pods = await eventually(
      async () => await podsOf(newName),
      (found) => found.length > 0,
    );
    expect(pods).toEqual([{ name: expect.stringContaining(newName), owners: [newName] }]);
    expect(await podsOf(name)).toEqual([]);
  });

  test('is refused while a build runs, and done once the build has ended', async () => {
    await create();
    expect((await ask(`POST ${pathOf(name, '/jobs/unit/trigger')}`)).status).toBe(201);
    const refused = await rename();
    expect([refused.status, problemOf(refused.body), refused.body.detail]).toEqual([
      409,
      'refused',
      expect.stringContaining('one of its builds runs'),
    ]);
    expect((await installation.client.get(KINDS.pipelines, { namespace: TEAM, name: newName })).ok).toBe(
      false,
    );
    expect((await ask(`POST ${pathOf(name, '/jobs/unit/builds/1/cancel')}`)).status).toBe(202);
    await eventually(
      async () =>
        await installation.stores.pool.exists(rows()`
          SELECT 1 FROM builds b JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id
          WHERE p.name = ${name} AND b.ended_at IS NULL`),
      (running) => !running,
    );
    expect((await rename()).status).toBe(200);
    expect((await ask(`GET ${pathOf(newName, '/jobs/unit/builds/1')}`)).body.data).toMatchObject({
      status: 'cancelled',
    });
  });

  test.each<[string, () => Promise<unknown>, number, string]>([
    ['a name that is taken', async () => await create(newName), 409, 'already-exists'],
    [
      'the name of a pipeline of a manifest',
      async () =>
        await installation.apply(KINDS.pipelines, {
          metadata: { namespace: TEAM, name: newName },
          spec: { config: CONFIG },
        }),
      409,
      'already-exists',
    ],
    [
      'a name under which a deleted pipeline has its history',
      async () => {
        await create(newName);
        await ask(`DELETE ${pathOf(newName)}`);
      },
      409,
      'refused',
    ],
    [
      'a name that is invalid for an object',
      async () => {
        newName = 'Not This';
      },
      400,
      'invalid-request',
    ],
    [
      'its own name',
      async () => {
        newName = name;
      },
      409,
      'already-exists',
    ],
  ])('to %s is refused and changes nothing', async (_, arrange, status, problem) => {
    await create();
    await arrange();
    const refused = await rename();
    expect([refused.status, problemOf(refused.body)]).toEqual([status, problem]);
    expect((await ask(`GET ${pathOf(name)}`)).status).toBe(200);
    expect(await readyOf(name)).toMatchObject({ status: 'True' });
  });
});

describe('a pipeline', () => {
  test('of a manifest cannot be renamed, and a missing one is not found', async () => {
    await installation.apply(KINDS.pipelines, {
      metadata: { namespace: TEAM, name },
      spec: { config: CONFIG },
    });
    const refused = await rename();
    expect([refused.status, problemOf(refused.body)]).toEqual([409, 'managed-by-manifest']);
    expect(refused.body.detail).toContain(name);
    const missing = await rename('x', 'nowhere');
    expect([missing.status, problemOf(missing.body), missing.body.detail]).toEqual([
      404,
      'not-found',
      expect.stringContaining('nowhere'),
    ]);
  });

  test('whose object has fields that the API would lose can be neither renamed nor changed', async () => {
    await create();
    const pins = [{ resource: 'trigger.app', version: { ref: 'a' } }];
    const added = [{ op: 'add' as const, path: '/spec/pins', value: pins }];
    orThrow(
      await installation.client.patchJson(KINDS.pipelines, { namespace: TEAM, name }, added),
      'patching',
    );
    for (const refused of [await rename(), await ask(`PUT ${pathOf(name)}`, { public: false })])
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('spec.pins')]);
    expect((await objectOf(name)).spec.pins).toEqual(pins);
  });

  test('cannot be taken over by writing the annotation of a rename by hand', async () => {
    await create();
    const { uid } = (await objectOf(name)).metadata;
    await installation.apply(KINDS.pipelines, {
      metadata: {
        namespace: TEAM,
        name: newName,
        labels: { 'millrace.dev/managed-by': 'api' },
        annotations: { 'millrace.dev/renamed-from': `${name}/${uid}/made-up` },
      },
      spec: { config: CONFIG },
    });
    await eventually(
      async () => (await readyOf(newName))?.reason,
      (reason) => reason === 'RenameRefused',
    );
    expect((await ask(`GET ${pathOf(newName)}`)).status).toBe(404);
    expect((await ask(`GET ${pathOf(name)}`)).status).toBe(200);
    // As the condition says, the object is a separate pipeline once it loses the annotation.
    const path = '/metadata/annotations/millrace.dev~1renamed-from';
    const patch = [{ op: 'remove' as const, path }];
    orThrow(
      await installation.client.patchJson(KINDS.pipelines, { namespace: TEAM, name: newName }, patch),
      'patching',
    );
    const own = await eventually(
      async () => await ask(`GET ${pathOf(newName)}`),
      ({ status }) => status === 200,
    );
    expect(own.body.data['id']).not.toEqual((await ask(`GET ${pathOf(name)}`)).body.data['id']);
  });

  test('may be deleted by the operator only if the API created it', async () => {
    await create();
    await installation.apply(KINDS.pipelines, {
      metadata: { namespace: TEAM, name: newName },
      spec: { config: CONFIG },
    });
    const { operator } = installation;
    expect(await operator.delete(KINDS.pipelines, { namespace: TEAM, name: newName })).toMatchObject({
      ok: false,
      status: 403,
      message: expect.stringContaining('deletes only objects labelled millrace.dev/managed-by=api'),
    });
    expect(await operator.delete(KINDS.teams, { name: TEAM })).toMatchObject({ ok: false, status: 403 });
    // The operator needs this right to remove the annotation of a rename.
    const path = '/metadata/annotations/millrace.dev~1changed-by';
    const patch = [{ op: 'remove' as const, path }];
    expect(await operator.patchJson(KINDS.pipelines, { namespace: TEAM, name }, patch)).toMatchObject({
      ok: true,
    });
    expect(await operator.delete(KINDS.pipelines, { namespace: TEAM, name })).toMatchObject({ ok: true });
  });
});

async function webhookOf(pipeline: string): Promise<unknown> {
  const { body } = await ask(`GET ${pathOf(pipeline, '/resources/trigger.app')}`);
  const { id, webhook_token: token, webhook_secret: secret } = body.data;
  expect([typeof id, typeof token, typeof secret]).toEqual(['number', 'string', 'string']);
  return { id, token, secret };
}

/** Completes the first check of a pipeline, because its Pod never runs. */
async function endCheckOf(pipeline: string): Promise<void> {
  const { checks } = installation.stores;
  const runs = await eventually(
    async () => (await checks.openRuns()).filter((run) => run.pipeline === pipeline),
    (open) => open.length > 0,
  );
  for (const { run } of runs) await checks.closeRun(run, new Date());
}

/** The Pods of a pipeline's builds. */
async function podsOf(pipeline: string) {
  const pods: { name: string | undefined; owners: unknown }[] = [];
  const labelSelector = `millrace.dev/kind=build,millrace.dev/pipeline=${pipeline}`;
  orThrow(
    await installation.client.list(KINDS.pods, { namespace: TEAM, labelSelector }, (items) => {
      for (const { metadata } of items)
        pods.push({ name: metadata?.name, owners: metadata?.ownerReferences?.map((owner) => owner.name) });
    }),
    'listing',
  );
  return pods;
}
