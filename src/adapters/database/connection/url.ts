import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { defined } from '#defined';

/** What a driver needs to connect. The drivers do not know every `sslmode`, so `ssl` replaces it. */
export interface ParsedDatabaseUrl {
  /** Without `sslmode` and `sslrootcert`. */
  url: string;
  /** Absent: the connection does not use TLS. */
  ssl?: ConnectionOptions;
}

/**
 * The supported values of `sslmode`: those of libpq except `allow` and `prefer`, and `no-verify` of
 * node-postgres. `require` always verifies the certificate, as in node-postgres; in libpq, it does so only
 * with `sslrootcert`.
 */
const SSL_MODES: Readonly<
  Record<string, (authority: Pick<ConnectionOptions, 'ca'>) => ConnectionOptions | undefined>
> = {
  disable: () => undefined,
  'no-verify': () => ({ rejectUnauthorized: false }),
  require: (authority) => authority,
  'verify-ca': (authority) => ({ ...authority, checkServerIdentity: () => undefined }),
  'verify-full': (authority) => authority,
};

/**
 * Parses `postgres://…?sslmode=verify-full&sslrootcert=<file>`. `authority` (PEM) replaces `sslrootcert`. A
 * URL without `sslmode` means `verify-full` if there is a certificate authority, otherwise `disable`.
 */
export function parseDatabaseUrl(text: string, authority?: string): ParsedDatabaseUrl {
  const url = new URL(text);
  const file = url.searchParams.get('sslrootcert');
  const mode =
    url.searchParams.get('sslmode') ?? (authority === undefined && file === null ? 'disable' : 'verify-full');
  const toOptions = SSL_MODES[mode];
  if (toOptions === undefined)
    throw new Error(
      `The database's URL has sslmode=${mode}: use one of ${Object.keys(SSL_MODES).join(', ')}.`,
    );
  url.searchParams.delete('sslmode');
  url.searchParams.delete('sslrootcert');
  const ca = authority ?? (file === null ? undefined : readFileSync(file, 'utf8'));
  const ssl = toOptions(ca === undefined ? {} : { ca });
  return { url: url.href, ...defined({ ssl }) };
}
