import { createHash, randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { DatabasePool } from 'slonik';
import { isCommonPassword } from '#adapters/crypto/common-passwords.ts';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { AccessStores } from '#adapters/database/people/access-stores.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import { showStore } from '#adapters/database/views/show-store.ts';
import { viewStore } from '#adapters/database/views/view-store.ts';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { cachedPictures } from '#adapters/http/api/images.ts';
import { authenticateByInstallation } from '#adapters/http/auth/installation-tokens.ts';
import { STREAM_LIMITS, type StreamLimits } from '#adapters/http/live/open-streams.ts';
import { createPages } from '#adapters/http/pages/pages.ts';
import { accessRoutes, publicRoutes } from '#adapters/http/routes.ts';
import type { PublicRateLimits } from '#adapters/http/server/rate-limits.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { createMetrics, publicMetrics } from '#adapters/telemetry/metrics.ts';
import { streamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import type { Role } from '#domain/access/roles.ts';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { TriggerStreams } from '#flows/checks/trigger-stream-ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { OAuthClient } from '#flows/people/oauth-ports.ts';
import type { Passwords } from '#flows/people/ports.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';
import { completeViews } from '#flows/views/complete-views.ts';
import { openAccess } from '#gateway/access.ts';
import { openOverviews } from '#gateway/overviews.ts';
import { pipelinePorts } from '#gateway/pipelines.ts';
import { WEBHOOK_KEY } from '#testing/stores/stores.ts';

/* The public gateway on a port, with a real Postgres, for tests of who gets which answer. */
export const SESSION_KEY = Buffer.alloc(32, 5);
export const ORIGIN = 'https://ci.example.org';

/**
 * Hashes by a plain digest instead of argon2id, for tests that sign in often. Counts the calls of `verify`.
 */
export class CheapPasswords implements Passwords {
  verifyCalls = 0;

  async hash(password: string): Promise<string> {
    return createHash('sha256').update(password).digest('hex');
  }

  async verify(hash: string | undefined, password: string): Promise<boolean> {
    this.verifyCalls += 1;
    return hash === (await this.hash(password));
  }

  isCommon(password: string): boolean {
    return isCommonPassword(password);
  }
}

const NO_PROVIDERS: OAuthClient = {
  authorizationUrl: async () => ({ failure: 'no provider in this test' }),
  identify: async () => ({ failure: 'no provider in this test' }),
};

const NO_COMPILER: Compiler = {
  compile: async () => {
    throw new Error('no compiler in this test');
  },
};

const ANSWER_UNKNOWN = async () => ({ answer: 'unknown' as const });
const ANSWER_DONE = async () => ({ answer: 'done' as const, value: undefined });
const CRUD = {
  read: ANSWER_UNKNOWN,
  create: ANSWER_UNKNOWN,
  replace: ANSWER_UNKNOWN,
  remove: ANSWER_UNKNOWN,
};
/** A cluster without objects. Creating or changing one answers `unknown`. */
export const NO_OBJECTS: ApiObjects = {
  providers: {
    ...CRUD,
    saveSecret: ANSWER_UNKNOWN,
    deleteSecret: ANSWER_DONE,
    deleteSecretsBefore: ANSWER_DONE,
  },
  teams: CRUD,
  pipelines: CRUD,
};

export interface Options {
  passwords?: Passwords;
  sessionSeconds?: number;
  idleSeconds?: number;
  tokenMaxSeconds?: number;
  tokensFile?: string;
  now?: () => Date;
  trustedProxies?: string[];
  /** `undefined`: the gateway has no external URL. Absent: `ORIGIN`. */
  externalUrl?: string | undefined;
  client?: OAuthClient;
  objects?: ApiObjects;
  /** How many times longer than usual an answer waits for the operator; 5, for busy machines, if absent. */
  waitFactor?: number;
  compiler?: Compiler;
  seal?: AccessPorts['seal'];
  limits?: Partial<StreamLimits>;
  publicRateLimits?: PublicRateLimits;
}

interface Stores {
  url: string;
  pool: DatabasePool;
  access: AccessStores;
  checks: CheckStore;
  streams: TriggerStreams;
  builds: BuildStore;
  actions: ActionStore;
  debug: DebugStore;
}

export interface Answer<T = Record<string, never>> {
  status: number;
  body: T;
  headers: Headers;
  text: string;
}

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

export async function openGateway(stores: Stores, options: Options = {}) {
  const lines: string[] = [];
  const log = createLog('info', 'test', { write: (line) => void lines.push(line) });
  const notifications = openNotifications({ url: stores.url, pool: stores.pool });
  const now = options.now ?? (() => new Date());
  const { registry } = createMetrics('test', '0');
  const { ports, overviews } = openPipelines(stores, notifications, now, registry);
  const access = accessOver(stores, { ...options, previews: overviews.previews }, now);
  const streams = { limits: { ...STREAM_LIMITS, ...options.limits }, metrics: streamMetrics(registry) };
  const routes = [...publicRoutes(ports, async () => undefined, '0', streams), ...accessRoutes(access.ports)];
  const app = createServer({
    routes,
    pages: createPages(ports, access.ports),
    cachedImages: cachedPictures(ports.overviews),
    authenticate: access.authenticate,
    browser: access.ports.browser,
    audit: access.ports.audit,
    externalUrl: externalUrlOf(options),
    log,
    trustedProxies: options.trustedProxies ?? ['127.0.0.0/8'],
    ...(options.publicRateLimits !== undefined && {
      publicRateLimits: options.publicRateLimits,
    }),
  });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });

  const ask = asker(base);
  return {
    base,
    notifications,
    app,
    ask,
    account: async (username: string, about: AccountOptions = {}) =>
      await makeAccount(stores, access.ports.passwords, username, about),
    session: async (username: string) => await makeSession(access.ports, username),
    async token(as: string, body: Record<string, unknown>): Promise<string> {
      const made = await ask<{ data: { token: string } }>('POST /api-tokens', { as, body });
      if (made.status !== 201) throw new Error(made.text);
      return made.body.data.token;
    },
    lines,
    /** The text of `/metrics`. */
    metrics: async () => await registry.metrics(),
    routes,
    ports: access.ports,
    async close() {
      await app.close();
      await overviews.close();
      await notifications.close();
    },
  };
}

