import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { defined } from '#defined';
import { DEFAULT_LOG_BYTES } from '#domain/build/log-limit.ts';
import { bytesOf } from '#domain/planning/quantity.ts';
import { USER_NAMESPACE_SETTINGS } from '#domain/planning/user-namespaces.ts';
import { Reader, type Address, type Configured, type Source } from './config-reader.ts';
import type {
  ClientConfig,
  ClusterConfig,
  DatabaseConfig,
  GatewayConfig,
  GatewayFlags,
  InternalGatewayConfig,
  OperatorConfig,
  ProcessConfig,
  PublicGatewayConfig,
  WebhookConfig,
} from './config-types.ts';

export type { Address, Configured, Source };
export type {
  ClientConfig,
  ClusterConfig,
  DatabaseConfig,
  GatewayFlags,
  InternalGatewayConfig,
  LogLevel,
  OperatorConfig,
  PublicGatewayConfig,
  WebhookConfig,
} from './config-types.ts';

/*
 * Reads the configuration of the operator, the gateways and the command line from the environment, with one
 * function for each. It reports all problems at once, never with the value of a secret. A secret `NAME` may
 * be given as `NAME_FILE`, the path of a file with it.
 */

/** Version of the program. A test compares it with package.json. */
export const VERSION = '0.1.0';

const PROCESS_SOURCE: Source = {
  get environment() {
    return process.env;
  },
  readText: (path) => readFileSync(path, 'utf8'),
};

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;

export function operatorConfig(source: Source = PROCESS_SOURCE): Configured<OperatorConfig> {
  const read = new Reader(source);
  const common = processConfig(read);
  const host = read.optional('MILLRACE_DATABASE_HOST');
  return read.finish({
    ...common,
    database: host === undefined ? { kind: 'given', ...databaseConfig(read) } : { kind: 'own', host },
    cluster: clusterConfig(read),
    image: read.required('MILLRACE_IMAGE', 'the image of Millrace'),
    imagePullPolicy: read.oneOf('MILLRACE_IMAGE_PULL_POLICY', PULL_POLICIES, 'IfNotPresent'),
    pods: {
      imagePullPolicy: read.oneOf('MILLRACE_POD_IMAGE_PULL_POLICY', PULL_POLICIES, 'Always'),
      storage: {
        ...read.amount('request', 'MILLRACE_POD_STORAGE_REQUEST'),
        ...read.amount('limit', 'MILLRACE_POD_STORAGE_LIMIT'),
      },
      userNamespaces: read.oneOf('MILLRACE_POD_USER_NAMESPACES', USER_NAMESPACE_SETTINGS, 'never'),
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

/** Returns a source in which flags of the command line replace their environment variables. */
export function withFlags(flags: GatewayFlags, source: Source = PROCESS_SOURCE): Source {
  const { sessionLifetime, sessionIdleTimeout, externalUrl } = flags;
  const variablesOfFlags = defined({
    MILLRACE_SESSION_LIFETIME: sessionLifetime,
    MILLRACE_SESSION_IDLE_TIMEOUT: sessionIdleTimeout,
    MILLRACE_EXTERNAL_URL: externalUrl,
  });
  return {
    environment: { ...source.environment, ...variablesOfFlags },
    readText: (path) => source.readText(path),
  };
}

function webhookConfig(read: Reader): WebhookConfig | undefined {
  const certificate = read.oneOf('MILLRACE_WEBHOOK_CERTIFICATE', ['own', 'cert-manager'], 'own');
  if (read.optional('MILLRACE_WEBHOOK_LISTEN') === undefined) return undefined;
  return { listen: read.address('MILLRACE_WEBHOOK_LISTEN', '0.0.0.0:10250'), certificate };
}

export function publicGatewayConfig(source: Source = PROCESS_SOURCE): Configured<PublicGatewayConfig> {
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
    oauthSecretsDirectories: read.list('MILLRACE_OAUTH_SECRETS_DIR'),
    cluster:
      (read.optional('KUBERNETES_SERVICE_HOST') ?? read.optional('KUBECONFIG'))
        ? clusterConfig(read)
        : undefined,
    oauthAllowedRanges: read.ranges('MILLRACE_OAUTH_ALLOWED_RANGES'),
    trustedProxies: read.ranges('MILLRACE_TRUSTED_PROXIES'),
    storeKeysDirectory: read.optional('MILLRACE_STORE_KEYS_DIR'),
  });
}

export function internalGatewayConfig(source: Source = PROCESS_SOURCE): Configured<InternalGatewayConfig> {
  const read = new Reader(source);
  return read.finish({
    role: 'internal',
    ...gatewayConfig(read, '0.0.0.0:8443'),
    agentKey: read.key('agent'),
    tlsDirectory: read.required('MILLRACE_TLS_DIR', 'the directory with tls.crt and tls.key'),
    logLimitBytes: bytesOf(read.amount('limit', 'MILLRACE_BUILD_LOG_LIMIT').limit ?? '') ?? DEFAULT_LOG_BYTES,
    vaultAllowedRanges: read.ranges('MILLRACE_VAULT_ALLOWED_RANGES'),
    storeKeysDirectory: read.optional('MILLRACE_STORE_KEYS_DIR'),
    cluster: clusterConfig(read),
    imageRegistries: {
      allowedRanges: read.ranges('MILLRACE_IMAGE_REGISTRIES_ALLOWED_RANGES'),
      plainHttp: read.hosts('MILLRACE_IMAGE_REGISTRIES_PLAIN_HTTP'),
    },
  });
}

export function clientConfig(source: Source = PROCESS_SOURCE): Configured<ClientConfig> {
  const read = new Reader(source);
  const [proxy, noProxy] = ['https_proxy', 'no_proxy'].map(
    (name) => read.optional(name) ?? read.optional(name.toUpperCase()),
  );
  const home = read.optional('XDG_CONFIG_HOME');
  return read.finish({
    url: read.url('MILLRACE_URL', ['https:', 'http:'], true),
    token: read.secret('MILLRACE_TOKEN'),
    caFile: read.optional('MILLRACE_CA_FILE'),
    // The XDG specification says to ignore relative paths.
    directory: join(home !== undefined && isAbsolute(home) ? home : join(homedir(), '.config'), 'millrace'),
    proxy: defined({ https_proxy: proxy, no_proxy: noProxy }),
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
    release: read.required('MILLRACE_RELEASE', 'the name of the release'),
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

/** How to reach the API server. Kubernetes sets the two variables `KUBERNETES_…` in every Pod. */
function clusterConfig(read: Reader): ClusterConfig {
  const host = read.optional('KUBERNETES_SERVICE_HOST');
  if (host === undefined) return { kind: 'kubeconfig', file: read.optional('KUBECONFIG') };
  return { kind: 'in-cluster', host, port: read.optional('KUBERNETES_SERVICE_PORT') ?? '443' };
}
