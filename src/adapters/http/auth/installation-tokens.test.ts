import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Authentication } from './authenticate.ts';
import { authenticateByInstallation } from './installation-tokens.ts';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const textOf = (entries: Record<string, object>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(entries).map(([token, value]) => [hashOf(token), value])));
const ANNA = { user: 'anna', team: 'main', role: 'write' };
const UNKNOWN = 'invalid';

let folder = '';
let now = 0;
let complaints: string[] = [];
/** Advances a little at each call, as a real clock does. */
const clock = {
  now: () => (now += 0.001),
  sleep: async (milliseconds: number) => {
    now += milliseconds;
  },
  timeoutMs: 50,
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  now = 0;
  complaints = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function opened(file: string | undefined, newest?: () => Promise<string | undefined>) {
  const authenticate = authenticateByInstallation({ file, newest }, (one) => complaints.push(one), clock);
  return async (token: string): Promise<Authentication> =>
    await authenticate({ authorization: `Bearer ${token}` });
}

function written(text: string): string {
  const path = join(folder, 'tokens.json');
  writeFileSync(path, text);
  return path;
}

/** Replaces the file as the kubelet does: a new file gets its name. */
function swapped(text: string): void {
  writeFileSync(join(folder, 'tokens.json.new'), text);
  renameSync(join(folder, 'tokens.json.new'), join(folder, 'tokens.json'));
}

describe('an installation token', () => {
  test('is valid for the user, team and role of its entry', async () => {
    const ask = opened(
      written(textOf({ 'tok-1': ANNA, 'tok-2': { user: 'root', team: '*', role: 'admin' } })),
    );
    expect(await ask('tok-1')).toEqual({
      user: 'anna',
      globalAdmin: false,
      teams: new Map([['main', 'write']]),
    });
    expect(await ask('tok-2')).toMatchObject({ user: 'root', globalAdmin: true });
  });

  const headers: Record<string, [header: string | undefined, answer: unknown]> = {
    'no value': [undefined, 'anonymous'],
    'its scheme in lower case': ['bearer tok-1', expect.objectContaining({ user: 'anna' })],
    'an unknown token': ['Bearer tok-9', UNKNOWN],
    'the hash instead of the token': [`Bearer ${hashOf('tok-1')}`, UNKNOWN],
    'an empty token': ['Bearer ', UNKNOWN],
    'another scheme': ['Basic dG9rLTE=', UNKNOWN],
    'a token without an end': [`Bearer ${'x'.repeat(600)}`, UNKNOWN],
  };
  test.each(Object.entries(headers))(
    'is unknown if the header has %s',
    async (_name, [authorization, answer]) => {
      const file = written(textOf({ 'tok-1': ANNA }));
      const authenticate = authenticateByInstallation({ file }, () => undefined, clock);
      expect(await authenticate({ authorization })).toEqual(answer);
    },
  );

  test('is never valid without a Secret', async () => {
    expect(await opened(undefined)('tok-1')).toBe(UNKNOWN);
  });

  test('is accepted in concurrent requests before the first read has finished', async () => {
    const ask = opened(written(textOf({ 'tok-1': ANNA })));
    for (const answer of await Promise.all(Array.from({ length: 20 }, async () => await ask('tok-1')))) {
      expect(answer).toMatchObject({ user: 'anna' });
    }
  });
});

test('a replaced token file is read again, and a broken file leaves the previous tokens valid', async () => {
  const link = join(folder, 'current');
  const put = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    symlinkSync(join(folder, name), `${link}.new`);
    renameSync(`${link}.new`, link);
    now += 2000;
  };
  put('one', textOf({ 'tok-1': ANNA }));
  const ask = opened(link);
  expect(await ask('tok-1')).toMatchObject({ user: 'anna' });
  put('two', textOf({ 'tok-2': ANNA }));
  expect(await ask('tok-1')).toBe(UNKNOWN);
  expect(await ask('tok-2')).toMatchObject({ user: 'anna' });
  put('three', '{"0123abcd": half');
  expect([await ask('tok-2'), await ask('tok-1')]).toEqual([
    expect.objectContaining({ user: 'anna' }),
    UNKNOWN,
  ]);
  expect(complaints).toEqual([`The tokens file ${link} cannot be used: it is not valid JSON`]);
});