const externalUrlOf = (options: Options): string | undefined =>
  'externalUrl' in options ? options.externalUrl : ORIGIN;

function accessOver(stores: Stores, options: Options & Pick<AccessPorts, 'previews'>, now: () => Date) {
  const { authenticate, ports } = openAccess({
    stores: stores.access,
    client: options.client ?? NO_PROVIDERS,
    objects: options.objects ?? NO_OBJECTS,
    compiler: options.compiler ?? NO_COMPILER,
    previews: options.previews,
    seal: options.seal ?? (async () => undefined),
    sessionKey: SESSION_KEY,
    sessionSeconds: options.sessionSeconds ?? 3600,
    idleSeconds: options.idleSeconds ?? 0,
    tokenMaxSeconds: options.tokenMaxSeconds ?? 0,
    externalUrl: externalUrlOf(options),
    installation: authenticateByInstallation({ file: options.tokensFile }, () => undefined),
    passwords: options.passwords ?? new CheapPasswords(),
    now,
  });
  const { waitFactor = 5 } = options;
  return { authenticate, ports: { ...ports, elapsed: () => performance.now() / waitFactor } };
}

function openPipelines(stores: Stores, notifications: Notifications, now: () => Date, registry: Registry) {
  const database = { pool: stores.pool, definitions: cachedDefinitions() };
  const views = completeViews(viewStore(database), () => new Date());
  const overviews = openOverviews(showStore(database), views);
  const ports = pipelinePorts({
    ...stores,
    ...overviews,
    notifications,
    views,
    webhookKey: WEBHOOK_KEY,
    metrics: publicMetrics(registry),
    now,
  });
  return { ports, overviews };
}

interface AskOptions {
  /** Cancels the response after its headers, so a stream need not end. */
  onlyStatus?: boolean;
  as?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

function asker(base: string) {
  return async <T = { data: Record<string, unknown> }>(
    route: string,
    more: AskOptions = {},
  ): Promise<Answer<T>> => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(more.as !== undefined && { authorization: `Bearer ${more.as}` }),
        ...(more.body !== undefined && { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
    });
    return await readAnswer<T>(answer, more);
  };
}

async function readAnswer<T>(answer: Response, { onlyStatus = false }: AskOptions): Promise<Answer<T>> {
  const { status, headers } = answer;
  if (onlyStatus) await answer.body?.cancel();
  const text = onlyStatus ? '' : await answer.text();
  return { status, headers, text, body: isJson(headers) && text !== '' ? JSON.parse(text) : undefined };
}

const isJson = (headers: Headers): boolean => /\bjson\b/.test(headers.get('content-type') ?? '');

interface AccountOptions {
  globalAdmin?: boolean;
  teams?: Record<string, Role>;
  password?: string;
}

/** Creates an account by writing directly to the tables. */
async function makeAccount(
  { pool }: Stores,
  passwords: Passwords,
  username: string,
  { globalAdmin = false, teams = {}, password }: AccountOptions,
): Promise<number> {
  const hash = password === undefined ? null : await passwords.hash(password);
  const id = await pool.oneFirst(rows<{ id: number }>()`
    INSERT INTO users (username, global_admin, password_hash)
      VALUES (${username}, ${globalAdmin}, ${hash}) RETURNING id`);
  for (const [team, role] of Object.entries(teams)) {
    await pool.query(rows()`
      INSERT INTO team_members (team_id, user_id, role) SELECT id, ${id}, ${role} FROM teams WHERE name = ${team}`);
  }
  return id;
}

/** Creates a session without a sign-in. */
async function makeSession(
  { accounts, sessions, codec, now }: AccessPorts,
  username: string,
): Promise<string> {
  const known = await accounts.credentials(username);
  if (known === undefined) throw new Error(`no account ${username}`);
  const opened = { id: randomUUID(), userId: known.id, username, tokenGen: known.tokenGen, openedAt: now() };
  await sessions.openSession({ ...opened, address: '', client: '', action: 'user.signed_in' });
  return await codec.sign(opened);
}
