import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { makeStoreKeyPair, type StoreKeyPair } from '#adapters/crypto/stored-values.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { identityKeyStore } from '#adapters/database/pipelines/identity-key-store.ts';
import { sealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { decideIdentity, type IdentifiedBuild } from '#domain/build/identity-claims.ts';
import { KEY_OVERLAP_MS, KEY_SIGNS_MS, MAX_IDENTITY_SECONDS } from '#domain/build/identity-keys.ts';
import { keepIdentityKeys } from '#operator/identity-keys.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { openIdentitySigner } from './identity-signer.ts';

/* The keys of identity tokens, from the operator to a verifier that fetches them from a running gateway. */
const START = Date.parse('2030-01-01T00:00:00Z');
let stores: TestStores;
let gateway: Gateway;
let pair: StoreKeyPair;
let now = new Date(START);
let directory: string;
const signerParts = {
  identityKeys: { sealedKeys: async () => await identityKeyStore(stores).sealedKeys() },
  now: () => now,
};
const BUILD: IdentifiedBuild = {
  team: 'web',
  pipeline: 'shop',
  job: 'deploy',
  number: '7',
  attempt: 1,
  definition: {
    resourceTypes: [],
    resources: [],
    jobs: [{ name: 'deploy', identity: [{ audience: 'vault' }], steps: [] }],
  },
  versions: [],
};

beforeAll(async () => {
  stores = await openStores();
  pair = await makeStoreKeyPair();
  directory = await mkdtemp(join(tmpdir(), 'store-keys-'));
  gateway = await openGateway(stores, { now: () => now });
});
beforeEach(async () => {
  await stores.pool.query(rows()`DELETE FROM identity_keys`);
  await stores.pool.query(rows()`DELETE FROM audit_log`);
  // The gateway caches answers for some seconds.
  now = new Date(now.getTime() + 100_000);
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  await rm(directory, { recursive: true });
});

const advanceClock = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};

/** Maintains the keys of identity tokens, as the operator does from time to time. */
async function runOperator(keys = pair, previous = ''): Promise<void> {
  const store = { public: keys.publicKey, private: keys.privateKey, previous, rotate: '' };
  await keepIdentityKeys(store, {
    identityKeys: identityKeyStore(stores),
    sealedIdentityKeys: sealedRows(stores, 'identity_keys'),
    log: createLog('silent', 'test'),
    now: () => now,
  });
}

/** Signs a token as the internal gateway does, with these keys mounted. */
async function sign(keys = pair): Promise<string> {
  await writeFile(join(directory, 'private'), keys.privateKey);
  const signer = await openIdentitySigner({ ...signerParts, storeKeysDirectory: directory })();
  if (signer.answer === 'unavailable') throw new Error(signer.reason);
  const decision = decideIdentity(BUILD, { externalUrl: ORIGIN, at: Math.floor(now.getTime() / 1000) });
  const [token] = 'tokens' in decision ? decision.tokens : [];
  if (token === undefined) throw new Error('no token is due');
  return await signer.sign({ ...token.claims, jti: randomUUID() });
}

/** Verifies a token as a cloud does, which knows only the address of the gateway. */
async function verify(token: string, audience = 'vault') {
  const discovery = await gateway.ask<{ issuer: string; jwks_uri: string }>(
    'GET /.well-known/openid-configuration',
  );
  const { issuer, jwks_uri: address } = discovery.body;
  const keys = createRemoteJWKSet(new URL(address.replace(ORIGIN, gateway.base)));
  const options = { issuer, audience, algorithms: ['ES256'], currentDate: now };
  return (await jwtVerify(token, keys, options)).payload;
}

describe('a verifier', () => {
  test('finds the keys of identity tokens by the address of the gateway', async () => {
    await runOperator();
    const claims = { iss: ORIGIN, aud: 'vault', sub: 'team:web:pipeline:shop:job:deploy', fork: false };
    expect(await verify(await sign())).toMatchObject(claims);
    await expect(verify(await sign(), 'another')).rejects.toThrow('unexpected "aud" claim value');
    const [header = '', payload = '', signature = ''] = (await sign()).split('.');
    const forged = Buffer.from(payload, 'base64url').toString().replace('vault', 'cloud');
    const parts = [header, Buffer.from(forged).toString('base64url'), signature];
    await expect(verify(parts.join('.'), 'cloud')).rejects.toThrow('signature verification failed');
  });

  test('may cache the answers of the gateway, unless there is no key yet', async () => {
    const none = await gateway.ask('GET /.well-known/jwks.json');
    expect([none.body, none.headers.get('cache-control')]).toEqual([{ keys: [] }, 'no-store']);
    await runOperator();
    advanceClock(10_000);
    const answers = ['jwks.json', 'openid-configuration'].map(
      async (name) => await gateway.ask(`GET /.well-known/${name}`),
    );
    for (const { status, headers } of await Promise.all(answers))
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=900']);
  });

  test.each([
    ['externalURL is missing', undefined, 'this installation has no externalURL'],
    ['externalURL is without TLS', 'http://ci.test', 'externalURL is http://ci.test, without TLS'],
  ])('gets an error that says what to set if %s', async (_title, externalUrl, reason) => {
    const gatewayWithoutTls = await openGateway(stores, { externalUrl });
    for (const name of ['jwks.json', 'openid-configuration']) {
      const { status, text } = await gatewayWithoutTls.ask(`GET /.well-known/${name}`);
      expect(status).toBe(404);
      expect(text).toContain(reason);
      expect(text).toContain("Set externalURL in the chart's values");
    }
    await gatewayWithoutTls.close();
  });
});

