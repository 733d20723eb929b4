import { describe, expect, test } from '@jest/globals';
import { choosePostgres } from './choose-postgres.ts';

const engine = async (): Promise<string> => 'an engine';
const noEngine = async (): Promise<never> => {
  throw new Error('Could not find a working container runtime strategy');
};

describe('the Postgres for tests', () => {
  test.each([
    ['is a container if an engine runs', undefined, engine, 'container'],
    ['is a container if the variable is empty', '', engine, 'container'],
    ['runs from binaries if no engine runs', undefined, noEngine, 'binaries'],
    ['runs from binaries on request', 'binaries', engine, 'binaries'],
    ['is a container on request', 'container', noEngine, 'container'],
  ] as const)('%s', async (_, variable, find, chosen) => {
    expect(await choosePostgres(variable, find)).toBe(chosen);
  });

  test('is refused for another value of the variable', async () => {
    await expect(choosePostgres('docker', engine)).rejects.toThrow('"binaries" or "container"');
  });
});