/** An API server with this Secret. An error: it is unavailable. */
function apiServer(first: string | undefined | Error) {
  const server = { has: first, asked: 0 };
  const newest = async (): Promise<string | undefined> => {
    server.asked += 1;
    if (server.has instanceof Error) throw server.has;
    return server.has;
  };
  return { server, newest };
}
const AWAY = new Error('the API server does not answer');

describe('the Secret', () => {
  test('makes a new token valid at once, even if the file lacks it and after a refusal', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA }));
    const ask = opened(written(textOf({ 'tok-1': ANNA })), newest);
    expect([await ask('tok-1'), await ask('tok-2')]).toEqual([expect.anything(), UNKNOWN]);
    server.has = textOf({ 'tok-1': ANNA, 'tok-2': ANNA });
    expect(await ask('tok-2')).toMatchObject({ user: 'anna' });
  });

  test('invalidates a token within seconds after its removal or the removal of the Secret', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA, 'tok-2': ANNA }));
    const ask = opened(written(textOf({ 'tok-1': ANNA, 'tok-2': ANNA })), newest);
    await ask('tok-1');
    server.has = textOf({ 'tok-2': ANNA });
    now += 5001;
    expect([await ask('tok-1'), await ask('tok-2')]).toEqual([UNKNOWN, expect.anything()]);
    server.has = undefined;
    now += 5001;
    expect(await ask('tok-2')).toBe(UNKNOWN);
    server.has = AWAY;
    now += 1_000_000;
    expect(await ask('tok-2')).toBe(UNKNOWN);
  });

  test('is read at most once per second, however many tokens are guessed', async () => {
    const { server, newest } = apiServer(textOf({}));
    const ask = opened(undefined, newest);
    const guess = async () => {
      await Promise.all(Array.from({ length: 50 }, async (_, index) => await ask(`guess-${index}`)));
      return [server.asked, Math.floor(now / 1000)];
    };
    // The first guess has a read of its own, which had begun before the others asked.
    expect([await guess(), await guess(), await guess()]).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  test('gives way to the file before its first read, and to a newer file after a long outage', async () => {
    const { server, newest } = apiServer(AWAY);
    const file = written(textOf({ mounted: ANNA }));
    const ask = opened(file, newest);
    expect(await ask('mounted')).toMatchObject({ user: 'anna' });
    server.has = textOf({ newer: ANNA });
    expect(await ask('newer')).toMatchObject({ user: 'anna' });
    server.has = AWAY;
    now += 60_000;
    swapped(textOf({ newest: ANNA }));
    expect([await ask('newer'), await ask('newest')]).toEqual([expect.anything(), UNKNOWN]);
    now += 150_000;
    expect([await ask('newer'), await ask('newest')]).toEqual([UNKNOWN, expect.anything()]);
    const sentence =
      'The Secret with the tokens of the installation cannot be used: the API server does not answer';
    expect(complaints).toEqual([sentence, sentence]);
  });

  test('keeps a removed token invalid while it is unavailable and the file is old', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA, 'tok-2': ANNA }));
    const ask = opened(written(textOf({ 'tok-1': ANNA, 'tok-2': ANNA })), newest);
    await ask('tok-1');
    server.has = textOf({ 'tok-2': ANNA });
    now += 5001;
    expect(await ask('tok-1')).toBe(UNKNOWN);
    server.has = AWAY;
    now += 1_000_000;
    expect([await ask('tok-1'), await ask('tok-2')]).toEqual([UNKNOWN, expect.anything()]);
  });

  test('keeps older files from being used if its first read was broken', async () => {
    const { server, newest } = apiServer('{"0123abcd": half');
    const ask = opened(written(textOf({ 'tok-1': ANNA })), newest);
    await ask('tok-1');
    server.has = AWAY;
    now += 1_000_000;
    expect(await ask('tok-1')).toBe(UNKNOWN);
  });

  test('delays no request for long if it never answers', async () => {
    const ask = opened(written(textOf({ 'tok-1': ANNA })), async () => await new Promise(() => undefined));
    expect(await ask('tok-1')).toMatchObject({ user: 'anna' });
    expect(complaints).toEqual([
      'The Secret with the tokens of the installation cannot be used: no answer within 50 ms',
    ]);
  });
});
