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

function openTokens(file: string | undefined, newest?: () => Promise<string | undefined>) {
  const authenticate = authenticateByInstallation(
    { file, newest },
    (complaint) => complaints.push(complaint),
    clock,
  );
  return async (token: string): Promise<Authentication> =>
    await authenticate({ authorization: `Bearer ${token}` });
}

function writeTokens(text: string): string {
  const path = join(folder, 'tokens.json');
  writeFileSync(path, text);
  return path;
}

/** Replaces the file as the kubelet does: a new file gets its name. */
function replaceFile(text: string): void {
  writeFileSync(join(folder, 'tokens.json.new'), text);
  renameSync(join(folder, 'tokens.json.new'), join(folder, 'tokens.json'));
}

describe('an installation token', () => {
  test('is valid for the user, team and role of its entry', async () => {
    const authenticate = openTokens(
      writeTokens(textOf({ 'tok-1': ANNA, 'tok-2': { user: 'root', team: '*', role: 'admin' } })),
    );
    expect(await authenticate('tok-1')).toEqual({
      user: 'anna',
      globalAdmin: false,
      teams: new Map([['main', 'write']]),
    });
    expect(await authenticate('tok-2')).toMatchObject({ user: 'root', globalAdmin: true });
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
    'is read from the header: %s',
    async (_name, [authorization, answer]) => {
      const file = writeTokens(textOf({ 'tok-1': ANNA }));
      const authenticate = authenticateByInstallation({ file }, () => undefined, clock);
      expect(await authenticate({ authorization })).toEqual(answer);
    },
  );

  test('is never valid without a Secret', async () => {
    expect(await openTokens(undefined)('tok-1')).toBe(UNKNOWN);
  });

  test('is accepted in concurrent requests before the first read has finished', async () => {
    const authenticate = openTokens(writeTokens(textOf({ 'tok-1': ANNA })));
    for (const answer of await Promise.all(
      Array.from({ length: 20 }, async () => await authenticate('tok-1')),
    )) {
      expect(answer).toMatchObject({ user: 'anna' });
    }
  });
});

test('a replaced token file is read again, and a broken file leaves the previous tokens valid', async () => {
  const link = join(folder, 'current');
  const replaceLinkedFile = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    symlinkSync(join(folder, name), `${link}.new`);
    renameSync(`${link}.new`, link);
    now += 2000;
  };
  replaceLinkedFile('one', textOf({ 'tok-1': ANNA }));
  const authenticate = openTokens(link);
  expect(await authenticate('tok-1')).toMatchObject({ user: 'anna' });
  replaceLinkedFile('two', textOf({ 'tok-2': ANNA }));
  expect(await authenticate('tok-1')).toBe(UNKNOWN);
  expect(await authenticate('tok-2')).toMatchObject({ user: 'anna' });
  replaceLinkedFile('three', '{"0123abcd": half');
  expect([await authenticate('tok-2'), await authenticate('tok-1')]).toEqual([
    expect.objectContaining({ user: 'anna' }),
    UNKNOWN,
  ]);
  expect(complaints).toEqual([`The tokens file ${link} cannot be used: it is not valid JSON`]);
});

/** A fake API server whose Secret has this text. An error instead of a text: it is unavailable. */
function apiServer(secret: string | undefined | Error) {
  const server = { secret: secret, reads: 0 };
  const newest = async (): Promise<string | undefined> => {
    server.reads += 1;
    if (Error.isError(server.secret)) throw server.secret;
    return server.secret;
  };
  return { server, newest };
}
const UNAVAILABLE = new Error('the API server does not answer');

