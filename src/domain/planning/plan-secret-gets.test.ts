import { describe, expect, test } from '@jest/globals';
import type { SecretLookup } from './next-lookups.ts';
import { planSecretGets } from './plan-secret-gets.ts';

const lookup = (name: string, more: Partial<SecretLookup> = {}): SecretLookup => ({
  name,
  source: 'safe',
  key: `${name}-key`,
  path: '',
  config: { address: 'https://safe.example' },
  get: { runner: 'shell', cmd: 'show' },
  ...more,
});
const containers = [{ name: 'worker' }, { name: 'secrets', forSecrets: true as const }];

describe('the get of a secret type', () => {
  test('runs beside the steps, with its configuration and the path of the secret', () => {
    expect(planSecretGets([lookup('a', { path: 'app' })], containers)).toEqual([
      {
        values: [{ name: 'a', key: 'a-key' }],
        command: { container: 'secrets', argv: ['/bin/sh', '-e'], script: 'show' },
        env: { param_address: 'https://safe.example', param_path: 'app' },
      },
    ]);
  });

  test('runs once for secrets of the same path', () => {
    const gets = planSecretGets([lookup('a'), lookup('b'), lookup('c', { path: 'other' })], containers);
    expect(gets.map(({ values }) => values.map(({ name }) => name))).toEqual([['a', 'b'], ['c']]);
  });

  test('has a known directory if its runner has templates', () => {
    const get = {
      runner: 'custom' as const,
      name: 'wrap',
      path: '/bin/wrap',
      args: ['$WORKDIR', '$param'],
      attributes: {},
      callerArgs: [],
    };
    expect(planSecretGets([lookup('a', { get })], containers)).toMatchObject([
      {
        workdir: '/tmp/millrace-secrets',
        command: { argv: ['/bin/wrap', '/tmp/millrace-secrets', '$param'] },
      },
    ]);
  });

  test('is not planned for a built-in type', () => {
    const { get: _, ...builtIn } = lookup('a');
    expect(planSecretGets([builtIn], containers)).toEqual([]);
  });
});
