import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { defined } from '#defined';
import { DEFAULT_LOG_BYTES } from '#domain/build/log-limit.ts';
import { bytesOf } from '#domain/planning/quantity.ts';
import { Reader, type Address, type Configured, type Source } from './config-reader.ts';

export type { Address, Configured, Source };

/*
 * The one place that reads the environment. Each door has its own reader; every problem is found at once, and
 * no sentence of one carries a secret's value. A secret `NAME` may be given as `NAME_FILE`, a path to a file
 * that holds it.
 */

/** Of the program; a test holds it to package.json. */
export const VERSION = '0.1.0';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

interface ProcessConfig {
  /** Namespace of the release. */
  namespace: string;
  podName: string;
  /** Prefix of our Secrets and of the Lease. */
  release: string;
  logLevel: LogLevel;
  /** Where metrics and probes are served, apart from everything else. */
  metricsListen: Address;
}

export interface DatabaseConfig {
  url: string;
  /**
   * Direct connection for LISTEN; the same as `url` unless a transaction pooler stands before the database.
   */
  listenUrl: string;
  /** Whom the server's certificate must be from (PEM); absent: as the URLs say. */
  certificateAuthority?: string;
}

/**
 * How the API server is reached: as a Pod does, or by a kubeconfig file (the default one when none is named).
 */
export type ClusterConfig =
  { kind: 'in-cluster'; host: string; port: string } | { kind: 'kubeconfig'; file: string | undefined };

export interface OperatorConfig extends ProcessConfig {
  /**
   * `own`: the chart's instance on `host`; the operator makes the Secret `<release>-database` and reads the
   * URL from it.
   */
  database: ({ kind: 'given' } & DatabaseConfig) | { kind: 'own'; host: string };
  cluster: ClusterConfig;
  image: string;
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /**
   * For Pods of builds and checks: of images that pipelines and Teams name by a tag, and storage where nobody
   * names any.
   */
  pods: {
    imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    storage: { request?: string; limit?: string };
  };
  internalUrl: string;
  externalUrl: string | undefined;
  /**
   * Where `svc://` names that are not built in are, and ranges that sources may be in though they are not
   * public.
   */
  sources: { registry: string | undefined; allowedRanges: string[] };
  /** Of a Team whose spec.limits says nothing; absent: none. */
  defaultLimits: { runningBuilds?: number; runningChecks?: number; pipelines?: number; logBytes?: string };
  /** Undefined: the API server asks nobody about Pipelines. */
  webhook: WebhookConfig | undefined;
}

export interface WebhookConfig {
  listen: Address;
  /** `own`: the operator makes it and tells the API server; `cert-manager`: that does both. */
  certificate: 'own' | 'cert-manager';
  /** How long one review may take, where the API server waits longer than in the chart. */
  longestMs?: number;
}

interface GatewayConfig extends ProcessConfig {
  database: DatabaseConfig;
  listen: Address;
  externalUrl: string | undefined;
}

export interface PublicGatewayConfig extends GatewayConfig {
  role: 'public';
  /** Signs webhook tokens. */
  webhookKey: Buffer;
  tokensFile: string | undefined;
  /** The Secret that the file is mounted from, and its key: to be asked for what is newer. */
  tokensSecret: { name: string; key: string } | undefined;
  /** Signs the sessions of people. */
  sessionKey: Buffer;
  /** 0: sessions never end. */
  sessionSeconds: number;
  /** After how long a session that nobody uses is over; 0: never. */
  idleSeconds: number;
  /** The longest that an API token may last; 0: for ever. */
  tokenMaxSeconds: number;
  /** Hold the secrets of our clients at identity providers, a file each. */
  oauthSecretsDirectories: string[];
  /** Where objects of the API are made; undefined: this gateway makes none. */
  cluster: ClusterConfig | undefined;
  /** Ranges that identity providers may be in though they are not public. */
  oauthAllowedRanges: string[];
  /** Proxies whose word about a sender's address is taken. */
  trustedProxies: string[];
}

export interface InternalGatewayConfig extends GatewayConfig {
  role: 'internal';
  /** Signs agents' nonces. */
  agentKey: Buffer;
  tlsDirectory: string;
  /** Of one attempt of a build. */
  logLimitBytes: number;
  cluster: ClusterConfig;
}