describe('the keys of identity tokens', () => {
  test('verify every token until it expires, and no token of an earlier key after the overlap', async () => {
    const tokens: { token: string; ends: number; kid: string }[] = [];
    for (let hours = 0; hours < 70 * 24; hours += 13) {
      await runOperator();
      const token = await sign();
      const { kid = '' } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
      tokens.push({ token, ends: now.getTime() + MAX_IDENTITY_SECONDS * 1000, kid });
      advanceClock(MAX_IDENTITY_SECONDS * 1000 - 1000);
      expect(await verify(token)).toMatchObject({ aud: 'vault' });
      advanceClock(13 * 60 * 60_000);
    }
    expect(new Set(tokens.map(({ kid }) => kid)).size).toBe(3);
    await runOperator();
    const { body } = await gateway.ask<{ keys: { kid: string }[] }>('GET /.well-known/jwks.json');
    expect(body.keys.map(({ kid }) => kid)).toEqual([tokens.at(-1)?.kid]);
    const ofEarlierKeys = tokens.filter(({ kid }) => kid !== tokens.at(-1)?.kid);
    for (const { token, ends } of ofEarlierKeys.slice(-5)) {
      // The verification fails even if the verifier's clock shows a time before the token expired.
      const keys = createRemoteJWKSet(new URL(`${gateway.base}/.well-known/jwks.json`));
      const verification = jwtVerify(token, keys, { currentDate: new Date(ends - 1000) });
      await expect(verification).rejects.toThrow('no applicable key found');
    }
  });

  test('are no longer published when the overlap with the next key is over, even if no operator runs', async () => {
    await runOperator();
    const first = await sign();
    advanceClock(KEY_SIGNS_MS - 1000);
    await runOperator();
    advanceClock(24 * 60 * 60_000 + KEY_OVERLAP_MS);
    await expect(verify(first)).rejects.toThrow('no applicable key found');
    expect(await verify(await sign())).toMatchObject({ aud: 'vault' });
  });

  test('are encrypted in the database, and each change is in the audit log', async () => {
    await runOperator();
    advanceClock(KEY_SIGNS_MS);
    await runOperator();
    advanceClock(KEY_SIGNS_MS);
    await runOperator();
    const text = await stores.pool.anyFirst(rows<{ text: string }>()`SELECT k::text FROM identity_keys k`);
    expect(text.join()).not.toContain(Buffer.from('PRIVATE KEY').toString('hex'));
    expect(text.join()).not.toContain('"d"');
    const entries = await stores.access.audit.entries(undefined, {}, { limit: 10 });
    expect(entries.rows.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'operator identity_key.created',
      'operator identity_key.deleted',
      'operator identity_key.created',
      'operator identity_key.created',
    ]);
  });

  test('are encrypted again when the keys of stored secrets are rotated, and still sign', async () => {
    await runOperator();
    const before = await sign();
    const next = await makeStoreKeyPair();
    await runOperator(next, pair.privateKey);
    expect(await verify(await sign(next))).toMatchObject({ aud: 'vault' });
    expect(await verify(before)).toMatchObject({ aud: 'vault' });
  });

  test('are replaced at once if the keys of stored secrets are lost', async () => {
    await runOperator();
    const before = await sign();
    const next = await makeStoreKeyPair();
    advanceClock(10_000);
    await runOperator(next);
    expect(await verify(await sign(next))).toMatchObject({ aud: 'vault' });
    expect(await verify(before)).toMatchObject({ aud: 'vault' });
  });

  test('sign nothing before they exist, or while the gateway cannot decrypt them', async () => {
    await expect(sign()).rejects.toThrow('does not exist yet');
    await runOperator();
    await expect(sign(await makeStoreKeyPair())).rejects.toThrow('is not mounted yet');
    expect(await verify(await sign())).toMatchObject({ aud: 'vault' });
  });

  test('are created once by two operators at the same time', async () => {
    await Promise.all([runOperator(), runOperator(), runOperator()]);
    expect(await identityKeyStore(stores).publicKeys()).toHaveLength(1);
  });
});
