import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { createLogPartitions, migrate } from '#adapters/database/migrate.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { startDebianPostgres, type DebianPostgres } from '#testing/postgres/debian-postgres.ts';
import { recordFoundVersions, storesOver, succeed, toSave } from '#testing/stores/stores.ts';

/*
 * Runs the commands of docs/how-to/backup.md on the Postgres of the chart: the test reads the arguments of
 * pg_dump, psql and pg_restore from the guide.
 */
const GUIDE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'backup.md'), 'utf8');
const APP = '/teams/main/pipelines/app';

let postgres: DebianPostgres;
beforeAll(async () => {
  postgres = await startDebianPostgres();
  await postgres.run('psql', ['--username=postgres', '--command=CREATE ROLE millrace LOGIN']);
  await postgres.run('psql', ['--username=postgres', '--command=CREATE DATABASE millrace OWNER millrace']);
});
const toClose: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of toClose.toReversed()) await close();
  await postgres.stop();
});

/** The arguments of a program as the guide gives them. */
function argumentsOf(program: string): string[] {
  const commandLine = GUIDE.split('\n').find((line) => line.includes(` -- ${program} `)) ?? '';
  const [, words = ''] = commandLine.split(` -- ${program} `);
  return [...words.replace(/ [<>] .*$/, '').matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) =>
    word.replaceAll("'", ''),
  );
}

async function openDatabase() {
  const url = postgres.url('millrace').replace('postgres@', 'millrace@');
  const pool = await openPool(url, { maximumConnections: 10 });
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => await (ended ??= pool.end());
  toClose.push(end);
  return { url, pool, end, ...storesOver({ pool }) };
}
type Stores = Awaited<ReturnType<typeof openDatabase>>;

/** Digests of all rows, by table. */
async function contentsOf(pool: DatabasePool): Promise<Record<string, string>> {
  const tables = await pool.anyFirst(rows<{ name: string }>()`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
      AND relkind IN ('r', 'p') ORDER BY 1`);
  const contents: Record<string, string> = {};
  for (const table of tables) {
    contents[table] = await pool.oneFirst(rows<{ text: string }>()`
      SELECT count(*) || ' ' || coalesce(md5(string_agg(row, E'\n' ORDER BY row)), '') AS text
      FROM xmltable('//row' PASSING query_to_xml('SELECT t::text AS r FROM ' || quote_ident(${table}) ||
      ' t', true, false, '')
        COLUMNS row text PATH 'r')`);
  }
  return contents;
}

async function fill(stores: Stores): Promise<{ session: string; token: string }> {
  await createLogPartitions(stores.pool, new Date());
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  const [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'first' }, { ref: 'second' }]);
  const gateway = await openGateway(stores);
  await gateway.account('ann', { password: 'correct horse', teams: { main: 'admin' } });
  const session = await gateway.session('ann');
  const token = await gateway.token(session, { name: 'deploy', personal: true });
  const triggered = await gateway.ask(`POST ${APP}/jobs/unit/trigger`, { as: session });
  expect([triggered.text, triggered.status]).toEqual([expect.any(String), 201]);
  await succeed(stores, 'unit');
  const body = { version_id: version, comment: 'the good one' };
  expect((await gateway.ask(`POST ${APP}/resources/git.app/pin`, { as: session, body })).status).toBe(200);
  await gateway.close();
  return { session, token };
}

/** The answers of the routes whose data people would miss first after a restore. */
async function readAnswers(gateway: Gateway, as: string): Promise<string[]> {
  const paths = ['/profile', '/profile/sessions', '/api-tokens', '/teams/main/members', '/teams/main/audit'];
  const ofPipeline = [
    '',
    '/jobs',
    '/resources/git.app',
    '/resources/git.app/versions',
    '/jobs/unit/builds/1',
  ];
  const allPaths = [...paths, ...ofPipeline.map((path) => `${APP}${path}`), `${APP}/jobs/unit/builds/1/logs`];
  const answers: string[] = [];
  for (const path of allPaths) {
    const answer = await fetch(`${gateway.base}${path}`, { headers: { authorization: `Bearer ${as}` } });
    expect([path, answer.status]).toEqual([path, 200]);
    answers.push(`${path} ${await answer.text()}`);
  }
  return answers;
}

test('a restored dump contains sign-ins, tokens, versions, pins, builds and logs, and work continues', async () => {
  const stores = await openDatabase();
  await migrate(stores.url);
  const { session, token } = await fill(stores);
  const first = await openGateway(stores);
  const answersBefore = await readAnswers(first, session);
  const contentsBefore = await contentsOf(stores.pool);
  await first.close();
  const [latest] =
    (await stores.views.builds({ team: 'main', pipeline: 'app', job: 'unit' }, { limit: 1 }))?.rows ?? [];

  await postgres.run('pg_dump', [...argumentsOf('pg_dump'), '--file=millrace.dump']);
  await stores.end();
  await postgres.run('psql', argumentsOf('psql'));
  await postgres.run('pg_restore', [...argumentsOf('pg_restore'), 'millrace.dump']);

  const restored = await openDatabase();
  expect(await migrate(restored.url)).toEqual([]);
  expect(await contentsOf(restored.pool)).toEqual(contentsBefore);
  const second = await openGateway(restored);
  toClose.push(async () => await second.close());
  expect(await readAnswers(second, session)).toEqual(answersBefore);
  expect((await second.ask('GET /profile', { as: token })).status).toBe(200);
  const body = { username: 'ann', password: 'correct horse' };
  expect((await second.ask('POST /auth/login', { body })).status).toBe(200);

  // If people apply the Pipeline object in another cluster, the pipeline and its build numbers continue.
  const reapplied = await restored.pipelines.savePipeline(toSave(samplePipeline(), { uid: 'another' }));
  expect([reapplied.id, reapplied.changed]).toEqual([1, false]);
  const next = await second.ask(`POST ${APP}/jobs/unit/trigger`, { as: session });
  expect(next.body.data).toMatchObject({ number: String(Number(latest?.number) + 1) });
});