/** Of the command line as a client of a gateway. */
export interface ClientConfig {
  url: string | undefined;
  token: string | undefined;
  /** Certificates that are trusted besides those of the machine. */
  caFile: string | undefined;
  /** Holds what people signed in with. */
  directory: string;
  /** For HTTPS alone. */
  proxy: { https_proxy?: string; no_proxy?: string };
}

const REAL: Source = {
  get environment() {
    return process.env;
  },
  readText: (path) => readFileSync(path, 'utf8'),
};

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;

export function operatorConfig(source: Source = REAL): Configured<OperatorConfig> {
  const read = new Reader(source);
  const common = processConfig(read);
  const host = read.optional('MILLRACE_DATABASE_HOST');
  return read.finish({
    ...common,
    database: host === undefined ? { kind: 'given', ...databaseConfig(read) } : { kind: 'own', host },
    cluster: clusterConfig(read),
    image: read.required('MILLRACE_IMAGE', 'the image of agents and workers'),
    imagePullPolicy: read.oneOf('MILLRACE_IMAGE_PULL_POLICY', PULL_POLICIES, 'IfNotPresent'),
    pods: {
      imagePullPolicy: read.oneOf('MILLRACE_POD_IMAGE_PULL_POLICY', PULL_POLICIES, 'Always'),
      storage: {
        ...read.amount('request', 'MILLRACE_POD_STORAGE_REQUEST'),
        ...read.amount('limit', 'MILLRACE_POD_STORAGE_LIMIT'),
      },
    },
    internalUrl: read.url('MILLRACE_INTERNAL_URL', ['https:']) ?? '',
    externalUrl: read.url('MILLRACE_EXTERNAL_URL', ['https:', 'http:'], true),
    sources: {
      registry: read.url('MILLRACE_REGISTRY_URL', ['https:', 'http:'], true),
      allowedRanges: read.ranges('MILLRACE_SOURCES_ALLOWED_RANGES'),
    },
    defaultLimits: {
      ...read.limit('runningBuilds', 'MILLRACE_DEFAULT_RUNNING_BUILDS'),
      ...read.limit('runningChecks', 'MILLRACE_DEFAULT_RUNNING_CHECKS'),
      ...read.limit('pipelines', 'MILLRACE_DEFAULT_PIPELINES'),
      ...read.amount('logBytes', 'MILLRACE_DEFAULT_LOG_BYTES'),
    },
    webhook: webhookConfig(read),
  });
}

/** Flags of the command line; each wins over its variable of the environment. */
export interface GatewayFlags {
  sessionLifetime?: string;
  sessionIdleTimeout?: string;
  externalUrl?: string;
}

export function withFlags(flags: GatewayFlags, source: Source = REAL): Source {
  const { sessionLifetime, sessionIdleTimeout, externalUrl } = flags;
  const given = defined({
    MILLRACE_SESSION_LIFETIME: sessionLifetime,
    MILLRACE_SESSION_IDLE_TIMEOUT: sessionIdleTimeout,
    MILLRACE_EXTERNAL_URL: externalUrl,
  });
  return { environment: { ...source.environment, ...given }, readText: (path) => source.readText(path) };
}

function webhookConfig(read: Reader): WebhookConfig | undefined {
  const certificate = read.oneOf('MILLRACE_WEBHOOK_CERTIFICATE', ['own', 'cert-manager'], 'own');
  if (read.optional('MILLRACE_WEBHOOK_LISTEN') === undefined) return undefined;
  return { listen: read.address('MILLRACE_WEBHOOK_LISTEN', '0.0.0.0:10250'), certificate };
}

