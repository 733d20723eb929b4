import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { parseTokens } from './parse-installation-tokens.ts';

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const ANNA = { user: 'anna', team: 'main', role: 'write' };

describe('the tokens of the installation', () => {
  const faults: Record<string, [value: unknown, complaint: string]> = {
    'no user': [{ ...ANNA, user: '' }, 'it names no user'],
    'no team': [{ user: 'a', role: 'read' }, 'it names no team'],
    'an unknown role': [{ ...ANNA, role: 'owner' }, 'its role is not one of read, write, maintain, admin'],
    'all teams for a role below admin': [{ ...ANNA, team: '*' }, 'team * is for the role admin only'],
    'a string for an object': ['anna', 'its value is not an object'],
  };
  test.each(Object.entries(faults))('omit an entry with %s and report it', (_name, [value, complaint]) => {
    const { entries, complaints } = parseTokens(
      JSON.stringify({ [hashOf('a')]: ANNA, [hashOf('b')]: value }),
    );
    expect(entries).toHaveLength(1);
    expect(complaints).toEqual([`Entry 2 of the tokens of the installation is ignored: ${complaint}.`]);
  });

  test('omit a token in plain text and report it without its value', () => {
    const { complaints } = parseTokens(JSON.stringify({ 'my-secret-token': ANNA }));
    expect(complaints).toEqual([
      'Entry 1 of the tokens of the installation is ignored: its name is not the SHA-256 of a token in hex.',
    ]);
  });

  test.each(['[]', 'null', '"x"', '{"0123abcd": half'])(
    'cannot be read from %s, and the error does not quote the text',
    (text) => {
      expect(() => parseTokens(text)).toThrow(/^it is not (valid JSON|a JSON object of token hashes)$/);
    },
  );
});
