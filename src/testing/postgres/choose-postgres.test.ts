import { describe, expect, test } from '@jest/globals';
import { choosePostgres } from './choose-postgres.ts';

const engine = async (): Promise<string> => 'an engine';
const none = async (): Promise<never> => {
  throw new Error('Could not find a working container runtime strategy');
};

describe('the Postgres of the tests', () => {
  test.each([
    ['is a container where an engine runs', undefined, engine, 'container'],
    ['is a container also where the variable is empty', '', engine, 'container'],
    ['is made of binaries where no engine runs', undefined, none, 'binaries'],
    ['is made of binaries when that is asked for', 'binaries', engine, 'binaries'],
    ['is a container when that is asked for', 'container', none, 'container'],
  ] as const)('%s', async (_, wanted, find, chosen) => {
    expect(await choosePostgres(wanted, find)).toBe(chosen);
  });

  test('refuses another word', async () => {
    await expect(choosePostgres('docker', engine)).rejects.toThrow('"binaries" or "container"');
  });
});
