import type { UserNamespaceSetting } from '#domain/planning/user-namespaces.ts';
import type { Address } from './config-reader.ts';

/*
 * The configuration that `config.ts` reads from environment and flags. The agent has its own:
 * `AgentEnvironment`.
 */

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface ProcessConfig {
  /** Namespace of the release. */
  namespace: string;
  podName: string;
  /** Name of the release, which is the prefix of the names of Millrace's Secrets and of its Lease. */
  release: string;
  logLevel: LogLevel;
  /** Address of the separate server for metrics and probes. */
  metricsListen: Address;
}

export interface DatabaseConfig {
  url: string;
  /** For LISTEN, which does not work through a transaction pooler. By default the same as `url`. */
  listenUrl: string;
  /** Authority of the server's certificate (PEM). Absent: the options in the URLs apply. */
  certificateAuthority?: string;
}

/** How to reach the API server: as a Pod, or by a kubeconfig file (undefined: the default one). */
export type ClusterConfig =
  | { kind: 'in-cluster'; host: string; port: string }
  | { kind: 'kubeconfig'; file: string | undefined };

export interface OperatorConfig extends ProcessConfig {
  /**
   * `own`: the chart's Postgres on `host`; the operator creates the Secret `<release>-database` and reads the
   * URL from it.
   */
  database: ({ kind: 'given' } & DatabaseConfig) | { kind: 'own'; host: string };
  cluster: ClusterConfig;
  image: string;
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Settings of the Pods of builds and checks. The pull policy applies to images with a tag. */
  pods: {
    imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    storage: { request?: string; limit?: string };
    userNamespaces: UserNamespaceSetting;
  };
  internalUrl: string;
  externalUrl: string | undefined;
  /**
   * `registry` serves `svc://` names that are not built in. Sources may be in `allowedRanges` besides public
   * addresses.
   */
  sources: { registry: string | undefined; allowedRanges: string[] };
  /** Limits of Teams whose spec.limits does not set them. Absent: unlimited. */
  defaultLimits: { runningBuilds?: number; runningChecks?: number; pipelines?: number; logBytes?: string };
  /** Undefined: the operator does not serve the admission webhook for Pipelines. */
  webhook: WebhookConfig | undefined;
}

export interface WebhookConfig {
  listen: Address;
  /**
   * `own`: the operator creates the certificate and configures the API server. `cert-manager`: cert-manager
   * does both.
   */
  certificate: 'own' | 'cert-manager';
  /** Time limit of one review, for tests whose API server waits longer than in the chart. */
  maxReviewMs?: number;
}

export interface GatewayConfig extends ProcessConfig {
  database: DatabaseConfig;
  listen: Address;
  externalUrl: string | undefined;
}

export interface PublicGatewayConfig extends GatewayConfig {
  role: 'public';
  /** Signs webhook tokens. */
  webhookKey: Buffer;
  tokensFile: string | undefined;
  /**
   * The Secret that `tokensFile` is mounted from, and the key in it. The API server may have a newer value.
   */
  tokensSecret: { name: string; key: string } | undefined;
  /** Signs the sessions of people. */
  sessionKey: Buffer;
  /** 0: sessions never end. */
  sessionSeconds: number;
  /** An unused session ends after this time. 0: never. */
  idleSeconds: number;
  /** Longest lifetime of an API token. 0: unlimited. */
  tokenMaxSeconds: number;
  /** Directories with client secrets for identity providers, one file each. */
  oauthSecretsDirectories: string[];
  /** The cluster in which the API creates objects. Undefined: this gateway creates none. */
  cluster: ClusterConfig | undefined;
  /** Address ranges allowed for identity providers besides public ones. */
  oauthAllowedRanges: string[];
  /** Proxies that may report a sender's address. */
  trustedProxies: string[];
  /** Directory with the key that encrypts stored secrets. Undefined: secrets cannot be stored. */
  storeKeysDirectory: string | undefined;
}

export interface InternalGatewayConfig extends GatewayConfig {
  role: 'internal';
  /** Signs agents' nonces. */
  agentKey: Buffer;
  tlsDirectory: string;
  /** Limit of the log of one attempt of a build. */
  logLimitBytes: number;
  /** Address ranges allowed for Vaults besides public ones. */
  vaultAllowedRanges: string[];
  /** Directory with the keys that decrypt stored secrets. */
  storeKeysDirectory: string | undefined;
  cluster: ClusterConfig;
  /**
   * For look-ups of entrypoints: registries may be in `allowedRanges` besides public addresses. `plainHttp`
   * lists the hosts that use plain HTTP.
   */
  imageRegistries: { allowedRanges: string[]; plainHttp: string[] };
}

/** Configuration of the command line as a client of a gateway. */
export interface ClientConfig {
  url: string | undefined;
  token: string | undefined;
  /** File with CA certificates to trust besides those of the machine. */
  caFile: string | undefined;
  /** Directory of the credentials file. */
  directory: string;
  /** Used for HTTPS only. */
  proxy: { https_proxy?: string; no_proxy?: string };
}

/** Flags of the command line. Each takes precedence over its environment variable. */
export interface GatewayFlags {
  sessionLifetime?: string;
  sessionIdleTimeout?: string;
  externalUrl?: string;
}
