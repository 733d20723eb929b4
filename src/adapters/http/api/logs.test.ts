import { describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { LogPage } from '#flows/views/ports.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';
import { BUILD } from '#testing/http/server-under-test.ts';
import { logText } from './logs.ts';

const pageOf = (sequence: number, hasMore: boolean, attempt = 1): LogPage => ({
  chunks: [{ attempt, sequence, step: '0', text: `line ${sequence}\n`, at: new Date(0) }],
  retried: attempt === 1 ? [] : [{ attempt: 1, reason: 'PodLost: The Pod is gone.' }],
  hasMore,
  complete: !hasMore,
});

/**
 * Downloads three pages of a log. `allowed`: how many access checks succeed. `isComplete`: the download did
 * not fail.
 */
async function download(allowed: number): Promise<[texts: string, isComplete: boolean]> {
  let accessChecks = 0;
  const texts: string[] = [];
  const reading = {
    recheckAccess: async () => {
      accessChecks += 1;
      if (accessChecks > allowed) throw new Error('not any more');
    },
    read: async (after: number) => pageOf(after + 1, after < 2, after < 2 ? 1 : 2),
  };
  try {
    for await (const text of logText(pageOf(1, true), reading)) texts.push(text);
    return [texts.join(''), true];
  } catch {
    return [texts.join(''), false];
  }
}

const chunk = (sequence: number, text: string, attempt = 1): LogPage['chunks'][number] => ({
  attempt,
  sequence,
  step: '0',
  text,
  at: new Date(sequence * 1000),
});

/** Downloads a log of several pages. The token counts as valid `times` times. */
async function bodyWhileValid(times: number): Promise<string | undefined> {
  let checks = 0;
  const app = createServer({
    routes: publicRoutes(inMemoryPorts(), async () => undefined, '0'),
    authenticate: async () => {
      checks += 1;
      return checks > times ? 'invalid' : { user: 'ann', globalAdmin: true, teams: new Map() };
    },
    log: createLog('silent', 'test'),
  });
  const headers = { authorization: 'Bearer x', accept: 'text/plain' };
  try {
    return (await app.inject({ url: `${BUILD}/logs`, headers })).body;
  } catch {
    return undefined;
  }
}

describe('a download of a log', () => {
  test('is complete while the token is valid', async () => {
    expect(await bodyWhileValid(Infinity)).toBe('one\ntwo\nthree\n');
  });

  test('breaks off when the token is revoked', async () => {
    expect(await bodyWhileValid(1)).toBeUndefined();
  });
});

describe('the text of a log', () => {
  test('contains the whole log for an authorized reader and separates attempts', async () => {
    const retry = '\n--- attempt 2: PodLost: The Pod is gone. ---\n';
    expect(await download(2)).toEqual([`line 1\nline 2\n${retry}line 3\n`, true]);
  });

  test('has a timestamp at the start of each line on request', async () => {
    const chunks = [chunk(1, 'a\n\nb'), chunk(2, 'c\nd\n'), chunk(3, 'e'), chunk(4, 'f\n', 2)];
    const reading = { recheckAccess: async () => undefined, read: async () => undefined, timestamps: true };
    const texts: string[] = [];
    for await (const text of logText({ ...pageOf(1, false, 2), chunks }, reading)) texts.push(text);
    const [first, second, third, fourth] = [1, 2, 3, 4].map((seconds) =>
      new Date(seconds * 1000).toISOString(),
    );
    expect(texts.join('').split('\n')).toEqual([
      `${first} a`,
      `${first} `,
      `${first} bc`,
      `${second} d`,
      `${third} e`,
      '--- attempt 2: PodLost: The Pod is gone. ---',
      `${fourth} f`,
      '',
    ]);
  });

  test.each([
    [0, 'line 1\n'],
    [1, 'line 1\nline 2\n'],
  ])(
    'ends early if the reader loses access during the download, after %s more pages',
    async (allowed, texts) => {
      expect(await download(allowed)).toEqual([texts, false]);
    },
  );
});
