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
import { AdmissionWebhook } from './admission-webhook.ts';

const HOST = 'millrace-webhook.home.svc';
const SECRET = 'secrets/millrace-webhook-tls';
const CONFIGURATION = 'validatingwebhookconfigurations/millrace-webhook';

/** The objects in the API server, as JSON by kind and name. A patch replaces whole fields. */
let objects: Map<string, Record<string, unknown>>;
let applied: object[];
let port = 0;
let webhook: AdmissionWebhook;
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
  webhook = new AdmissionWebhook({
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

/** The serial number of the certificate that the webhook presents. */
function presentedSerial(ca: string): Promise<string> {
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
  const secret: { data?: Record<string, string> } = JSON.parse(text);
  return Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64').toString();
}

describe('the webhook with its own certificate', () => {
  test('is ready after it created the certificate, and writes no configuration unless it leads', async () => {
    start('own');
    expect(webhook.notReady()).toContain('no certificate yet');
    await until(() => webhook.notReady() === undefined);
    expect(await presentedSerial(authorityIn(SECRET))).not.toBe('');
    await sleep(30);
    expect(applied).toEqual([]);
  });

  test('writes its authority to the API server once, as the leader', async () => {
    start('own');
    webhook.lead();
    await until(() => applied.length > 0);
    await sleep(30);
    const caBundle = encoded(authorityIn(SECRET));
    expect(applied).toEqual([
      { metadata: { name: 'millrace-webhook' }, webhooks: [{ name: 'a.b.c', clientConfig: { caBundle } }] },
    ]);
  });

  test('writes its authority again as the leader if somebody removed it', async () => {
    start('own');
    webhook.lead();
    await until(() => applied.length === 1);
    objects.set(CONFIGURATION, { webhooks: [{ name: 'a.b.c', clientConfig: {} }] });
    await until(() => applied.length === 2);
  });

  test('answers even if there is no configuration to write to', async () => {
    objects.delete(CONFIGURATION);
    start('own');
    webhook.lead();
    await until(() => webhook.notReady() === undefined);
    objects.set(CONFIGURATION, { webhooks: [{ name: 'a.b.c', clientConfig: {} }] });
    await until(() => applied.length === 1);
  });
});

describe('the webhook with a certificate from cert-manager', () => {
  test('waits for the certificate, and neither creates one nor writes configuration', async () => {
    start('cert-manager');
    webhook.lead();
    await until(() => webhook.notReady()?.includes('webhook-tls') === true);
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    await until(() => webhook.notReady() === undefined);
    expect(await presentedSerial(authority.certificate)).not.toBe('');
    expect(applied).toEqual([]);
  });

  test('uses a renewed certificate, unless it is invalid', async () => {
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    start('cert-manager');
    await until(() => webhook.notReady() === undefined);
    const first = await presentedSerial(authority.certificate);
    objects.set(SECRET, secretOf({ certificate: authority.certificate, key: 'broken' }));
    await sleep(30);
    expect(await presentedSerial(authority.certificate)).toBe(first);
    objects.set(SECRET, secretOf(await makeServerCertificate(authority, [HOST], new Date())));
    await until(async () => (await presentedSerial(authority.certificate)) !== first);
  });
});
