import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { defined } from '#defined';

/**
 * How to reach one API server: address, transport and credentials. Watches have their own connection pool, so
 * other requests do not wait for them.
 */
export interface Connection {
  server: string;
  requests: Dispatcher;
  watches: Dispatcher;
  /** Authorization headers. Called for each request, because credentials expire and are renewed. */
  authorization(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_CACHE_MS = 30_000;
const REQUEST_CONNECTIONS = 32;
/**
 * Shorter than the API server's idle limit of 90 s, so the client closes an idle connection before the server
 * does.
 */
const KEEP_ALIVE_MS = 60_000;

/**
 * The connection of a Pod, with its service account token and the CA of the cluster. The kubelet renews both
 * files, so a request reads the token again if it is older than 30 seconds, and each new connection reads the
 * CA.
 */
export function inClusterConnection(
  address: { host: string; port: string },
  folder = SERVICE_ACCOUNT,
): Connection {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  let token = { text: '', readAt: -Infinity };
  return {
    server: `https://${host}:${address.port}`,
    ...pools(() => ({ ca: readFileSync(`${folder}/ca.crt`) })),
    authorization: async () => {
      if (performance.now() - token.readAt > TOKEN_CACHE_MS) {
        token = { text: (await readFile(`${folder}/token`, 'utf8')).trim(), readAt: performance.now() };
      }
      return { authorization: `Bearer ${token.text}` };
    },
  };
}

/**
 * The connection of a kubeconfig file, with the authentication methods of client-node that use a header, or a
 * client certificate in PEM. If `file` is undefined, client-node looks for the configuration in its default
 * places. The import of client-node is dynamic, because an operator in a cluster does not need it and saves
 * its memory (docs/adr/0043).
 */
export async function kubeconfigConnection(file: string | undefined): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (file === undefined) config.loadFromDefault();
  else config.loadFromFile(file);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`The kubeconfig ${file ?? '(default)'} names no current cluster.`);
  const options: { ca?: unknown; cert?: unknown; key?: unknown; headers?: unknown } = {};
  await config.applyToHTTPSOptions(options);
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    ...pools(() => ({
      ...pem('ca', options.ca),
      ...pem('cert', options.cert),
      ...pem('key', options.key),
      ...defined({ servername: cluster.tlsServerName }),
      rejectUnauthorized: !cluster.skipTLSVerify,
    })),
    authorization: async () => {
      const fresh: { headers?: unknown } = {};
      await config.applyToHTTPSOptions(fresh);
      return stringHeaders(fresh.headers);
    },
  };
}

function pools(tls: () => buildConnector.BuildOptions): Pick<Connection, 'requests' | 'watches' | 'close'> {
  const connect: buildConnector.connector = (options, callback) => {
    buildConnector({ timeout: 10_000, keepAlive: true, allowH2: false, ...tls() })(options, callback);
  };
  const requests = new Agent({
    connect,
    allowH2: false,
    connections: REQUEST_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  const watches = new Agent({
    connect,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 30_000,
    bodyTimeout: 0,
  });
  return {
    requests,
    watches,
    close: async () => {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

function pem(name: 'ca' | 'cert' | 'key', value: unknown): buildConnector.BuildOptions {
  return typeof value === 'string' || Buffer.isBuffer(value) ? { [name]: value } : {};
}

function stringHeaders(headers: unknown): Record<string, string> {
  const result: Record<string, string> = {};
  if (typeof headers !== 'object' || headers === null) return result;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') result[name.toLowerCase()] = value;
  }
  return result;
}
