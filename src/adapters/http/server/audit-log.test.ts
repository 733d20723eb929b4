import { describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { AuditEntry } from '#flows/people/ports.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';
import { registeredRoutes } from '#testing/http/registered-routes.ts';
import type { Route } from './route.ts';
import { createServer } from './server.ts';

const APP = '/teams/main/pipelines/app';
const UNIT = `${APP}/jobs/unit`;
const GIT = `${APP}/resources/git.app`;

const ANN: Identity = {
  user: 'ann',
  globalAdmin: false,
  credential: 'session',
  teams: new Map([['main', 'admin']]),
};

const routes = await registeredRoutes();

let caller = ANN;
let broken = false;
const recordedEntries: AuditEntry[] = [];
const logLines: string[] = [];
const app = createServer({
  routes: publicRoutes(inMemoryPorts(), async () => undefined, '0'),
  authenticate: async () => caller,
  log: createLog('info', 'test', { write: (line) => void logLines.push(line) }),
  audit: {
    async record(entry) {
      if (broken) throw new Error('no room');
      recordedEntries.push(entry);
    },
  },
});

async function send(
  method: Route['method'],
  url: string,
  payload: object = {},
  options: { as?: Identity; broken?: boolean } = {},
) {
  caller = options.as ?? ANN;
  broken = options.broken === true;
  const { statusCode } = await app.inject({ method, url, ...(method === 'GET' ? {} : { payload }) });
  return { statusCode, entries: recordedEntries.splice(0), lines: logLines.splice(0) };
}

type Case = [method: Route['method'], url: string, entry: string, more?: { body?: object; details?: object }];
const CASES: Case[] = [
  ['POST', `${APP}/pause`, 'pipeline.paused pipeline app'],
  ['POST', `${APP}/unpause`, 'pipeline.unpaused pipeline app'],
  ['POST', `${UNIT}/trigger`, 'job.triggered job app/unit', { details: { number: '8' } }],
  ['POST', `${UNIT}/pause`, 'job.paused job app/unit'],
  ['POST', `${UNIT}/unpause`, 'job.unpaused job app/unit'],
  ['POST', `${UNIT}/builds/8/cancel`, 'job.cancelled build app/unit/8'],
  ['POST', `${UNIT}/builds/7/retry`, 'job.retried build app/unit/7', { details: { number: '7.1' } }],
  [
    'POST',
    `${UNIT}/builds/9/approve`,
    'build.approved build app/unit/9',
    { body: { message: 'fine' }, details: { message: 'fine' } },
  ],
  [
    'POST',
    `${UNIT}/builds/9/reject`,
    'build.rejected build app/unit/9',
    { body: { message: 'no' }, details: { message: 'no' } },
  ],
  ['PUT', `${UNIT}/builds/5/warning`, 'build.marked_warning build app/unit/5'],
  ['POST', `${GIT}/check`, 'resource.check_triggered resource app/git.app'],
  [
    'POST',
    `${GIT}/webhook_token`,
    'resource.webhook_regenerated resource app/git.app',
    { body: { signature: 'required' }, details: { signature: 'required' } },
  ],
  [
    'POST',
    `${GIT}/pin`,
    'resource.pinned resource app/git.app',
    { body: { version_id: 11, comment: 'good' }, details: { version_id: 11, comment: 'good' } },
  ],
  ['POST', `${GIT}/unpin`, 'resource.unpinned resource app/git.app'],
  ['POST', `${GIT}/versions/11/disable`, 'version.disabled version app/git.app/11'],
  ['POST', `${GIT}/versions/11/enable`, 'version.enabled version app/git.app/11'],
  [
    'POST',
    `${GIT}/versions/11/trigger`,
    'version.triggered version app/git.app/11',
    { details: { builds: [{ job: 'unit', number: '8' }] } },
  ],
  ['POST', '/teams/main/triggers', 'trigger.emitted trigger released', { body: { name: 'released' } }],
];

describe('the audit log', () => {
  test.each(CASES)(
    'has the entry of %s %s: %s',
    async (method, url, expected, { body = {}, details = {} } = {}) => {
      const { statusCode, entries } = await send(method, url, body);
      expect(statusCode).toBeLessThan(300);
      const [action, targetType, target] = expected.split(' ');
      expect(entries).toEqual([
        { team: 'main', actor: 'ann', action, targetType, target, details, at: expect.any(Date) },
      ]);
    },
  );

  test('has an entry for every route that changes a pipeline', () => {
    const changing = routes.filter(
      ({ method, url }) =>
        method !== 'GET' && url.includes('/:team/pipelines') && !url.endsWith('/pipelines/validate'),
    );
    const unwritten = changing.filter(({ rules }) => rules.audit === undefined);
    // These write their entry with the change itself: debug.integration.test.ts,
    // rename.integration.test.ts, stored-secrets.integration.test.ts and
    // command-line-caches.integration.test.ts test them. Input of a shell is part of its session.
    expect(unwritten.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/debug',
      'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/debug/:session/input',
      'DELETE /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/debug/:session',
      'PUT /teams/:team/pipelines/:pipeline/secrets/:name',
      'DELETE /teams/:team/pipelines/:pipeline/secrets/:name',
      'DELETE /teams/:team/pipelines/:pipeline/caches/:resource',
      'POST /teams/:team/pipelines/:pipeline/rename',
    ]);
    const testedActions = new Set(CASES.map(([, , entry]) => entry.split(' ')[0]));
    // Routes that create and change pipelines need a cluster: pipelines-by-api.integration.test.ts tests
    // them.
    const testedElsewhere = ['pipeline.created', 'pipeline.updated', 'pipeline.deleted'];
    const audits = changing.flatMap(({ rules }) => rules.audit ?? []);
    expect(audits.filter((audit) => !testedActions.has(audit) && !testedElsewhere.includes(audit))).toEqual(
      [],
    );
  });

  test('has no entry if nothing changed or the request only read', async () => {
    expect((await send('POST', `${APP}/jobs/publish/trigger`)).entries).toEqual([]);
    expect((await send('POST', `${GIT}/pin`, { version_id: 0 })).entries).toEqual([]);
    expect((await send('POST', `${APP}/pause`, {}, { as: { ...ANN, teams: new Map() } })).entries).toEqual(
      [],
    );
    expect((await send('GET', UNIT)).entries).toEqual([]);
  });

  test('contains the kind of token if the caller had no session', async () => {
    const { entries } = await send('POST', `${APP}/pause`, {}, { as: { ...ANN, credential: 'team-token' } });
    expect(entries).toMatchObject([{ details: { credential: 'team-token' } }]);
  });

  test('is written to the log of the program if it cannot be stored, and the action succeeds nevertheless', async () => {
    const { statusCode, lines } = await send('POST', `${APP}/pause`, {}, { broken: true });
    expect(statusCode).toBe(200);
    expect(lines.join('')).toContain('"action":"pipeline.paused"');
  });
});
