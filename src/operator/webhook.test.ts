import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ApiKind, ObjectRef } from '#adapters/kubernetes/api/kinds.ts';
import {
  makeAuthority,
  makeServerCertificate,
  type CertificateAndKey,
} from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { WebhookConfig } from '#config';
import { freePort } from '#testing/network/free-port.ts';
import { Webhook } from './webhook.ts';

const HOST = 'millrace-webhook.home.svc';
const SECRET = 'secrets/millrace-webhook-tls';
const CONFIGURATION = 'validatingwebhookconfigurations/millrace-webhook';

/**
 * What the API server holds, as JSON by kind and name; fields that are patched replace those that are there.
 */
let objects: Map<string, Record<string, unknown>>;
let applied: object[];
let port = 0;
let webhook: Webhook;
let authority: CertificateAndKey;

beforeAll(async () => {
  authority = await makeAuthority('test', new Date());
});

beforeEach(async () => {
  objects = new Map([
    [CONFIGURATION, { webhooks: [{ name: 'a.b.c', clientConfig: { service: { name: 'kept' } } }] }],
  ]);
  applied = [];
  port = await freePort();
});

afterEach(() => webhook.close());

const keyOf = (kind: ApiKind<unknown>, name = ''): string => `${kind.plural}/${name}`;

function answer<T>(object: object | undefined): ApiAnswer<T> {
  if (object === undefined) return { ok: false, status: 404, reason: 'NotFound', message: 'not found' };
  const value: T = JSON.parse(JSON.stringify(object));
  return { ok: true, value };
}

const client = {
  get: async <T>(kind: ApiKind<T>, { name }: ObjectRef): Promise<ApiAnswer<T>> =>
    answer(objects.get(keyOf(kind, name))),
  create: async <T>(
    kind: ApiKind<T>,
    object: T & { metadata?: { name?: string } },
  ): Promise<ApiAnswer<T>> => {
    objects.set(keyOf(kind, object.metadata?.name), { ...object });
    return { ok: true, value: object };
  },
  patchMerge: async <T>(kind: ApiKind<T>, { name }: ObjectRef, patch: object): Promise<ApiAnswer<T>> => {
    objects.set(keyOf(kind, name), { ...objects.get(keyOf(kind, name)), ...patch });
    return answer(objects.get(keyOf(kind, name)));
  },
  apply: async <T>(kind: ApiKind<T>, object: T & { metadata?: { name?: string } }): Promise<ApiAnswer<T>> => {
    applied.push(object);
    objects.set(keyOf(kind, object.metadata?.name), { ...object });
    return { ok: true, value: object };
  },
};

function start(certificate: WebhookConfig['certificate']): void {
  webhook = new Webhook({
    config: { listen: { host: '127.0.0.1', port }, certificate },
    client,
    secrets: { client, namespace: 'home', release: 'millrace', now: () => new Date() },
    compiler: { compile: async () => ({ diagnostics: [] }) },
    log: createLog('silent', 'test'),
    metrics: { reviewed: () => undefined },
    observe: () => undefined,
    checkEveryMs: 5,
    retryMs: 5,
  });
  webhook.start(new AbortController().signal);
}

/** The serial number of the certificate that is shown. */
function shown(ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: HOST, ca }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(5);
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function secretOf({ certificate, key }: CertificateAndKey): Record<string, unknown> {
  return { data: { 'tls.crt': encoded(certificate), 'tls.key': encoded(key) } };
}

function authorityIn(name: string): string {
  const text = JSON.stringify(objects.get(name));
  const found: { data?: Record<string, string> } = JSON.parse(text);
  return Buffer.from(found.data?.['ca.crt'] ?? '', 'base64').toString();
}

describe('with a certificate of its own', () => {
  test('it is ready as soon as it has made one, and tells nobody unless it leads', async () => {
    start('own');
    expect(webhook.notReady()).toContain('no certificate yet');
    await until(() => webhook.notReady() === undefined);
    expect(await shown(authorityIn(SECRET))).not.toBe('');
    await sleep(30);
    expect(applied).toEqual([]);
  });

  test('the leader tells the API server by which authority to know it, once', async () => {
    start('own');
    webhook.lead();
    await until(() => applied.length > 0);
    await sleep(30);
    const caBundle = encoded(authorityIn(SECRET));
    expect(applied).toEqual([
      { metadata: { name: 'millrace-webhook' }, webhooks: [{ name: 'a.b.c', clientConfig: { caBundle } }] },
    ]);
  });

  test('the leader tells it again when somebody took it', async () => {
    start('own');
    webhook.lead();
    await until(() => applied.length === 1);
    objects.set(CONFIGURATION, { webhooks: [{ name: 'a.b.c', clientConfig: {} }] });
    await until(() => applied.length === 2);
  });

  test('it answers although there is no configuration to tell', async () => {
    objects.delete(CONFIGURATION);
    start('own');
    webhook.lead();
    await until(() => webhook.notReady() === undefined);
    objects.set(CONFIGURATION, { webhooks: [{ name: 'a.b.c', clientConfig: {} }] });
    await until(() => applied.length === 1);
  });
});

describe('with a certificate of cert-manager', () => {
  test('it waits for it, and neither makes one nor tells anybody', async () => {
    start('cert-manager');
    webhook.lead();
    await until(() => webhook.notReady()?.includes('webhook-tls') === true);
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    await until(() => webhook.notReady() === undefined);
    expect(await shown(authority.certificate)).not.toBe('');
    expect(applied).toEqual([]);
  });

  test('a renewed one is taken into use, and one that cannot be used is not', async () => {
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    start('cert-manager');
    await until(() => webhook.notReady() === undefined);
    const first = await shown(authority.certificate);
    objects.set(SECRET, secretOf({ certificate: authority.certificate, key: 'broken' }));
    await sleep(30);
    expect(await shown(authority.certificate)).toBe(first);
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    await until(async () => (await shown(authority.certificate)) !== first);
  });
});
