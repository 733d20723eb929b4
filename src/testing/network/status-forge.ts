import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/*
 * The endpoints for commit statuses of GitHub Enterprise, GitLab and Gitea or Forgejo, as strict as their public API
 * documents: method, path, headers, the fields of the body and their limits.
 */
type Body = Readonly<Record<string, unknown>>;

interface Api {
  path: RegExp;
  /** Header with the token. */
  token: string;
  spelled: (token: string) => string;
  accept: string;
  states: readonly string[];
  open: readonly string[];
  /** Field of the status' name. */
  name: string;
  longest: number;
}

const gitea: Api = {
  path: /^\/api\/v1\/repos\/o\/r\/statuses\/(?<sha>[0-9a-f]{40})$/,
  token: 'authorization',
  spelled: (token) => `token ${token}`,
  accept: 'application/json',
  states: ['pending', 'success', 'error', 'failure', 'warning'],
  open: ['pending'],
  name: 'context',
  longest: 255,
};
const APIS = {
  github: {
    ...gitea,
    path: /^\/api\/v3\/repos\/o\/r\/statuses\/(?<sha>[0-9a-f]{40})$/,
    accept: 'application/vnd.github+json',
    states: ['pending', 'success', 'error', 'failure'],
    longest: 140,
  },
  gitlab: {
    ...gitea,
    path: /^\/api\/v4\/projects\/o%2Fr\/statuses\/(?<sha>[0-9a-f]{40})$/,
    token: 'private-token',
    spelled: (token) => token,
    states: ['pending', 'running', 'success', 'failed', 'canceled'],
    open: ['pending', 'running'],
    name: 'name',
  },
  gitea,
  forgejo: gitea,
} satisfies Record<string, Api>;

export type Provider = keyof typeof APIS;

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
  /** Answers for the next requests, before any is accepted. */
  faults: number[] = [];
  url = '';
  readonly #api: Api;
  readonly #token: string;
  readonly #server: Server;

  constructor(provider: Provider, token: string) {
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

  /** Names of statuses that were left open, by their last state. */
  leftOpen(): string[] {
    const last = new Map(this.seen.map(({ sha, name, state }) => [`${name} ${sha}`, state]));
    return [...last].filter(([, state]) => this.#api.open.includes(state)).map(([name]) => name);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, message] = this.#answer(request, await textOf(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
  }

  #answer({ method, url = '', headers }: IncomingMessage, text: string): [status: number, message: string] {
    const fault = this.faults.shift();
    if (fault !== undefined) return [fault, 'try later'];
    const { path, token, spelled } = this.#api;
    const sha = path.exec(url)?.groups?.['sha'];
    if (method !== 'POST' || sha === undefined) return [404, `no ${method} ${url}`];
    if (headers[token] !== spelled(this.#token)) return [401, 'bad token'];
    if (!this.#isJson(headers)) return [415, 'headers'];
    const status = readStatus(JSON.parse(text), this.#api);
    return typeof status === 'string' ? [422, status] : this.#take({ sha, ...status });
  }

  #isJson({ accept, 'content-type': type, 'user-agent': agent }: IncomingHttpHeaders): boolean {
    return accept === this.#api.accept && type === 'application/json' && agent !== undefined;
  }

  #take(status: SeenStatus): [status: number, message: string] {
    const { sha, name, state } = status;
    const before = this.seen.findLast((one) => one.sha === sha && one.name === name);
    if (this.#api === APIS.gitlab && before?.state === state && this.#api.open.includes(state))
      return [400, `Cannot transition status via :enqueue from :${state}`];
    this.seen.push(status);
    return [201, 'created'];
  }
}

/** A text says which field is wrong. */
function readStatus(body: Body, { states, name, longest }: Api): Omit<SeenStatus, 'sha'> | string {
  const known = ['state', 'description', 'target_url', name];
  const surplus = Object.keys(body).filter((key) => !known.includes(key));
  if (surplus.length > 0) return surplus.join(', ');
  const [state, context, description] = ['state', name, 'description'].map((key) => body[key]);
  if (typeof state !== 'string' || !states.includes(state)) return 'state';
  if (typeof context !== 'string' || context.length > 255) return name;
  if (typeof description !== 'string' || description.length > longest) return 'description';
  const status = { name: context, state, description };
  return body['target_url'] === undefined ? status : withTarget(status, body['target_url']);
}

function withTarget(status: Omit<SeenStatus, 'sha'>, target: unknown): Omit<SeenStatus, 'sha'> | string {
  return typeof target === 'string' && URL.canParse(target) ? { ...status, target } : 'target_url';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
