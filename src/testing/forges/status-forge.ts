import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { CommitStatus, ForgeKind } from './forge-under-test.ts';
import { isOpenState, readStatus, refusesTransition } from './status-body.ts';

/*
 * The endpoints for commit statuses of GitHub Enterprise, GitLab and Gitea or Forgejo, as strict as their
 * public API documents: method, path, headers, the fields of the body and their limits.
 */
interface StatusApi {
  path: RegExp;
  /** The name of the header with the token, and its value for a token. */
  tokenHeader: string;
  tokenHeaderValue: (token: string) => string;
  accept: string;
}

const gitea: StatusApi = {
  path: /^\/api\/v1\/repos\/o\/r\/statuses\/(?<sha>[0-9a-f]{40})$/,
  tokenHeader: 'authorization',
  tokenHeaderValue: (token) => `token ${token}`,
  accept: 'application/json',
};
const APIS = {
  github: {
    ...gitea,
    path: /^\/api\/v3\/repos\/o\/r\/statuses\/(?<sha>[0-9a-f]{40})$/,
    accept: 'application/vnd.github+json',
  },
  gitlab: {
    ...gitea,
    path: /^\/api\/v4\/projects\/o%2Fr\/statuses\/(?<sha>[0-9a-f]{40})$/,
    tokenHeader: 'private-token',
    tokenHeaderValue: (token) => token,
  },
  gitea,
  forgejo: gitea,
} satisfies Record<ForgeKind, StatusApi>;

export interface SeenStatus {
  sha: string;
  name: string;
  state: string;
  description: string;
  target?: string;
}

export class StatusForge {
  /** Every status that was accepted, in order. */
  readonly seen: SeenStatus[] = [];
  /** HTTP statuses for the next requests, one each. The forge refuses these requests. */
  faults: number[] = [];
  url = '';
  readonly #kind: ForgeKind;
  readonly #api: StatusApi;
  readonly #token: string;
  readonly #server: Server;

  constructor(provider: ForgeKind, token: string) {
    this.#kind = provider;
    this.#api = APIS[provider];
    this.#token = token;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/o/r`;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The statuses whose last state is open, each as `<name> <sha>`. */
  leftOpen(): string[] {
    const last = new Map(this.seen.map(({ sha, name, state }) => [`${name} ${sha}`, state]));
    return [...last].filter(([, state]) => isOpenState(state, this.#kind)).map(([name]) => name);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, message] = this.#answer(request, await textOf(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
  }

  #answer({ method, url = '', headers }: IncomingMessage, text: string): [status: number, message: string] {
    const fault = this.faults.shift();
    if (fault !== undefined) return [fault, 'try later'];
    const { path, tokenHeader, tokenHeaderValue } = this.#api;
    const sha = path.exec(url)?.groups?.['sha'];
    if (method !== 'POST' || sha === undefined) return [404, `no ${method} ${url}`];
    if (headers[tokenHeader] !== tokenHeaderValue(this.#token)) return [401, 'bad token'];
    if (!this.#isJson(headers)) return [415, 'headers'];
    const status = readStatus(JSON.parse(text), this.#kind);
    return typeof status === 'string' ? [422, status] : this.#addStatus(sha, status);
  }

  #isJson({ accept, 'content-type': type, 'user-agent': agent }: IncomingHttpHeaders): boolean {
    return accept === this.#api.accept && type === 'application/json' && agent !== undefined;
  }

  #addStatus(sha: string, read: CommitStatus): [status: number, message: string] {
    const { context: name, url: target, ...others } = read;
    const status = { sha, name, ...others, ...(target !== '' && { target }) };
    const { state } = status;
    const before = this.seen.findLast((earlier) => earlier.sha === sha && earlier.name === name);
    if (refusesTransition(this.#kind, before?.state, state))
      return [400, `Cannot transition status via :enqueue from :${state}`];
    this.seen.push(status);
    return [201, 'created'];
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
