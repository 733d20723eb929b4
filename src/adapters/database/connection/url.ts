import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { defined } from '#defined';

/** Options of one connection. The drivers do not read every `sslmode`, so the URL does not contain it. */
export interface ParsedDatabaseUrl {
  url: string;
  /** Absent: without TLS. */
  ssl?: ConnectionOptions;
}

/** The modes of libpq. `require` verifies the certificate too, as the drivers do. */
const MODES: Readonly<
  Record<string, (authority: Pick<ConnectionOptions, 'ca'>) => ConnectionOptions | undefined>
> = {
  disable: () => undefined,
  'no-verify': () => ({ rejectUnauthorized: false }),
  require: (authority) => authority,
  'verify-ca': (authority) => ({ ...authority, checkServerIdentity: () => undefined }),
  'verify-full': (authority) => authority,
};

/**
 * Parses `postgres://…?sslmode=verify-full&sslrootcert=<file>`. `authority` (PEM) replaces `sslrootcert`.
 * With either, a URL without `sslmode` means `verify-full`.
 */
export function parseDatabaseUrl(text: string, authority?: string): ParsedDatabaseUrl {
  const url = new URL(text);
  const file = url.searchParams.get('sslrootcert');
  const mode =
    url.searchParams.get('sslmode') ?? (authority === undefined && file === null ? 'disable' : 'verify-full');
  const toOptions = MODES[mode];
  if (toOptions === undefined)
    throw new Error(`The database's URL has sslmode=${mode}: use one of ${Object.keys(MODES).join(', ')}.`);
  url.searchParams.delete('sslmode');
  url.searchParams.delete('sslrootcert');
  const ca = authority ?? (file === null ? undefined : readFileSync(file, 'utf8'));
  const ssl = toOptions(ca === undefined ? {} : { ca });
  return { url: url.href, ...defined({ ssl }) };
}
