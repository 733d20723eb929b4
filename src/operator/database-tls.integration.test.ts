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
let other: CertificateAndKey;
let server: PostgresServer;

/** A Postgres server that accepts only TLS, as that of the chart does. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tls-'));
  const now = new Date();
  authority = await makeAuthority('test', now);
  other = await makeAuthority('other', now);
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

const at = (host: string, mode = ''): string => server.url.replace('127.0.0.1', host) + mode;
const tls = (url: string, certificateAuthority?: string): Promise<boolean> =>
  openPool(url, { certificateAuthority, connectTimeoutMilliseconds: 0 }).then(async (pool) => {
    const used = await pool.oneFirst(rows<{ ssl: boolean }>()`
      SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`);
    await pool.end();
    return used;
  });

describe('a Postgres server that accepts only TLS', () => {
  test('is reached in all three ways, with encrypted connections', async () => {
    const { certificate: certificateAuthority } = authority;
    await migrate(at('localhost'), { certificateAuthority });
    expect(await tls(at('localhost'), certificateAuthority)).toBe(true);
    const pool = await openPool(at('localhost'), { certificateAuthority });
    const notifications = openNotifications({ url: at('localhost'), pool, certificateAuthority });
    const received = await new Promise((resolve) => {
      notifications.listen(['builds'], resolve);
    });
    expect(received).toEqual({ topic: 'missed' });
    await notifications.close();
    await pool.end();
  }, 600_000);

  test('is not reached without TLS', async () => {
    await expect(tls(at('localhost', '?sslmode=disable'))).rejects.toThrow();
  }, 600_000);

  test.each([
    ['from another authority', 'localhost', () => other.certificate],
    ['for another name', '127.0.0.1', () => authority.certificate],
    ['from an unknown authority', 'localhost', () => undefined],
  ])(
    'is not trusted with a certificate %s',
    async (_, host, of) => {
      await expect(tls(at(host, '?sslmode=verify-full'), of())).rejects.toThrow();
    },
    600_000,
  );
});
