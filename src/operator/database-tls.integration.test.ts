import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { migrate } from '#adapters/database/migrate.ts';
import {
  makeAuthority,
  makeServerCertificate,
  type CertificateAndKey,
} from '#adapters/kubernetes/secrets/certificates.ts';
import { startPostgres, type PostgresServer } from '#testing/postgres/postgres-server.ts';

let folder: string;
let authority: CertificateAndKey;
let otherAuthority: CertificateAndKey;
let server: PostgresServer;

/** Starts a Postgres server that accepts only TLS, as the one of the chart does. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tls-'));
  const now = new Date();
  authority = await makeAuthority('test', now);
  otherAuthority = await makeAuthority('other', now);
  const { certificate, key } = await makeServerCertificate(authority, ['localhost'], now);
  const files = { 'tls.crt': certificate, 'tls.key': key, 'pg_hba.conf': 'hostssl all all all trust\n' };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await chmod(folder, 0o755);
  // Postgres requires that only its own user can read the key, and it does not run as root.
  await chmod(join(folder, 'tls.key'), 0o600);
  if (process.getuid?.() === 0) {
    const uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }));
    await chown(join(folder, 'tls.key'), uid, uid);
  }
  server = await startPostgres({
    settings: {
      ssl: 'on',
      ssl_cert_file: join(folder, 'tls.crt'),
      ssl_key_file: join(folder, 'tls.key'),
      hba_file: join(folder, 'pg_hba.conf'),
    },
  });
}, 600_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const urlAt = (host: string, mode = ''): string => server.url.replace('127.0.0.1', host) + mode;
const usesTls = (url: string, certificateAuthority?: string): Promise<boolean> =>
  openPool(url, { certificateAuthority, connectTimeoutMilliseconds: 0 }).then(async (pool) => {
    const isEncrypted = await pool.oneFirst(rows<{ ssl: boolean }>()`
      SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`);
    await pool.end();
    return isEncrypted;
  });

describe('a Postgres server that accepts only TLS', () => {
  test('is reached by migrations, the pool and notifications, with encrypted connections', async () => {
    const { certificate: certificateAuthority } = authority;
    await migrate(urlAt('localhost'), { certificateAuthority });
    expect(await usesTls(urlAt('localhost'), certificateAuthority)).toBe(true);
    const pool = await openPool(urlAt('localhost'), { certificateAuthority });
    const notifications = openNotifications({ url: urlAt('localhost'), pool, certificateAuthority });
    const received = await new Promise((resolve) => {
      notifications.listen(['builds'], resolve);
    });
    expect(received).toEqual({ topic: 'missed' });
    await notifications.close();
    await pool.end();
  }, 600_000);

  test('is not reached without TLS', async () => {
    await expect(usesTls(urlAt('localhost', '?sslmode=disable'))).rejects.toThrow();
  }, 600_000);

  test.each([
    ['from another authority', 'localhost', () => otherAuthority.certificate],
    ['for another name', '127.0.0.1', () => authority.certificate],
    ['from an unknown authority', 'localhost', () => undefined],
  ])(
    'is not trusted with a certificate %s',
    async (_, host, trustedAuthority) => {
      await expect(usesTls(urlAt(host, '?sslmode=verify-full'), trustedAuthority())).rejects.toThrow();
    },
    600_000,
  );
});
