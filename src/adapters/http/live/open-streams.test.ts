import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { Authentication, RequestCredentials } from '#adapters/http/auth/authenticate.ts';
import { route, type App } from '#adapters/http/server/route.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { Role } from '#domain/access/roles.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { MAX_CHECKS_AT_ONCE, OpenStreams, STREAM_LIMITS } from './open-streams.ts';

const READ: Role = 'read';

/** A server with a single route, which streams. Credentials of removed users are invalid. */
function openServer() {
  const state = { inFlight: 0, maxInFlight: 0, removed: new Set<string>() };
  const lookUps: string[] = [];
  /** The users that were looked up in each round of access checks. */
  const rounds: string[][] = [];
  const authenticate = async ({ authorization = '' }: RequestCredentials): Promise<Authentication> => {
    const user = authorization.replace('Bearer ', '');
    lookUps.push(user);
    state.inFlight += 1;
    state.maxInFlight = Math.max(state.maxInFlight, state.inFlight);
    await new Promise(setImmediate);
    state.inFlight -= 1;
    return state.removed.has(user)
      ? 'invalid'
      : { user, globalAdmin: false, teams: new Map([['main', READ]]) };
  };
  let streams: OpenStreams | undefined;
  const events = route({
    method: 'GET',
    url: '/teams/:team/streams/:stream',
    needs: 'read',
    about: 'A stream.',
    schema: {},
    handler: async (request, reply) => {
      streams ??= new OpenStreams({
        limits: { ...STREAM_LIMITS, recheckMs: 20 },
        metrics: undefined,
        checkRights: () => request.server.checkRights(),
        onChecked: () => void rounds.push(lookUps.splice(0)),
      });
      streams.answer('build', request, reply);
    },
  });
  const app = createServer({ routes: [events], authenticate, log: createLog('silent', 'test') });
  return { app, state, rounds, close: () => streams?.close() };
}

let server: ReturnType<typeof openServer>;
let readers: EventReader[] = [];
afterEach(async () => {
  server.close();
  await Promise.all(readers.map(async ({ over }) => await over));
  readers = [];
  await server.app.close();
});

function addressOf(app: App): string {
  const address: AddressInfo | string | null = app.server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Opens this many streams for each user, each of another resource. */
async function openReaders(users: readonly string[], streams: number): Promise<void> {
  server = openServer();
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const base = addressOf(server.app);
  for (const user of users)
    for (let index = 0; index < streams; index += 1)
      readers.push(
        await readEvents(`${base}/teams/main/streams/${index}`, { authorization: `Bearer ${user}` }),
      );
}

async function nextRounds(count: number): Promise<string[][]> {
  // The first round also contains the look-ups of the opened streams.
  server.rounds.length = 0;
  while (server.rounds.length <= count) await new Promise((resolve) => setTimeout(resolve, 5));
  return server.rounds.slice(1, count + 1);
}

const USERS = ['ann', 'bob'];

test('an access check looks up each credential once, however many streams it has', async () => {
  await openReaders(USERS, 30);
  const rounds = await nextRounds(3);
  expect(rounds.map((users) => users.toSorted())).toEqual([USERS, USERS, USERS]);
});

test('an access check ends the streams of users who lost access, and no others', async () => {
  await openReaders(USERS, 2);
  server.state.removed.add('ann');
  await Promise.all(readers.slice(0, 2).map(async ({ over }) => await over));
  expect(readers.map(({ events }) => events.map(({ name }) => name))).toEqual([
    ['closed'],
    ['closed'],
    [],
    [],
  ]);
});

test('credentials are looked up concurrently, a few at a time', async () => {
  await openReaders(
    Array.from({ length: 20 }, (_, index) => `user-${index}`),
    1,
  );
  server.state.maxInFlight = 0;
  const rounds = await nextRounds(2);
  expect(rounds.map((users) => users.length)).toEqual([20, 20]);
  expect(server.state.maxInFlight).toBe(MAX_CHECKS_AT_ONCE);
});