export function publicGatewayConfig(source: Source = REAL): Configured<PublicGatewayConfig> {
  const read = new Reader(source);
  return read.finish({
    role: 'public',
    ...gatewayConfig(read, '0.0.0.0:8080'),
    webhookKey: read.key('webhook'),
    tokensFile: read.optional('MILLRACE_TOKENS_FILE'),
    tokensSecret: tokensSecret(read),
    sessionKey: read.key('session'),
    sessionSeconds: read.lifetime('MILLRACE_SESSION_LIFETIME'),
    idleSeconds: read.lifetime('MILLRACE_SESSION_IDLE_TIMEOUT'),
    tokenMaxSeconds: read.lifetime('MILLRACE_TOKEN_MAX_LIFETIME', '1y'),
    oauthSecretsDirectories: (read.optional('MILLRACE_OAUTH_SECRETS_DIR') ?? '')
      .split(',')
      .flatMap((path) => path.trim() || []),
    cluster:
      (read.optional('KUBERNETES_SERVICE_HOST') ?? read.optional('KUBECONFIG'))
        ? clusterConfig(read)
        : undefined,
    oauthAllowedRanges: read.ranges('MILLRACE_OAUTH_ALLOWED_RANGES'),
    trustedProxies: read.ranges('MILLRACE_TRUSTED_PROXIES'),
  });
}

export function internalGatewayConfig(source: Source = REAL): Configured<InternalGatewayConfig> {
  const read = new Reader(source);
  return read.finish({
    role: 'internal',
    ...gatewayConfig(read, '0.0.0.0:8443'),
    agentKey: read.key('agent'),
    tlsDirectory: read.required('MILLRACE_TLS_DIR', 'the directory with tls.crt and tls.key'),
    logLimitBytes: bytesOf(read.amount('limit', 'MILLRACE_BUILD_LOG_LIMIT').limit ?? '') ?? DEFAULT_LOG_BYTES,
    cluster: clusterConfig(read),
  });
}

export function clientConfig(source: Source = REAL): Configured<ClientConfig> {
  const read = new Reader(source);
  const [proxy, direct] = ['https_proxy', 'no_proxy'].map(
    (name) => read.optional(name) ?? read.optional(name.toUpperCase()),
  );
  const home = read.optional('XDG_CONFIG_HOME');
  return read.finish({
    url: read.url('MILLRACE_URL', ['https:', 'http:'], true),
    token: read.secret('MILLRACE_TOKEN'),
    caFile: read.optional('MILLRACE_CA_FILE'),
    // A relative one is to be ignored, says the specification.
    directory: join(home !== undefined && isAbsolute(home) ? home : join(homedir(), '.config'), 'millrace'),
    proxy: defined({ https_proxy: proxy, no_proxy: direct }),
  });
}

function tokensSecret(read: Reader): PublicGatewayConfig['tokensSecret'] {
  const name = read.optional('MILLRACE_TOKENS_SECRET');
  if (name === undefined) return undefined;
  return { name, key: read.optional('MILLRACE_TOKENS_SECRET_KEY') ?? 'tokens.json' };
}

function processConfig(read: Reader): ProcessConfig {
  return {
    namespace: read.required('MILLRACE_NAMESPACE', 'the namespace of the release'),
    podName: read.required('MILLRACE_POD_NAME', 'the name of this Pod'),
    release: read.required('MILLRACE_RELEASE', 'the prefix of our Secrets and the Lease'),
    logLevel: read.oneOf('MILLRACE_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
    metricsListen: read.address('MILLRACE_METRICS_LISTEN', '0.0.0.0:9090'),
  };
}

function gatewayConfig(read: Reader, listen: string): GatewayConfig {
  return {
    ...processConfig(read),
    database: databaseConfig(read),
    listen: read.address('MILLRACE_LISTEN', listen),
    externalUrl: read.url('MILLRACE_EXTERNAL_URL', ['https:', 'http:'], true),
  };
}

function databaseConfig(read: Reader): DatabaseConfig {
  const url = read.secretUrl('MILLRACE_DATABASE_URL');
  const certificateAuthority = read.secret('MILLRACE_DATABASE_CA');
  return {
    url: url ?? '',
    listenUrl: read.secretUrl('MILLRACE_DATABASE_LISTEN_URL', true) ?? url ?? '',
    ...defined({ certificateAuthority }),
  };
}

/** Kubernetes sets both variables in every Pod. */
function clusterConfig(read: Reader): ClusterConfig {
  const host = read.optional('KUBERNETES_SERVICE_HOST');
  if (host === undefined) return { kind: 'kubeconfig', file: read.optional('KUBECONFIG') };
  return { kind: 'in-cluster', host, port: read.optional('KUBERNETES_SERVICE_PORT') ?? '443' };
}
