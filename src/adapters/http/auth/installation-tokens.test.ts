import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Authorization } from './authorize.ts';
import { authorizeByInstallation } from './installation-tokens.ts';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const textOf = (entries: Record<string, object>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(entries).map(([token, value]) => [hashOf(token), value])));
const ANNA = { user: 'anna', team: 'main', role: 'write' };
const UNKNOWN = 'invalid';

let folder = '';
let now = 0;
let complaints: string[] = [];
/** Moves by itself a little, as every clock does between two looks at it. */
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
  const authorize = authorizeByInstallation({ file, newest }, (one) => complaints.push(one), clock);
  return async (token: string): Promise<Authorization> =>
    await authorize({ authorization: `Bearer ${token}` });
}

function written(text: string): string {
  const path = join(folder, 'tokens.json');
  writeFileSync(path, text);
  return path;
}

/** As the kubelet brings a newer one: another file takes the name. */
function swapped(text: string): void {
  writeFileSync(join(folder, 'tokens.json.new'), text);
  renameSync(join(folder, 'tokens.json.new'), join(folder, 'tokens.json'));
}

describe('who a token belongs to', () => {
  test('its entry says: user, team and role', async () => {
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
    'no header': [undefined, 'anonymous'],
    'the scheme in small letters': ['bearer tok-1', expect.objectContaining({ user: 'anna' })],
    'an unknown token': ['Bearer tok-9', UNKNOWN],
    'the hash instead of the token': [`Bearer ${hashOf('tok-1')}`, UNKNOWN],
    'an empty token': ['Bearer ', UNKNOWN],
    'another scheme': ['Basic dG9rLTE=', UNKNOWN],
    'an endless token': [`Bearer ${'x'.repeat(600)}`, UNKNOWN],
  };
  test.each(Object.entries(headers))('%s', async (_name, [authorization, answer]) => {
    const file = written(textOf({ 'tok-1': ANNA }));
    const authorize = authorizeByInstallation({ file }, () => undefined, clock);
    expect(await authorize({ authorization })).toEqual(answer);
  });

  test('without a Secret nobody has a token', async () => {
    expect(await opened(undefined)('tok-1')).toBe(UNKNOWN);
  });

  test('of many who ask at once, before anything was read, nobody is refused', async () => {
    const ask = opened(written(textOf({ 'tok-1': ANNA })));
    for (const answer of await Promise.all(Array.from({ length: 20 }, async () => await ask('tok-1')))) {
      expect(answer).toMatchObject({ user: 'anna' });
    }
  });
});

test('the mounted file is read again when it is swapped, as a mounted Secret is, and kept when it is broken', async () => {
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

/** The Secret as the API server has it; an error for an API server that is away. */
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

describe('the Secret itself', () => {
  test('lets a new token in at once, whatever the mounted file says, and also right after it was refused', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA }));
    const ask = opened(written(textOf({ 'tok-1': ANNA })), newest);
    expect([await ask('tok-1'), await ask('tok-2')]).toEqual([expect.anything(), UNKNOWN]);
    server.has = textOf({ 'tok-1': ANNA, 'tok-2': ANNA });
    expect(await ask('tok-2')).toMatchObject({ user: 'anna' });
  });

  test('shuts out within seconds who is no longer in it, or when it is deleted', async () => {
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

  test('is asked for once a second at most, however many guess', async () => {
    const { server, newest } = apiServer(textOf({}));
    const ask = opened(undefined, newest);
    const guess = async () => {
      await Promise.all(Array.from({ length: 50 }, async (_, index) => await ask(`guess-${index}`)));
      return [server.asked, Math.floor(now / 1000)];
    };
    // The first has one look of its own: it was under way when the others asked.
    expect([await guess(), await guess(), await guess()]).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  test('does not have to answer: at first the file counts, then what it said last, at last the file that came since', async () => {
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

  test('lets nobody in again whom it shut out, while it is away and the kubelet could not bring a newer file', async () => {
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

  test('that was broken when it was first seen lets nobody in by a file from before', async () => {
    const { server, newest } = apiServer('{"0123abcd": half');
    const ask = opened(written(textOf({ 'tok-1': ANNA })), newest);
    await ask('tok-1');
    server.has = AWAY;
    now += 1_000_000;
    expect(await ask('tok-1')).toBe(UNKNOWN);
  });

  test('that never answers holds nobody up for long', async () => {
    const ask = opened(written(textOf({ 'tok-1': ANNA })), async () => await new Promise(() => undefined));
    expect(await ask('tok-1')).toMatchObject({ user: 'anna' });
    expect(complaints).toEqual([
      'The Secret with the tokens of the installation cannot be used: no answer within 50 ms',
    ]);
  });
});