describe('the Secret', () => {
  test('makes a new token valid at once, even if the file lacks it and after a refusal', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA }));
    const authenticate = openTokens(writeTokens(textOf({ 'tok-1': ANNA })), newest);
    expect([await authenticate('tok-1'), await authenticate('tok-2')]).toEqual([expect.anything(), UNKNOWN]);
    server.secret = textOf({ 'tok-1': ANNA, 'tok-2': ANNA });
    expect(await authenticate('tok-2')).toMatchObject({ user: 'anna' });
  });

  test('invalidates a token within seconds after its removal or the removal of the Secret', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA, 'tok-2': ANNA }));
    const authenticate = openTokens(writeTokens(textOf({ 'tok-1': ANNA, 'tok-2': ANNA })), newest);
    await authenticate('tok-1');
    server.secret = textOf({ 'tok-2': ANNA });
    now += 5001;
    expect([await authenticate('tok-1'), await authenticate('tok-2')]).toEqual([UNKNOWN, expect.anything()]);
    server.secret = undefined;
    now += 5001;
    expect(await authenticate('tok-2')).toBe(UNKNOWN);
    server.secret = UNAVAILABLE;
    now += 1_000_000;
    expect(await authenticate('tok-2')).toBe(UNKNOWN);
  });

  test('is read at most once per second, however many tokens are guessed', async () => {
    const { server, newest } = apiServer(textOf({}));
    const authenticate = openTokens(undefined, newest);
    const guessTokens = async () => {
      await Promise.all(Array.from({ length: 50 }, async (_, index) => await authenticate(`guess-${index}`)));
      return [server.reads, Math.floor(now / 1000)];
    };
    // The first guess starts a read. The others come after its start, so they share a second read.
    expect([await guessTokens(), await guessTokens(), await guessTokens()]).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });

  test('does not override the file before its first read, nor a newer file after a long outage', async () => {
    const { server, newest } = apiServer(UNAVAILABLE);
    const file = writeTokens(textOf({ mounted: ANNA }));
    const authenticate = openTokens(file, newest);
    expect(await authenticate('mounted')).toMatchObject({ user: 'anna' });
    server.secret = textOf({ newer: ANNA });
    expect(await authenticate('newer')).toMatchObject({ user: 'anna' });
    server.secret = UNAVAILABLE;
    now += 60_000;
    replaceFile(textOf({ newest: ANNA }));
    expect([await authenticate('newer'), await authenticate('newest')]).toEqual([expect.anything(), UNKNOWN]);
    now += 150_000;
    expect([await authenticate('newer'), await authenticate('newest')]).toEqual([UNKNOWN, expect.anything()]);
    const sentence =
      'The Secret with the tokens of the installation cannot be used: the API server does not answer';
    expect(complaints).toEqual([sentence, sentence]);
  });

  test('keeps a removed token invalid while it is unavailable and the file is old', async () => {
    const { server, newest } = apiServer(textOf({ 'tok-1': ANNA, 'tok-2': ANNA }));
    const authenticate = openTokens(writeTokens(textOf({ 'tok-1': ANNA, 'tok-2': ANNA })), newest);
    await authenticate('tok-1');
    server.secret = textOf({ 'tok-2': ANNA });
    now += 5001;
    expect(await authenticate('tok-1')).toBe(UNKNOWN);
    server.secret = UNAVAILABLE;
    now += 1_000_000;
    expect([await authenticate('tok-1'), await authenticate('tok-2')]).toEqual([UNKNOWN, expect.anything()]);
  });

  test('keeps older files from being used if its first read was broken', async () => {
    const { server, newest } = apiServer('{"0123abcd": half');
    const authenticate = openTokens(writeTokens(textOf({ 'tok-1': ANNA })), newest);
    await authenticate('tok-1');
    server.secret = UNAVAILABLE;
    now += 1_000_000;
    expect(await authenticate('tok-1')).toBe(UNKNOWN);
  });

  test('does not delay requests for long if it never answers', async () => {
    const authenticate = openTokens(
      writeTokens(textOf({ 'tok-1': ANNA })),
      async () => await new Promise(() => undefined),
    );
    expect(await authenticate('tok-1')).toMatchObject({ user: 'anna' });
    expect(complaints).toEqual([
      'The Secret with the tokens of the installation cannot be used: no answer within 50 ms',
    ]);
  });
});
