import { describe, expect, test } from '@jest/globals';
import { filesWithSql, lockingStatements, type LockingStatement } from './read-statements.ts';

/*
 * Two transactions that lock the same rows in different orders deadlock. So each statement that locks several
 * rows of these tables first locks them in a fixed order. Rows of the other tables are written by holders of
 * one lock: that of the pipeline, of the people's access, or of the row that they belong to.
 */
const ORDERED_TABLES = new Set([
  'build_notifications',
  'builds',
  'caches',
  'check_scopes',
  'job_gets',
  'jobs',
  'sign_in_failures',
  'teams',
  'user_sessions',
  'versions',
]);

/**
 * Statements that need no order of their own, and why: there is only one row, or the named function has
 * already locked the rows, or the rows that they belong to, in order.
 */
const LOCKED_BEFORE: Record<string, string> = {
  'caches/cache-store.ts: UPDATE caches': 'lockCaches',
  'checks/check-runs.ts: UPDATE check_scopes': 'dueScopes, freeScopesOf, scopesOfRun, releaseRun',
  'checks/move-versions.ts: UPDATE job_gets': 'addVersions locks the jobs',
  'pipelines/cache-rows.ts: DELETE FROM caches': 'removeCaches',
  'checks/hook-runs.ts: UPDATE check_scopes': 'one scope: that of the versions that the run holds',
  'checks/notification-runs.ts: DELETE FROM build_notifications': 'openNotificationRuns',
  'checks/notification-runs.ts: UPDATE build_notifications': 'openNotificationRuns',
  'people/throttle-store.ts: DELETE FROM sign_in_failures': 'forgive',
  'people/throttle-store.ts: UPDATE sign_in_failures': 'forgive',
  'pipelines/pause-jobs.ts: UPDATE job_gets': 'lockJobs',
  'pipelines/pause-jobs.ts: UPDATE jobs': 'lockJobs',
  'pipelines/pin-resource.ts: UPDATE job_gets': 'lockJobs, or lockScopes for a save',
  'pipelines/remove-pipeline.ts: DELETE FROM build_notifications': 'lockRows',
  'pipelines/remove-pipeline.ts: DELETE FROM job_gets': 'lockRows',
  'pipelines/remove-pipeline.ts: UPDATE builds': 'lockRows',
  'pipelines/remove-pipeline.ts: UPDATE check_scopes': 'lockRows',
  'pipelines/remove-pipeline.ts: UPDATE jobs': 'lockRows',
  'pipelines/resource-actions.ts: UPDATE job_gets': 'lockJobs',
  'pipelines/save-jobs.ts: DELETE FROM job_gets': 'lockJobs',
  'pipelines/save-jobs.ts: UPDATE jobs': 'lockJobs',
  'pipelines/save-resources.ts: UPDATE check_scopes': 'lockScopes',
  'pipelines/switch-scopes.ts: UPDATE check_scopes': 'lockScopes',
  'pipelines/save-pipeline.ts: FOR NO KEY UPDATE': 'one team',
  'pipelines/save-pipeline.ts: FOR SHARE': 'one team',
  'pipelines/secret-store.ts: FOR UPDATE OF t': 'one team',
  'retention/retain-builds.ts: DELETE FROM builds': 'removeLogs',
  'retention/retain-builds.ts: UPDATE job_gets': 'nextTurn locks the job',
};

/** The condition is the key of one row: a value, or a column of one row that the statement has locked. */
const ONE_ROW = /\b(?:id|key|name|scope) = (?:\$|'operator'|(?:locked|attempt|taken|session)\.)/;
const IN_ORDER = /ORDER BY [\w.]+(?: LIMIT \$)?$/;
const LOCKED_IN_ORDER = /ORDER BY [\w.]+(?: LIMIT \d+)? FOR (?:NO KEY )?UPDATE|SKIP LOCKED/;

function isFault({ table, kind, text, before }: LockingStatement): boolean {
  if (ONE_ROW.test(text)) return false;
  if (table !== undefined) return ORDERED_TABLES.has(table) && !LOCKED_IN_ORDER.test(`${before}${text}`);
  return !kind.endsWith('SKIP LOCKED') && !IN_ORDER.test(text);
}

const faultsIn = (file: string, source?: string): string[] =>
  lockingStatements(file, source)
    .filter(isFault)
    .map(({ kind }) => `${file.replace('src/adapters/database/', '')}: ${kind}`);

describe('the check of the order of locks', () => {
  const planted: Record<string, [sql: string, faults: string[]]> = {
    'refuses an update of several rows': [
      'UPDATE builds SET held = NULL WHERE job_id = ${job}',
      ['x.ts: UPDATE builds'],
    ],
    'refuses an update in a part of a statement': [
      'WITH one AS (SELECT 1 FROM jobs WHERE id = ${job}), changed AS (UPDATE jobs SET paused = true) SELECT 1',
      ['x.ts: UPDATE jobs'],
    ],
    'refuses a deletion by a list of ids': [
      'DELETE FROM builds WHERE id = ANY(${ids(removed)})',
      ['x.ts: DELETE FROM builds'],
    ],
    'refuses a lock without an order': [
      'UPDATE a SET b = 1 WHERE id = ${id} AND c IN (SELECT id FROM builds WHERE job_id = ${job} FOR UPDATE)',
      ['x.ts: FOR UPDATE'],
    ],
    'accepts one row': ['UPDATE builds b SET held = NULL WHERE b.id = ${build}', []],
    'accepts rows in a fixed order': [
      'UPDATE builds SET held = NULL WHERE id = ANY(ARRAY(SELECT id FROM builds WHERE ${is} ORDER BY id FOR UPDATE))',
      [],
    ],
    'accepts rows that an earlier part has locked': [
      'WITH l AS (SELECT b.id FROM builds b ORDER BY b.id FOR NO KEY UPDATE OF b) UPDATE builds b SET held = NULL FROM l',
      [],
    ],
  };
  test.each(Object.entries(planted))('%s', (_name, [text, faults]) => {
    expect(faultsIn('x.ts', `const x = sql\`${text}\`;`)).toEqual(faults);
  });
});

test('statements that lock several rows lock them in a fixed order', () => {
  const faults = filesWithSql().flatMap((file) => faultsIn(file));
  expect(faults.filter((fault) => !(fault in LOCKED_BEFORE))).toEqual([]);
  expect(Object.keys(LOCKED_BEFORE).filter((known) => !faults.includes(known))).toEqual([]);
});
