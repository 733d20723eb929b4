import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { encodeText } from '#adapters/database/builds/log-chunks.ts';
import { ids, rows, timestamp } from '#adapters/database/connection/pool.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { viewLogs } from './view-logs.ts';

const REF = { team: 'main', pipeline: 'app', job: 'unit', number: '1' };
const CHUNK = 64 * 1024;
const PAGE = 128 * 1024;
let stores: TestStores;
let build = 0;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [job('unit', get('git.app'), task('run'))];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date());
  build = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT id FROM builds`);
});
afterAll(async () => await stores.close());

async function writeLog(texts: string[]): Promise<void> {
  await stores.pool.query(rows()`DELETE FROM build_logs WHERE build_id = ANY(${ids([build])})`);
  const at = new Date();
  for (const [index, text] of texts.entries()) {
    const { encoding, content } = encodeText(text);
    await stores.pool.query(rows()`
      INSERT INTO build_logs (month, build_id, attempt, sequence, step, logged_at, encoding, content)
      SELECT date_trunc('month', created_at AT TIME ZONE 'UTC')::date, id, 1, ${index + 1}, '0',
      ${timestamp(at)}, ${encoding},
        decode(${content.toString('hex')}, 'hex') FROM builds WHERE id = ${build}`);
  }
}

/** The pool, and a count of the bytes of log content that the database sends through it. */
function countingPool(): { pool: TestStores['pool']; bytes: () => number } {
  let bytes = 0;
  const any = async (query: Parameters<TestStores['pool']['any']>[0]) => {
    const answer: readonly unknown[] = await stores.pool.any(query);
    for (const row of answer)
      if (typeof row === 'object' && row !== null && 'content' in row && Buffer.isBuffer(row.content))
        bytes += row.content.length;
    return answer;
  };
  const pool = new Proxy(stores.pool, {
    get: (target, name): unknown => (name === 'any' ? any : Reflect.get(target, name, target)),
  });
  return { pool, bytes: () => bytes };
}

/** The page after this cursor, and how many bytes of content the database sent for the page. */
async function page(after = 0) {
  const { pool, bytes } = countingPool();
  const log = await viewLogs(pool, REF, after, PAGE);
  if (log === undefined) throw new Error('The build has no log.');
  return { ...log, bytes: bytes() };
}

/** Text that hardly compresses, as an attacker would send it. */
const noise = (): string => randomBytes((CHUNK * 3) / 4).toString('base64');

test('a page of a log reads only as many rows as its characters need', async () => {
  await writeLog(Array.from({ length: 40 }, noise));
  const first = await page();
  expect([first.chunks.length, first.hasMore]).toEqual([2, true]);
  expect(first.bytes).toBeLessThanOrEqual(PAGE + CHUNK);
});

test('all pages together are the whole log, whatever its texts are', async () => {
  const texts = ['é'.repeat(CHUNK), 'a'.repeat(CHUNK), noise(), '\n', 'x\n', noise(), noise(), 'end\n'];
  await writeLog(texts);
  let read = '';
  let after = 0;
  for (let more = true; more;) {
    const { chunks, hasMore } = await page(after);
    read += chunks.map(({ text }) => text).join('');
    after = chunks.at(-1)?.sequence ?? after;
    more = hasMore;
  }
  expect(read).toBe(texts.join(''));
});

test('a text that is longer than a page is a page of its own', async () => {
  const long = 'x'.repeat(1024 * 1024);
  await writeLog([long, 'next\n']);
  const { chunks, hasMore } = await page();
  expect([chunks.map(({ text }) => text.length), hasMore]).toEqual([[long.length], true]);
});
