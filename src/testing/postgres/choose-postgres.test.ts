import { describe, expect, test } from '@jest/globals';
import { choosePostgres } from './choose-postgres.ts';

const engine = async (): Promise<string> => 'an engine';
const none = async (): Promise<never> => {
  throw new Error('Could not find a working container runtime strategy');
};

describe('the Postgres for tests', () => {
  test.each([
    ['is a container if an engine runs', undefined, engine, 'container'],
    ['is a container if the variable is empty', '', engine, 'container'],
    ['runs from binaries if no engine runs', undefined, none, 'binaries'],
    ['runs from binaries on request', 'binaries', engine, 'binaries'],
    ['is a container on request', 'container', none, 'container'],
  ] as const)('%s', async (_, wanted, find, chosen) => {
    expect(await choosePostgres(wanted, find)).toBe(chosen);
  });

  test('is refused for another value of the variable', async () => {
    await expect(choosePostgres('docker', engine)).rejects.toThrow('"binaries" or "container"');
  });
});
