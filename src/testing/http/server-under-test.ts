import type { Authentication, RequestCredentials } from '#adapters/http/auth/authenticate.ts';
import { STREAM_LIMITS } from '#adapters/http/live/open-streams.ts';
import { publicRoutes } from '#adapters/http/routes.ts';
import type { PressureLimits } from '#adapters/http/server/pressure.ts';
import type { Route } from '#adapters/http/server/route.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { defined } from '#defined';
import { ROLES } from '#domain/access/roles.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';

export const APP = '/teams/main/pipelines/app';
export const BUILD = `${APP}/jobs/unit/builds/7`;

/** A public server with in-memory ports. `ask` sends a request; `lines` holds the log. */
export function gateway(options: { ready?: string; pressure?: PressureLimits } = {}) {
  const ports = inMemoryPorts();
  const lines: string[] = [];
  const log = createLog('info', 'test', { write: (line) => void lines.push(line) });
  const streams = { limits: { ...STREAM_LIMITS, total: 0 } };
  const routes = publicRoutes(ports, async () => options.ready, '0.0.0-test', streams);
  const { pressure } = options;
  const app = createServer({ routes, authenticate, log, ...defined({ pressure }) });
  const ask = async (
    method: Route['method'],
    url: string,
    as?: string,
    { body, ...more }: Record<string, string> = {},
  ) => {
    const type = body !== undefined && { 'content-type': 'application/json' };
    const headers = { ...(as && { authorization: `Bearer ${as}` }), ...type, ...more };
    return await app.inject({ method, url, headers, ...defined({ payload: body }) });
  };
  return { ports, app, routes, lines, ask };
}

/**
 * A token names its role and team: `role@team`. The tokens `ann` and `root` are those of people: ann may read
 * team `main`, and root is a global admin.
 */
async function authenticate({ authorization: header }: RequestCredentials): Promise<Authentication> {
  if (header === undefined) return 'anonymous';
  const [word, team] = header.replace('Bearer ', '').split('@');
  if (word === 'ann') return ANN;
  if (word === 'root') return { user: 'root', globalAdmin: true, teams: new Map() };
  const role = ROLES.find((candidate) => candidate === word);
  if (role === undefined || team === undefined) return 'invalid';
  return { user: `${role}-of-${team}`, globalAdmin: false, teams: new Map([[team, role]]) };
}

const ANN: Authentication = {
  user: 'ann',
  userId: 1,
  credential: 'session',
  globalAdmin: false,
  teams: new Map([['main', 'read']]),
};

/** Bodies of the routes that need one, by the last word of the path. */
const BODIES: Record<string, string> = {
  debug: '{}',
  input: '{"received":0}',
  pin: '{"version_id":11}',
  reject: '{"message":"no"}',
  triggers: '{"name":"released"}',
};

export function bodyOf({ method, url }: Route): Record<string, string> {
  const body = BODIES[url.split('/').at(-1) ?? ''];
  return body === undefined || method === 'GET' ? {} : { body };
}

/** Builds that accept the action, by the last word of the path; otherwise build 7. */
const BUILDS: Record<string, string> = { cancel: '8', approve: '9', reject: '9', warning: '5' };

/** The path of a route, filled with names that the in-memory ports have, or with another pipeline. */
export const pathOf = ({ url }: Route, pipeline = 'app'): string =>
  url
    .replace(':team', 'main')
    .replace(':pipeline', pipeline)
    .replace(':job', 'unit')
    .replace(':build', BUILDS[url.split('/').at(-1) ?? ''] ?? '7')
    .replace(':version', '11')
    .replace(':session', '1')
    .replace(':resource', 'git.app')
    .replace(':trigger', 'released');
