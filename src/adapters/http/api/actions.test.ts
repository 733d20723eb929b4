import { describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import type { Route } from '#adapters/http/server/route.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';

const APP = '/teams/main/pipelines/app';
const JOB = `${APP}/jobs/unit`;
const BUILD = `${JOB}/builds/7`;
const VERSION = `${APP}/resources/git.app/versions/11`;

const ports = inMemoryPorts();
const app = createServer({
  routes: publicRoutes(ports, async () => undefined, '0.0.0-test'),
  authenticate: async () => ({ user: 'ann', globalAdmin: true, teams: new Map() }),
  log: createLog('silent', 'test'),
});

async function send(method: Route['method'], url: string, body?: object) {
  const answer = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
  return { status: answer.statusCode, body: answer.json<unknown>(), calls: ports.calls.splice(0) };
}

interface Case {
  call: [Route['method'], string, object?];
  status: number;
  body?: object;
  calls?: string[];
}

const MANAGED = 'The Pipeline object sets this itself, and the object wins. Change its spec.';

const CASES: Record<string, Case> = {
  'pauses a pipeline in the name of the caller': {
    call: ['POST', `${APP}/pause`],
    status: 200,
    body: { data: { paused: true } },
    calls: ['pause by ann'],
  },
  'unpauses a pipeline': { call: ['POST', `${APP}/unpause`], status: 200, calls: ['unpause'] },
  'pauses one job': {
    call: ['POST', `${APP}/jobs/unit/pause`],
    status: 200,
    calls: ['pause unit by ann'],
  },
  'cannot change what the manifest sets': {
    call: ['POST', '/teams/main/pipelines/managed/pause'],
    status: 409,
    body: {
      type: 'https://millrace.dev/problems/managed-by-manifest',
      detail: MANAGED,
      reasons: [{ code: 'ManagedByManifest', message: MANAGED }],
    },
  },
  'pins a version with a comment': {
    call: ['POST', `${APP}/resources/git.app/pin`, { version_id: 11, comment: 'the last good one' }],
    status: 200,
    body: { data: { resource: 'git.app', pinned_version_id: 11 } },
    calls: ['pin git.app {"version":11,"by":"ann","comment":"the last good one"}'],
  },
  'cannot pin without a version': {
    call: ['POST', `${APP}/resources/git.app/pin`, {}],
    status: 400,
    calls: [],
  },
  'triggers a version and returns the builds and the refused jobs': {
    call: ['POST', `${VERSION}/trigger`],
    status: 201,
    body: {
      data: {
        builds: [{ job: 'unit', number: '8', url: `${APP}/jobs/unit/builds/8` }],
        refused: [{ job: 'publish', reasons: [{ code: 'JobPaused' }] }],
      },
    },
  },
  'is a conflict with every reason if no job can take the version': {
    call: ['POST', `${APP}/resources/git.app/versions/12/trigger`],
    status: 409,
    body: { reasons: [{ code: 'JobPaused', message: 'Job publish: Job publish is paused.' }] },
  },
  'cancels a build': {
    call: ['POST', `${JOB}/builds/8/cancel`],
    status: 202,
    body: { data: { job: 'unit', number: '8' } },
    calls: ['cancel unit 8 by ann'],
  },
  'cannot cancel a build that has ended': {
    call: ['POST', `${APP}/jobs/unit/builds/6/cancel`],
    status: 409,
    body: { type: 'https://millrace.dev/problems/refused', reasons: [{ code: 'AlreadyEnded' }] },
  },
  'retries a build and returns the number of the retry': {
    call: ['POST', `${BUILD}/retry`],
    status: 201,
    body: { data: { job: 'unit', number: '7.1', url: `${APP}/jobs/unit/builds/7.1` } },
  },
  'approves a build without a body': {
    call: ['POST', `${JOB}/builds/9/approve`],
    status: 200,
    body: { data: { state: 'approved' } },
  },
  'cannot reject a build without a reason': {
    call: ['POST', `${JOB}/builds/9/reject`, {}],
    status: 400,
    calls: [],
  },
  'changes a failure to a warning': {
    call: ['PUT', `${JOB}/builds/5/warning`],
    status: 200,
    body: { data: { status: 'warning' } },
  },
  'is not found for a pipeline that does not exist': {
    call: ['POST', '/teams/main/pipelines/other/pause'],
    status: 404,
  },
};

describe('an action', () => {
  test.each(Object.entries(CASES))('%s', async (_, { call, status, body, calls }) => {
    const answer = await send(...call);
    expect(answer.status).toBe(status);
    if (body !== undefined) expect(answer.body).toMatchObject(body);
    if (calls !== undefined) expect(answer.calls).toEqual(calls);
  });
});
