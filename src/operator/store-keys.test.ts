import { beforeEach, describe, expect, test } from '@jest/globals';
import { openValue, sealValue, storeKeys } from '#adapters/crypto/stored-values.ts';
import type { SealedRow } from '#adapters/database/pipelines/sealed-rows.ts';
import type { ReleaseSecretsOptions } from '#adapters/kubernetes/secrets/release-secrets.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { maintainStoreKeys } from './store-keys.ts';

let data: Record<string, string> | undefined;
let values: SealedRow[];
let failAfterWrites: number;
let identityKeys: SealedRow[];
let identityKeysFail: boolean;

const client: ReleaseSecretsOptions['client'] = {
  get: async () =>
    data === undefined
      ? { ok: false, status: 404, reason: 'NotFound', message: 'no' }
      : { ok: true, value: JSON.parse(JSON.stringify({ metadata: {}, data })) },
  create: async (_kind, object) => {
    ({ data } = JSON.parse(JSON.stringify(object)));
    return { ok: true, value: object };
  },
  patchMerge: async (_kind, _name, patch) => {
    const { data: changed }: { data: Record<string, string> } = JSON.parse(JSON.stringify(patch));
    data = { ...data, ...changed };
    return { ok: true, value: JSON.parse(JSON.stringify({ metadata: {}, data })) };
  },
};
const options = { client, namespace: 'ci', release: 'rel', now: () => new Date(0) };

const storedSecrets = {
  ofOtherKeys: async (keyId: string, limit: number, after = 0) =>
    values.filter((row) => row.keyId !== keyId && row.id > after).slice(0, limit),
  async saveWrappedKey(row: SealedRow, formerKeyId: string) {
    if (failAfterWrites === 0) throw new Error('the process ends here');
    failAfterWrites -= 1;
    values = values.map((stored) => (stored.id === row.id && stored.keyId === formerKeyId ? row : stored));
  },
};

const sealedIdentityKeys = {
  ofOtherKeys: async (keyId: string, limit: number, after = 0) => {
    if (identityKeysFail) throw new Error('the database is away');
    return identityKeys.filter((row) => row.keyId !== keyId && row.id > after).slice(0, limit);
  },
  async saveWrappedKey(row: SealedRow) {
    identityKeys = identityKeys.map((stored) => (stored.id === row.id ? row : stored));
  },
};

const textOf = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString();
const maintain = async () =>
  await maintainStoreKeys(options, { storedSecrets, sealedIdentityKeys }, createLog('silent', 'test'));
const opened = (keys: string[]) =>
  values.map((row) => openValue(storeKeys(keys.map(textOf)), row, `${row.id}`));
const requestRotation = (): void => {
  data = { ...data, rotate: Buffer.from('please').toString('base64') };
};

beforeEach(async () => {
  data = undefined;
  values = [];
  failAfterWrites = Infinity;
  identityKeys = [];
  identityKeysFail = false;
  await maintain();
  values = [1, 2, 3].map((id) => ({ id, ...sealValue(textOf('public'), `value ${id}`, `${id}`) }));
});

const ALL = ['value 1', 'value 2', 'value 3'];

describe('the keys of stored secrets', () => {
  test('are not rotated without a request', async () => {
    const before = textOf('public');
    await maintain();
    expect(textOf('public')).toBe(before);
    expect(textOf('previous')).toBe('');
  });

  test('are rotated once for each request, and then the new key alone opens every value', async () => {
    const before = textOf('private');
    requestRotation();
    await maintain();
    expect(textOf('previous')).toBe(before);
    expect(textOf('rotate')).toBe('');
    expect(opened(['private'])).toEqual(ALL);
    const rotated = textOf('public');
    await maintain();
    expect(textOf('public')).toBe(rotated);
  });

  test('open every value, even if the process ends between two writes', async () => {
    requestRotation();
    failAfterWrites = 1;
    await expect(maintain()).rejects.toThrow('ends here');
    expect(opened(['private', 'previous'])).toEqual(ALL);
    failAfterWrites = Infinity;
    await maintain();
    expect(opened(['private'])).toEqual(ALL);
  });

  test('that are lost, however many, do not prevent encrypting later values for the current key', async () => {
    const former = textOf('public');
    requestRotation();
    await maintain();
    const lost = Array.from({ length: 250 }, (_, index) => ({
      id: index + 1,
      ...sealValue(former, 'lost', `${index + 1}`),
      keyId: 'lost',
    }));
    const last = { id: 251, ...sealValue(former, 'value 251', '251') };
    values = [...lost, last];
    await maintain();
    expect(values.at(-1)?.keyId).not.toBe(last.keyId);
    values = values.slice(-1);
    expect(opened(['private'])).toEqual(['value 251']);
  });

  test('are not rotated while a value needs a key that is lost', async () => {
    requestRotation();
    const before = textOf('private');
    values = values.map((row) => ({ ...row, keyId: 'lost' }));
    await maintain();
    expect([textOf('private'), textOf('rotate')]).toEqual([before, 'please']);
  });

  test('are not rotated again while an identity key needs the former key', async () => {
    identityKeys = [{ id: 1, ...sealValue(textOf('public'), 'signs', '1') }];
    requestRotation();
    await maintain();
    requestRotation();
    identityKeysFail = true;
    await expect(maintain()).rejects.toThrow('the database is away');
    identityKeysFail = false;
    const openedKeys = () =>
      identityKeys.map((row) => openValue(storeKeys([textOf('private'), textOf('previous')]), row, '1'));
    expect([openedKeys(), textOf('rotate')]).toEqual([['signs'], 'please']);
    await maintain();
    expect(textOf('rotate')).toBe('');
    expect(openedKeys()).toEqual(['signs']);
  });
});
