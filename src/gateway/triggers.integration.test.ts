import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { millrace } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* `/teams/{team}/triggers` and `millrace triggers`, over a real Postgres. */
const trigger: ResourceType = {
  name: 'trigger',
  builtIn: true,
  params: [],
  cache: false,
  origin: { source: 'svc://trigger' },
};
let stores: TestStores;
let gateway: Gateway;
let home: string;
let token: string;
/** The ids of the pipelines, by team and name. */
const ids = new Map<string, number>();

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
});
beforeEach(async () => {
  await stores.empty();
  for (const team of ['main', 'other']) await stores.teams.saveTeam({ name: team, namespace: team });
  await savePipeline('main/deploy', job('deploy', get('trigger.released', { trigger: true })));
  await savePipeline('main/notes', job('write', get('trigger.released', { trigger: true })));
  await savePipeline('main/nightly', job('build', get('trigger.night', { trigger: true })));
  await savePipeline('other/deploy', job('deploy', get('trigger.released', { trigger: true })));
  await gateway.account('ann', { teams: { main: 'maintain', other: 'read' } });
  token = await gateway.session('ann');
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  rmSync(home, { recursive: true });
});

async function savePipeline(name: string, ...jobs: Pipeline['jobs']): Promise<void> {
  const [team = '', pipeline = ''] = name.split('/');
  const names = jobs.flatMap(({ steps }) =>
    steps.flatMap((step) => ('resource' in step ? [step.resource] : [])),
  );
  const { schedule: _none, ...bare } = resource('');
  const resources = names.map((resourceName) => ({
    ...bare,
    name: resourceName,
    type: 'trigger',
    label: resourceName.split('.')[1] ?? '',
  }));
  const definition = samplePipeline({ resourceTypes: [trigger], resources, jobs });
  const saved = await stores.pipelines.savePipeline(toSave(definition, { team, pipeline, namespace: team }));
  ids.set(name, saved.id);
}

async function run(line: string) {
  const environment = { XDG_CONFIG_HOME: home, MILLRACE_URL: gateway.base, MILLRACE_TOKEN: token };
  return await millrace(`millrace triggers ${line}`, { environment });
}

type Events = { data: { id: number; version: { tag: string } }[]; has_more: boolean };

async function eventsPage(query: string): Promise<Events> {
  const { body } = await gateway.ask<Events>(`GET /teams/main/triggers/released?${query}`, { as: token });
  return body;
}

describe('an event that a person emits', () => {
  test('starts jobs in each pipeline of the team that declares the trigger, and in no other team', async () => {
    expect(await run('emit released tag=v1 --team main')).toMatchObject({
      exit: 0,
      out: 'deploy\nnotes\n',
      err: 'Emitted released to 2 pipelines of team main.\n',
    });
    for (const name of ['main/deploy', 'main/notes']) {
      const { builds } = await scheduleOn(stores, ids.get(name) ?? 0, new Date());
      expect(builds).toHaveLength(1);
    }
    expect((await scheduleOn(stores, ids.get('main/nightly') ?? 0, new Date())).builds).toEqual([]);
    expect((await scheduleOn(stores, ids.get('other/deploy') ?? 0, new Date())).builds).toEqual([]);
  });

  test('is a new version, even if an earlier event had the same fields', async () => {
    await run('emit released tag=v1 --team main');
    await run('emit released tag=v1 --team main');
    const { out } = await run('list released --team main --output json');
    const version = { tag: 'v1', trigger_by: 'ann', trigger_time: expect.any(String) };
    expect(JSON.parse(out)).toMatchObject([{ version }, { version }]);
  });

  test('is refused if no pipeline of the team declares the trigger', async () => {
    expect(await run('emit missing --team main')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('No pipeline of team main declares the resource "trigger" "missing".'),
    });
  });

  test('needs the role maintain', async () => {
    expect(await run('emit released --team other')).toMatchObject({ exit: 2 });
    expect(JSON.parse((await run('list released --team other --output json')).out)).toEqual([]);
  });

  test.each([
    ['a field without a value', 'emit released tag', 'write a field as <name>=<value>'],
    ['a field twice', 'emit released tag=a tag=b', 'the field tag is given twice'],
    ['a reserved field', 'emit released trigger_build=7', 'trigger_build is set by the server'],
  ])('is refused with %s', async (_title, line, message) => {
    expect((await run(`${line} --team main`)).err).toContain(message);
  });
});

describe('the streams of a team', () => {
  test('are listed with their pipelines and their newest event', async () => {
    expect((await run('list --team main')).out).toMatch(
      /^TRIGGER +NEWEST EVENT +PIPELINES\nnight +never +nightly\nreleased +never +deploy notes\n$/,
    );
    await run('emit night --team main');
    const listed = await run('list --team main --output json');
    expect(JSON.parse(listed.out)).toMatchObject([
      { name: 'night', pipelines: ['nightly'], newest: { version: { trigger_by: 'ann' } } },
      { name: 'released', pipelines: ['deploy', 'notes'] },
    ]);
  });

  test('have their events in pages, newest first, each event once', async () => {
    for (const tag of ['v1', 'v2', 'v3']) await run(`emit released tag=${tag} --team main`);
    const first = await eventsPage('limit=2');
    expect(first.data.map(({ version }) => version.tag)).toEqual(['v3', 'v2']);
    expect(first.has_more).toBe(true);
    const second = await eventsPage(`limit=2&before=${first.data[1]?.id}`);
    expect(second.data.map(({ version }) => version.tag)).toEqual(['v1']);
    expect(second.has_more).toBe(false);
  });

  test('give a client that polls with `after` each event once', async () => {
    for (const tag of ['v1', 'v2', 'v3']) await run(`emit released tag=${tag} --team main`);
    const seen: string[] = [];
    let after = 0;
    for (;;) {
      const page = await eventsPage(`limit=1&after=${after}`);
      const [event] = page.data;
      if (event === undefined) break;
      seen.push(event.version.tag);
      expect(page.has_more).toBe(seen.length < 3);
      after = event.id;
    }
    expect(seen).toEqual(['v1', 'v2', 'v3']);
    const streams = await gateway.ask<{ data: { name: string; newest?: { id: number } }[] }>(
      'GET /teams/main/triggers',
      { as: token },
    );
    expect(streams.body.data.find(({ name }) => name === 'released')?.newest?.id).toBe(after);
  });
});
