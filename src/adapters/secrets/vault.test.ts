import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { guardedRequests, type GuardedRequests } from '#adapters/fetch/guarded-request.ts';
import { startVault, type TestVault } from '#testing/secrets/vault-server.ts';
import { readVault, type VaultAnswer } from './vault.ts';

let vault: TestVault;
let requests: GuardedRequests;
beforeEach(async () => {
  vault = await startVault();
  requests = guardedRequests({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 300_000 });
  vault.secrets['kv/app'] = { password: 'one', port: 5432, 'a/b': { c: true } };
  vault.secrets['secret/app/live'] = { password: 'two' };
  vault.secrets['teams/blue/app'] = { password: 'three' };
  vault.secrets['secret/a b/ü'] = { password: 'four' };
});
afterEach(async () => {
  await requests.close();
  await vault.close();
});

async function read(
  secrets: [path: string, key: string][],
  config: Record<string, string> = { token: 'root' },
  timeoutMs = 300_000,
): Promise<VaultAnswer[]> {
  const lookups = secrets.map(([path, key]) => ({
    name: key,
    source: 'vault',
    path,
    key,
    config: { address: vault.address, ...config },
  }));
  return await readVault(lookups, { send: requests.send, allowHttp: true, timeoutMs });
}

describe('a secret in Vault is read', () => {
  test.each<[title: string, path: string, key: string, value: string]>([
    ['from version 1 of the engine', 'kv/app', 'password', 'one'],
    ['from version 2 of the engine', 'secret/app/live', 'password', 'two'],
    ['from a mount with several path segments', 'teams/blue/app', 'password', 'three'],
    ['from a path with unusual letters', 'secret/a b/ü', 'password', 'four'],
    ['from a path with outer slashes', '/kv/app/', 'password', 'one'],
    ['if it is a number', 'kv/app', 'port', '5432'],
    ['if it is an object', 'kv/app', 'a/b', '{"c":true}'],
  ])('%s', async (_title, path, key, value) => {
    expect(await read([[path, key]])).toEqual([{ value }]);
  });

  test('once for several keys', async () => {
    const keys = ['password', 'port'];
    await read(keys.map((key) => ['kv/app', key]));
    expect(vault.requests).toEqual(['GET sys/internal/ui/mounts/kv/app', 'GET kv/app']);
  });

  test('from a namespace', async () => {
    vault.namespace = 'admin/ci';
    const config = { token: 'root', namespace: 'admin/ci' };
    expect(await read([['kv/app', 'password']], config)).toEqual([{ value: 'one' }]);
  });
});

describe('a Vault login', () => {
  test('with an AppRole is shared by the secrets of one type, and revoked after them', async () => {
    vault.logins['approle'] = (body) => body['role_id'] === 'r' && body['secret_id'] === 's';
    const config = { role_id: 'r', secret_id: 's' };
    const answers = await read(
      [
        ['kv/app', 'password'],
        ['secret/app/live', 'password'],
      ],
      config,
    );
    expect(answers).toEqual([{ value: 'one' }, { value: 'two' }]);
    expect(vault.requests.filter((request) => request.includes('auth/'))).toEqual([
      'POST auth/approle/login',
      'POST auth/token/revoke-self',
    ]);
    expect([...vault.tokens]).toEqual(['root']);
  });

  test('with a JSON Web Token uses the configured mount', async () => {
    vault.logins['ci/jwt'] = (body) => body['role'] === 'build' && body['jwt'] === 'a.b.c';
    const config = { role: 'build', jwt: 'a.b.c\n', auth_path: 'ci/jwt' };
    expect(await read([['kv/app', 'password']], config)).toEqual([{ value: 'one' }]);
  });

  test('that Vault refuses returns a fault without the credentials', async () => {
    vault.logins['approle'] = () => false;
    expect(await read([['kv/app', 'password']], { role_id: 'r', secret_id: 'hunter2' })).toEqual([
      { fault: 'Vault did not log in: it refused the request (400)', transient: false },
    ]);
  });
});

describe('a secret has no value', () => {
  test.each<[title: string, path: string, fault: string]>([
    ['at an empty path', 'kv/other', 'Vault did not read the secret: there is nothing at the path (404)'],
    ['without a mount', 'other/app', 'Vault did not look for the mount: permission denied (403)'],
    ['in another engine', 'pki/app', 'its mount in Vault is not a kv engine'],
    ['at a mount', 'teams/blue', 'its path names a mount of Vault, but no secret in it'],
    ['at a path with ..', 'kv/../sys/seal', 'its path is not <mount>/<path of the secret>'],
    ['at a mount alone', 'kv', 'its path is not <mount>/<path of the secret>'],
  ])('%s', async (_title, path, fault) => {
    expect(await read([[path, 'password']])).toEqual([{ fault, transient: false }]);
  });

  test('under a missing key', async () => {
    expect(await read([['kv/app', 'toString']])).toEqual([
      { fault: 'the secret in Vault has no such key', transient: false },
    ]);
  });

  test('with a wrong token', async () => {
    expect(await read([['kv/app', 'password']], { token: 'wrong' })).toMatchObject([{ transient: false }]);
  });

  test('for now, if Vault is sealed or does not answer', async () => {
    vault.sealed = true;
    expect(await read([['kv/app', 'password']])).toMatchObject([{ transient: true }]);
    await vault.close();
    expect(await read([['kv/app', 'password']])).toEqual([
      { fault: expect.stringMatching(/^Vault could not look for the mount: /), transient: true },
    ]);
  });
});
