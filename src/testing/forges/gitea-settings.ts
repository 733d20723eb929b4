export interface GiteaOptions {
  /** The host on which Gitea listens; loopback if left out. */
  readonly host?: string;
  /** If given, Gitea serves HTTPS with this certificate. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Where webhooks may go, in the syntax of ALLOWED_HOST_LIST; loopback if left out. */
  readonly webhookHosts?: string;
  /** The largest number of entries on a page of a list; Gitea's default if left out. */
  readonly pageSize?: number;
}

/** Signs the addresses of Git LFS files. Gitea requires 32 bytes. For tests only. */
const LFS_SECRET = Buffer.alloc(32, 'millrace').toString('base64url');

/** The text of `app.ini`: Gitea connects only to the targets of webhooks, and has no scheduled tasks. */
export function settingsOf(folder: string, address: string, options: GiteaOptions): string {
  const { hostname, port } = new URL(address);
  const tls: Record<string, string> =
    options.certificate === undefined
      ? { PROTOCOL: 'http' }
      : { PROTOCOL: 'https', CERT_FILE: `${folder}/cert.pem`, KEY_FILE: `${folder}/key.pem` };
  return formatIni({
    server: {
      ...tls,
      HTTP_ADDR: hostname,
      HTTP_PORT: port,
      ROOT_URL: `${address}/`,
      STATIC_ROOT_PATH: `${folder}/data`,
      APP_DATA_PATH: `${folder}/state`,
      DISABLE_SSH: 'true',
      LFS_START_SERVER: 'true',
      LFS_JWT_SECRET: LFS_SECRET,
      OFFLINE_MODE: 'true',
    },
    database: { DB_TYPE: 'sqlite3', PATH: `${folder}/gitea.db`, SQLITE_JOURNAL_MODE: 'WAL' },
    repository: { ROOT: `${folder}/repositories`, DEFAULT_BRANCH: 'main' },
    security: { INSTALL_LOCK: 'true', SECRET_KEY: 'a key for tests only' },
    service: { DISABLE_REGISTRATION: 'true' },
    webhook: { ALLOWED_HOST_LIST: options.webhookHosts ?? 'loopback' },
    api: options.pageSize === undefined ? {} : { MAX_RESPONSE_ITEMS: String(options.pageSize) },
    indexer: { ISSUE_INDEXER_TYPE: 'db' },
    lfs: { PATH: `${folder}/lfs` },
    // In memory, because Gitea polls a queue on disk only every two seconds.
    queue: { TYPE: 'channel' },
    session: { PROVIDER: 'memory' },
    log: { MODE: 'console', LEVEL: 'Warn', ROOT_PATH: `${folder}/log` },
    cron: { ENABLED: 'false' },
    'cron.update_checker': { ENABLED: 'false' },
    actions: { ENABLED: 'false' },
    packages: { ENABLED: 'false' },
  });
}

function formatIni(sections: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const lines = Object.entries(sections).flatMap(([name, settings]) => [
    `[${name}]`,
    ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
  ]);
  return ['RUN_MODE = prod', ...lines, ''].join('\n');
}
