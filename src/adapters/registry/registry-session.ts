import { defined } from '#defined';
import { readAuthChallenge, type AuthChallenge } from './auth-challenge.ts';
import { isLoopbackRegistry, type ImageName } from './image-name.ts';
import type { PullCredential } from './pull-credentials.ts';

export interface RegistryRequest {
  method: 'GET' | 'HEAD';
  headers: Readonly<Record<string, string>>;
  allowHttp: boolean;
  maxBytes: number;
  signal: AbortSignal;
}

/** `transient`: a later attempt may succeed. */
interface RegistryFailure {
  failure: string;
  transient: boolean;
}

export type RegistryResponse =
  | { status: number; headers: Readonly<Record<string, string>>; bytes: Buffer }
  | RegistryFailure;

export interface RegistryAccess {
  /** Must refuse internal addresses, because users choose the URLs. Must never reject. */
  send(url: string, request: RegistryRequest): Promise<RegistryResponse>;
  /** Hosts, with ports, that use plain HTTP. */
  plainHttp: readonly string[];
  signal: AbortSignal;
}

export interface RegistryRead {
  /** The path after the name of the repository: `manifests/latest`. */
  path: string;
  method?: 'GET' | 'HEAD';
  accept: string;
  maxBytes: number;
}

const MAX_TOKEN_BYTES = 256 * 1024;

/** Sends requests for one repository, with one credential or without. Logs in if the registry requires it. */
export class RegistrySession {
  readonly #image: ImageName;
  readonly #credential: PullCredential | undefined;
  readonly #access: RegistryAccess;
  readonly #usesHttp: boolean;
  #authorization: string | undefined;

  constructor(image: ImageName, credential: PullCredential | undefined, access: RegistryAccess) {
    this.#image = image;
    this.#credential = credential;
    this.#access = access;
    this.#usesHttp = access.plainHttp.includes(image.host) || isLoopbackRegistry(image.host);
  }

  /**
   * Returns the response, whatever its status. If it is 401 and this session has not logged in yet, logs in
   * and sends the request again.
   */
  async read(request: RegistryRead): Promise<RegistryResponse> {
    const answer = await this.#send(request);
    if ('failure' in answer || answer.status !== 401 || this.#authorization !== undefined) return answer;
    const challenge = readAuthChallenge(answer.headers['www-authenticate']);
    const authorization = challenge && (await this.#logIn(challenge));
    if (authorization === undefined) return answer;
    if (typeof authorization !== 'string') return authorization;
    this.#authorization = authorization;
    return await this.#send(request);
  }

  async #send({ path, method = 'GET', accept, maxBytes }: RegistryRead): Promise<RegistryResponse> {
    const { host, repository } = this.#image;
    const authorization = this.#authorization;
    const headers = { accept, ...defined({ authorization }) };
    const url = `${this.#usesHttp ? 'http' : 'https'}://${host}/v2/${repository}/${path}`;
    return await this.#request(url, { method, headers, maxBytes });
  }

  /**
   * Returns the value of the header `authorization` for further requests, or the response that made the login
   * fail. Returns undefined if the challenge needs a credential and there is none.
   */
  async #logIn(challenge: AuthChallenge): Promise<string | RegistryResponse | undefined> {
    if (challenge.scheme === 'basic') return this.#basicAuthorization();
    const url = tokenUrl(challenge, this.#image);
    if (url === undefined) return { failure: 'it names no valid URL for its tokens', transient: false };
    const authorization = this.#basicAuthorization();
    const headers = { accept: 'application/json', ...defined({ authorization }) };
    const answer = await this.#request(url, { method: 'GET', headers, maxBytes: MAX_TOKEN_BYTES });
    if ('failure' in answer || answer.status !== 200) return answer;
    const token = tokenIn(answer.bytes);
    return token === undefined ? { failure: 'its login gives no token', transient: true } : `Bearer ${token}`;
  }

  async #request(
    url: string,
    request: Pick<RegistryRequest, 'method' | 'headers' | 'maxBytes'>,
  ): Promise<RegistryResponse> {
    const { signal } = this.#access;
    return await this.#access.send(url, { ...request, allowHttp: this.#usesHttp, signal });
  }

  #basicAuthorization(): string | undefined {
    if (this.#credential === undefined) return undefined;
    const { username, password } = this.#credential;
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
}

function tokenUrl(
  { realm, service, scope }: AuthChallenge & { scheme: 'bearer' },
  { repository }: ImageName,
): string | undefined {
  if (!URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', scope ?? `repository:${repository}:pull`);
  return url.href;
}

function tokenIn(bytes: Buffer): string | undefined {
  const parsed = parseJson(bytes);
  const tokens = [parsed['token'], parsed['access_token']];
  return tokens.find((token): token is string => typeof token === 'string' && /^[\x21-\x7e]+$/.test(token));
}

/** Returns an empty object for anything that is not a JSON object. */
export function parseJson(bytes: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
