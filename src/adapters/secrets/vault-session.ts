import { Type, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';

interface VaultRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  allowHttp: boolean;
  maxBytes: number;
  signal: AbortSignal;
}

type VaultResponse = { status: number; bytes: Buffer } | { failure: string; transient: boolean };

export interface VaultAccess {
  /** Must refuse internal addresses, because users choose the URLs. Must never reject. */
  send(url: string, request: VaultRequest): Promise<VaultResponse>;
  allowHttp: boolean;
  /** Limit of each request. */
  timeoutMs: number;
}

interface Fault {
  fault: string;
  transient: boolean;
}

interface Secret {
  data: Record<string, unknown>;
}

const MAX_BYTES = 2 * 1024 * 1024;

const Login = Type.Object({ auth: Type.Object({ client_token: Type.String({ minLength: 1 }) }) });
const Mount = Type.Object({
  data: Type.Object({
    path: Type.String({ minLength: 1 }),
    type: Type.String(),
    options: Type.Optional(Type.Union([Type.Null(), Type.Object({ version: Type.Optional(Type.String()) })])),
  }),
});
const Members = Type.Record(Type.String(), Type.Unknown());
const SecretV1 = Type.Object({ data: Members });
const SecretV2 = Type.Object({ data: Type.Object({ data: Type.Union([Members, Type.Null()]) }) });

/** Sends requests to one Vault with the configuration of one secret type. Logs in at most once. */
export class VaultSession {
  readonly #config: Readonly<Record<string, string>>;
  readonly #access: VaultAccess;
  #token: Promise<{ token: string } | Fault> | undefined;
  /** True if this session logged in to get its token. False if the configuration has the token. */
  #loggedIn = false;

  constructor(config: Readonly<Record<string, string>>, access: VaultAccess) {
    this.#config = config;
    this.#access = access;
  }

  /** Returns all members of a secret. `path` is `<mount>/<path>`, without the `data/` of version 2. */
  async read(path: string): Promise<Secret | Fault> {
    const segments = segmentsOf(path);
    if (segments.length < 2 || segments.some((segment) => segment === '.' || segment === '..'))
      return lastingFault('its path is not <mount>/<path of the secret>');
    const mount = await this.#get(
      `sys/internal/ui/mounts/${joinEncoded(segments)}`,
      Mount,
      'look for the mount',
    );
    if ('fault' in mount) return mount;
    const { path: prefix, type, options } = mount.body.data;
    if (type !== 'kv' && type !== 'generic') return lastingFault('its mount in Vault is not a kv engine');
    const mountSegments = segmentsOf(prefix);
    const secretSegments = segments.slice(mountSegments.length);
    if (secretSegments.length === 0)
      return lastingFault('its path names a mount of Vault, but no secret in it');
    return options?.version === '2'
      ? await this.#readV2(mountSegments, secretSegments)
      : await this.#readV1(segments);
  }

  async #readV1(path: readonly string[]): Promise<Secret | Fault> {
    const answer = await this.#get(joinEncoded(path), SecretV1, 'read the secret');
    return 'fault' in answer ? answer : { data: answer.body.data };
  }

  async #readV2(mount: readonly string[], path: readonly string[]): Promise<Secret | Fault> {
    const answer = await this.#get(joinEncoded([...mount, 'data', ...path]), SecretV2, 'read the secret');
    return 'fault' in answer ? answer : { data: answer.body.data.data ?? {} };
  }

  /** Revokes the token of a login. A failure is ignored, because the token expires anyway. */
  async close(): Promise<void> {
    if (!this.#loggedIn) return;
    const login = await this.#loginOnce();
    if ('token' in login) await this.#send('POST', 'auth/token/revoke-self', { token: login.token });
  }

  async #get<S extends TSchema>(
    path: string,
    schema: S,
    operation: string,
  ): Promise<{ body: Static<S> } | Fault> {
    const login = await this.#loginOnce();
    if ('fault' in login) return login;
    return checkAnswer(await this.#send('GET', path, login), schema, operation);
  }

  #loginOnce(): Promise<{ token: string } | Fault> {
    this.#token ??= this.#logIn();
    return this.#token;
  }

  async #logIn(): Promise<{ token: string } | Fault> {
    const { token = '', auth_path: path } = this.#config;
    if (token !== '') return { token: token.trim() };
    const { method, body } = loginOf(this.#config);
    const answer = await this.#send('POST', `auth/${joinEncoded(segmentsOf(path ?? method))}/login`, {
      body,
    });
    const login = checkAnswer(answer, Login, 'log in');
    if ('fault' in login) return login;
    this.#loggedIn = true;
    return { token: login.body.auth.client_token };
  }

  #send(method: 'GET' | 'POST', path: string, { token, body = {} }: { token?: string; body?: object }) {
    const { address = '', namespace = '' } = this.#config;
    const headers = {
      'x-vault-request': 'true',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(namespace !== '' && { 'x-vault-namespace': namespace }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    };
    const { allowHttp, timeoutMs } = this.#access;
    const signal = AbortSignal.timeout(timeoutMs);
    const requestWithoutBody = { method, headers, allowHttp, signal, maxBytes: MAX_BYTES };
    const request =
      method === 'POST' ? { ...requestWithoutBody, body: JSON.stringify(body) } : requestWithoutBody;
    return this.#access.send(`${withoutLastSlash(address)}/v1/${path}`, request);
  }
}

function loginOf(config: Readonly<Record<string, string>>): { method: string; body: object } {
  const { role_id: roleId = '', secret_id: secretId = '', role = '', jwt = '' } = config;
  if (roleId === '') return { method: 'jwt', body: { role, jwt: jwt.trim() } };
  return { method: 'approle', body: { role_id: roleId, secret_id: secretId } };
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
const lastingFault = (fault: string): Fault => ({ fault, transient: false });
const joinEncoded = (segments: readonly string[]): string => segments.map(encodeURIComponent).join('/');

/**
 * Checks the status and the form of an answer. Error texts of Vault are not passed on, because they may quote
 * a secret path.
 */
function checkAnswer<S extends TSchema>(
  answer: VaultResponse,
  schema: S,
  operation: string,
): { body: Static<S> } | Fault {
  if ('failure' in answer)
    return { fault: `Vault could not ${operation}: ${answer.failure}`, transient: answer.transient };
  const { status, bytes } = answer;
  if (status !== 200) {
    const transient = status === 429 || status >= 500;
    return {
      fault: `Vault did not ${operation}: ${STATUS_TEXTS[status] ?? 'unexpected status'} (${status})`,
      transient,
    };
  }
  const body = jsonOf(bytes);
  return Check(schema, body) ? { body } : lastingFault(`Vault did not ${operation}: its answer is malformed`);
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'it refused the request',
  403: 'permission denied',
  404: 'there is nothing at the path',
  429: 'too many requests',
  503: 'it is sealed or in maintenance',
};

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function withoutLastSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}
