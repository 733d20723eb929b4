import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { authorizeByTokensFile, parseTokens } from './tokens-file.ts';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const file = (entries: Record<string, object>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(entries).map(([token, value]) => [hashOf(token), value])));
const ANNA = { user: 'anna', team: 'main', role: 'write' };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  jest.restoreAllMocks();
});

function written(text: string) {
  const path = join(folder, 'tokens.json');
  writeFileSync(path, text);
  const complaints: string[] = [];
  return {
    path,
    complaints,
    authorize: authorizeByTokensFile(path, (sentence) => complaints.push(sentence)),
  };
}

describe('who a token belongs to', () => {
  test('its entry says: user, team and role', async () => {
    const { authorize } = written(
      file({ 'tok-1': ANNA, 'tok-2': { user: 'root', team: '*', role: 'admin' } }),
    );
    expect(await authorize({ authorization: 'Bearer tok-1' })).toEqual({
      user: 'anna',
      globalAdmin: false,
      teams: new Map([['main', 'write']]),
    });
    expect(await authorize({ authorization: 'bearer tok-2' })).toMatchObject({
      user: 'root',
      globalAdmin: true,
    });
  });

  const wrong: Record<string, [header: string | undefined, answer: string]> = {
    'no header': [undefined, 'anonymous'],
    'an unknown token': ['Bearer tok-9', 'invalid'],
    'the hash instead of the token': [`Bearer ${hashOf('tok-1')}`, 'invalid'],
    'an empty token': ['Bearer ', 'invalid'],
    'another scheme': ['Basic dG9rLTE=', 'invalid'],
    'an endless token': [`Bearer ${'x'.repeat(600)}`, 'invalid'],
  };
  test.each(Object.entries(wrong))('%s', async (_name, [header, answer]) => {
    expect(await written(file({ 'tok-1': ANNA })).authorize({ authorization: header })).toBe(answer);
  });

  test('without a file nobody has a token', async () => {
    const authorize = authorizeByTokensFile(undefined, () => {});
    expect([await authorize({}), await authorize({ authorization: 'Bearer tok-1' })]).toEqual([
      'anonymous',
      'invalid',
    ]);
  });
});

describe('the file', () => {
  const faults: Record<string, [value: unknown, complaint: string]> = {
    'no user': [{ ...ANNA, user: '' }, 'it names no user'],
    'no team': [{ user: 'a', role: 'read' }, 'it names no team'],
    'an unknown role': [{ ...ANNA, role: 'owner' }, 'its role is not one of read, write, maintain, admin'],
    'all teams for less than an admin': [{ ...ANNA, team: '*' }, 'team * is for the role admin only'],
    'no object': ['anna', 'its value is not an object'],
  };
  test.each(Object.entries(faults))('an entry with %s is left out and told', (_name, [value, complaint]) => {
    const { entries, complaints } = parseTokens(
      JSON.stringify({ [hashOf('a')]: ANNA, [hashOf('b')]: value }),
    );
    expect(entries).toHaveLength(1);
    expect(complaints).toEqual([`Entry 2 of the tokens file is left out: ${complaint}.`]);
  });

  test('a token written in clear is left out, and not told', () => {
    const { complaints } = parseTokens(JSON.stringify({ 'my-secret-token': ANNA }));
    expect(complaints).toEqual([
      'Entry 1 of the tokens file is left out: its name is not the SHA-256 of a token in hex.',
    ]);
  });

  test('is read again when it is swapped, as a mounted Secret is, and kept when it is broken', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const link = join(folder, 'current');
    const put = (name: string, text: string): void => {
      writeFileSync(join(folder, name), text);
      symlinkSync(join(folder, name), `${link}.new`);
      renameSync(`${link}.new`, link);
      now += 2000;
    };
    put('one', file({ 'tok-1': ANNA }));
    const complaints: string[] = [];
    const authorize = authorizeByTokensFile(link, (sentence) => complaints.push(sentence));
    expect(await authorize({ authorization: 'Bearer tok-1' })).toMatchObject({ user: 'anna' });
    put('two', file({ 'tok-2': ANNA }));
    expect(await authorize({ authorization: 'Bearer tok-1' })).toBe('invalid');
    expect(await authorize({ authorization: 'Bearer tok-2' })).toMatchObject({ user: 'anna' });
    put('three', '{"0123abcd": half');
    expect(await authorize({ authorization: 'Bearer tok-2' })).toMatchObject({ user: 'anna' });
    expect(complaints).toEqual([`The tokens file ${link} cannot be used: it is not valid JSON`]);
  });
});
