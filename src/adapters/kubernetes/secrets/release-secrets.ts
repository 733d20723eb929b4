import { randomBytes } from 'node:crypto';
import type { V1Secret } from '@kubernetes/client-node';
import { ApiError, orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import {
  authorityIsGood,
  makeAuthority,
  makeServerCertificate,
  serverCertificateIsGood,
  type CertificateAndKey,
} from './certificates.ts';
import { MARKS } from './secret-marks.ts';

/**
 * Options of the functions in this file, which create the missing Secrets of one installation and renew its
 * certificates.
 */
export interface ReleaseSecretsOptions {
  client: Pick<ApiClient, 'get' | 'create' | 'patchMerge'>;
  namespace: string;
  release: string;
  now(): Date;
}

type Values = Record<string, string>;

const KEY_BYTES = 32;
/** Name of the database and of its user. */
const DATABASE = 'millrace';

/**
 * `<release>-keys`: the keys that sign agents' nonces, webhook tokens and sessions. The operator does not use
 * the session key.
 */
export async function ensureKeys(
  options: ReleaseSecretsOptions,
): Promise<{ agent: Buffer; webhook: Buffer }> {
  const values = await ensure(options, 'keys', (existing) => ({
    agent: existing['agent'] ?? newKey(),
    webhook: existing['webhook'] ?? newKey(),
    session: existing['session'] ?? newKey(),
  }));
  return {
    agent: Buffer.from(values['agent'] ?? '', 'base64url'),
    webhook: Buffer.from(values['webhook'] ?? '', 'base64url'),
  };
}

/** `<release>-admin`: the name and password of the initial admin. Values that the Secret already has stay. */
export async function ensureFirstAdmin(
  options: ReleaseSecretsOptions,
): Promise<{ username: string; password: string }> {
  const { username = '', password = '' } = await ensure(options, 'admin', (existing) => ({
    username: existing['username'] ?? 'admin',
    password: existing['password'] ?? randomBytes(18).toString('base64url'),
  }));
  return { username, password };
}

export interface StoreKeyOptions extends ReleaseSecretsOptions {
  /** Both PEM. */
  makePair: () => Promise<{ publicKey: string; privateKey: string }>;
  /** Whether to replace the key pair now if `rotate` requests it. Otherwise the request stays. */
  mayRotate: boolean;
}

/**
 * `<release>-store`: the key pair that encrypts stored secrets. Any text under `rotate` requests a new pair.
 * After the rotation, `previous` has the former private key.
 */
export async function ensureStoreKeys(
  options: StoreKeyOptions,
): Promise<Record<'public' | 'private' | 'previous' | 'rotate', string>> {
  const values = await ensure(options, 'store', async (existing) => {
    const { public: publicKey = '', private: privateKey = '', previous = '', rotate = '' } = existing;
    if (publicKey !== '' && privateKey !== '' && (rotate === '' || !options.mayRotate))
      return { public: publicKey, private: privateKey, previous, rotate };
    const pair = await options.makePair();
    return { public: pair.publicKey, private: pair.privateKey, previous: privateKey, rotate: '' };
  });
  const { public: publicKey = '', private: privateKey = '', previous = '', rotate = '' } = values;
  return { public: publicKey, private: privateKey, previous, rotate };
}

/**
 * `<release>-oauth-api`: where the public gateway stores the client secrets of identity providers. The
 * operator creates the Secret without keys, and may not read it.
 */
export async function ensureOAuthSecret({
  client,
  namespace,
  release,
}: ReleaseSecretsOptions): Promise<void> {
  const ref = { namespace, name: `${release}-oauth-api` };
  const created = await client.create(KINDS.secrets, secret(ref, {}));
  if (!created.ok && created.status !== 409) throw new ApiError(`creating the Secret ${ref.name}`, created);
}

/**
 * `<release>-database`: password and URL of the chart's own Postgres, and the authority that signs its server
 * certificate. That certificate is in `<release>-postgres-tls`.
 */
export async function ensureDatabase(
  options: ReleaseSecretsOptions,
  host: string,
): Promise<{ url: string; certificateAuthority: string }> {
  const { authority } = await ensurePostgresTls(options);
  const { url = '' } = await ensure(options, 'database', (existing) => {
    const password = existing['password'] ?? randomBytes(24).toString('base64url');
    const databaseUrl = `postgres://${DATABASE}:${password}@${host}:5432/${DATABASE}`;
    return { password, url: databaseUrl, 'ca.crt': authority };
  });
  return { url, certificateAuthority: authority };
}

/**
 * `<release>-postgres-tls`: certificate of the chart's own Postgres, signed and renewed like
 * `<release>-internal-tls`.
 */
export function ensurePostgresTls(options: ReleaseSecretsOptions): Promise<ServerTls> {
  return ensureServerTls(options, 'postgres');
}

/**
 * `<release>-internal-tls`: certificate of the internal gateway, renewed a month before it expires. The
 * authority's key is in `<release>-internal-ca`, which no Pod mounts. Returns the authority's certificate,
 * with which agents verify the gateway.
 */
export async function ensureInternalTls(options: ReleaseSecretsOptions): Promise<string> {
  const { authority } = await ensureServerTls(options, 'internal');
  return authority;
}

/** The certificate and key of a TLS server, and the authority with which clients verify it. */
export interface ServerTls extends CertificateAndKey {
  /** The authority's certificate. */
  authority: string;
}

/**
 * `<release>-webhook-tls`: certificate of the admission webhook, signed and renewed like
 * `<release>-internal-tls`.
 */
export function ensureWebhookTls(options: ReleaseSecretsOptions): Promise<ServerTls> {
  return ensureServerTls(options, 'webhook');
}

/**
 * The certificate in `<release>-webhook-tls`, if cert-manager creates that Secret. Undefined while the
 * Secret does not exist or is incomplete.
 */
export async function certManagerWebhookTls(
  options: ReleaseSecretsOptions,
): Promise<CertificateAndKey | undefined> {
  const { client, namespace, release } = options;
  const name = `${release}-webhook-tls`;
  const found = orAbsent(await client.get(KINDS.secrets, { namespace, name }), `reading the Secret ${name}`);
  const pair = pairOf(decoded(found));
  return pair.certificate === '' || pair.key === '' ? undefined : pair;
}

/** Creates or renews the certificate in `<release>-<service>-tls`, for the Service `<release>-<service>`. */
async function ensureServerTls(options: ReleaseSecretsOptions, service: string): Promise<ServerTls> {
  const { namespace, release } = options;
  const now = options.now();
  const authority = pairOf(
    await ensure(options, 'internal-ca', async (existing) =>
      authorityIsGood(pairOf(existing), now)
        ? existing
        : valuesOf(await makeAuthority(`${release} internal authority`, now)),
    ),
  );
  const name = `${release}-${service}.${namespace}`;
  const hosts = [`${name}.svc`, `${name}.svc.cluster.local`, name, `${release}-${service}`];
  const values = await ensure(options, `${service}-tls`, async (existing) =>
    serverCertificateIsGood(pairOf(existing), authority, hosts, now) &&
    existing['ca.crt'] === authority.certificate
      ? existing
      : {
          ...valuesOf(await makeServerCertificate(authority, hosts, now)),
          'ca.crt': authority.certificate,
        },
  );
  return { ...pairOf(values), authority: authority.certificate };
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function pairOf(values: Values): CertificateAndKey {
  return { certificate: values['tls.crt'] ?? '', key: values['tls.key'] ?? '' };
}

function valuesOf({ certificate, key }: CertificateAndKey): Values {
  return { 'tls.crt': certificate, 'tls.key': key };
}

/**
 * Creates a missing Secret, or writes the values that `valuesFrom` changes. If two replicas start at the same
 * time, one of them creates the Secret and the other one reads it.
 */
async function ensure(
  options: ReleaseSecretsOptions,
  suffix: string,
  valuesFrom: (existing: Values) => Values | Promise<Values>,
): Promise<Values> {
  const { client, namespace, release } = options;
  const ref = { namespace, name: `${release}-${suffix}` };
  const operation = `reading the Secret ${ref.name}`;
  const found = orAbsent(await client.get(KINDS.secrets, ref), operation);
  const existing = decoded(found);
  const values = await valuesFrom(existing);
  if (found === undefined) {
    const created = await client.create(KINDS.secrets, secret(ref, values));
    if (created.ok) return values;
    if (created.status !== 409) throw new ApiError(`creating the Secret ${ref.name}`, created);
    return ensure(options, suffix, valuesFrom);
  }
  if (Object.entries(values).every(([key, value]) => existing[key] === value)) return existing;
  const { resourceVersion } = found.metadata ?? {};
  const patch = { metadata: { resourceVersion }, data: encoded(values) };
  const patched = await client.patchMerge(KINDS.secrets, ref, patch);
  if (!patched.ok && patched.status === 409) return ensure(options, suffix, valuesFrom);
  orThrow(patched, `renewing the Secret ${ref.name}`);
  return { ...existing, ...values };
}

function secret(ref: { namespace: string; name: string }, values: Values): Wire<V1Secret> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref, ...MARKS },
    type: 'Opaque',
    data: encoded(values),
  };
}

function encoded(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

function decoded(found: Wire<V1Secret> | undefined): Values {
  return Object.fromEntries(
    Object.entries(found?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}
