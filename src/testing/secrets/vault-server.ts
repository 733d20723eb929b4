import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface TestVault {
  address: string;
  /** `<method> <path>` of each request, without `/v1/`. */
  requests: string[];
  /** Tokens that this Vault accepts. */
  tokens: Set<string>;
  sealed: boolean;
  /** Mount → version of its kv engine, or the name of another engine. */
  mounts: Record<string, '1' | '2' | 'pki'>;
  /** `<mount><path>` → members. */
  secrets: Record<string, Record<string, unknown>>;
  /** The namespace that requests must name. Empty: they must name none. */
  namespace: string;
  /** By mount of a login method: a function that says whether the body of a login is right. */
  logins: Record<string, (body: Record<string, unknown>) => boolean>;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  body?: unknown;
}

const errorReply = (status: number, ...errors: string[]): Reply => ({ status, body: { errors } });

/** A server with the part of Vault's HTTP API that Millrace uses. It refuses all other requests. */
export async function startVault(): Promise<TestVault> {
  const server = createServer((request, response) => {
    void respond(vault, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const vault: TestVault = {
    address: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    requests: [],
    tokens: new Set(['root']),
    sealed: false,
    mounts: { 'kv/': '1', 'secret/': '2', 'teams/blue/': '2', 'pki/': 'pki' },
    secrets: {},
    namespace: '',
    logins: {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vault;
}

async function respond(vault: TestVault, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const { status, body } = answer(vault, request, Buffer.concat(chunks).toString());
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function answer(vault: TestVault, request: IncomingMessage, text: string): Reply {
  const { method = '', url = '' } = request;
  if (!url.startsWith('/v1/') || url.includes('//') || url.includes('?')) return errorReply(404);
  const path = url.slice('/v1/'.length).split('/').map(decodeURIComponent).join('/');
  vault.requests.push(`${method} ${path}`);
  const refusal = refusalOf(vault, request);
  if (refusal !== undefined) return refusal;
  const login = /^auth\/(?<mount>.+)\/login$/.exec(path)?.groups?.['mount'];
  return login === undefined ? authorized(vault, request, path) : logIn(vault, login, request, text);
}

function refusalOf({ sealed, namespace }: TestVault, { headers }: IncomingMessage): Reply | undefined {
  if (headers['x-vault-request'] !== 'true') return errorReply(412, 'missing X-Vault-Request');
  if (sealed) return errorReply(503, 'Vault is sealed');
  const requestNamespace = headers['x-vault-namespace'] ?? '';
  return requestNamespace === namespace ? undefined : errorReply(404, 'no such namespace');
}

function authorized(vault: TestVault, { method, headers }: IncomingMessage, path: string): Reply {
  const token = (headers.authorization ?? '').replace(/^Bearer /, '');
  if (!vault.tokens.has(token)) return errorReply(403, 'permission denied');
  if (path === 'auth/token/revoke-self') {
    if (method !== 'POST') return errorReply(405, 'unsupported operation');
    vault.tokens.delete(token);
    return { status: 204 };
  }
  if (method !== 'GET') return errorReply(405, 'unsupported operation');
  const mounts = 'sys/internal/ui/mounts/';
  return path.startsWith(mounts) ? findMount(vault, path.slice(mounts.length)) : readSecret(vault, path);
}

function logIn(vault: TestVault, mount: string, request: IncomingMessage, text: string): Reply {
  if (request.method !== 'POST') return errorReply(405, 'unsupported operation');
  if (request.headers['content-type'] !== 'application/json') return errorReply(400, 'error parsing JSON');
  const body: unknown = JSON.parse(text);
  const isRight = vault.logins[mount];
  if (isRight === undefined) return errorReply(403, 'permission denied');
  if (typeof body !== 'object' || body === null || !isRight({ ...body }))
    return errorReply(400, 'invalid credentials');
  const token = `hvs.${randomUUID()}`;
  vault.tokens.add(token);
  return { status: 200, body: { data: null, auth: { client_token: token, renewable: true } } };
}

function mountOf({ mounts }: TestVault, path: string): [string, string] | undefined {
  return Object.entries(mounts).find(([mount]) => path.startsWith(mount));
}

function findMount(vault: TestVault, path: string): Reply {
  const mountAndKind = mountOf(vault, `${path}/`);
  if (mountAndKind === undefined)
    return errorReply(403, `preflight capability check returned 403 for ${path}`);
  const [mount, kind] = mountAndKind;
  const engine = kind === 'pki' ? { type: 'pki', options: null } : { type: 'kv', options: { version: kind } };
  return { status: 200, body: { data: { path: mount, ...engine } } };
}

function readSecret(vault: TestVault, path: string): Reply {
  const mountAndKind = mountOf(vault, path);
  if (mountAndKind === undefined) return errorReply(404);
  const [mount, kind] = mountAndKind;
  if (kind === '1') {
    const data = vault.secrets[path];
    return data === undefined ? errorReply(404) : { status: 200, body: { data, lease_duration: 2_764_800 } };
  }
  if (!path.startsWith(`${mount}data/`))
    return errorReply(404, 'Invalid path for a versioned K/V secrets engine');
  const data = vault.secrets[path.replace(`${mount}data/`, mount)];
  if (data === undefined) return errorReply(404);
  return { status: 200, body: { data: { data, metadata: { version: 1, destroyed: false } } } };
}
