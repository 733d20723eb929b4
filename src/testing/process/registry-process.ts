import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { craneBinary } from '#tools/images/push.ts';

interface Rules {
  /** How clients log in. `token`: with tokens for one repository and its actions. */
  login?: 'basic' | 'token';
  credential?: { username: string; password: string };
  /** Instead of the right challenge. */
  challenge?: string;
  /** Tags on a page. */
  pageSize?: number;
  /** Answers instead of the registry. */
  fails?: { status: number; headers?: Record<string, string>; body?: string };
}

/**
 * The registry of go-containerregistry, which has no login, behind a server that asks for one. That server accepts
 * exactly what it asked for: a token is for one repository and for `pull` or `pull,push`.
 */
export class RegistryProcess {
  /** The registry itself, for tools that prepare or verify. */
  readonly open: string;
  /** Host and port behind the login. */
  readonly host: string;
  rules: Rules = {};
  /** Requests in order: `HEAD manifests/1`, or `TOKEN` and its scope. */
  requests: string[] = [];
  readonly #process: ChildProcess;
  readonly #server: Server;

  private constructor(process: ChildProcess, server: Server, open: string) {
    this.#process = process;
    this.#server = server;
    this.open = open;
    this.host = hostOf(server);
    server.on('request', (asked, answer) => this.#answer(asked, answer));
  }

  /** `address` is where clients with a login reach it. */
  static async start(address = { address: '127.0.0.1', port: 0 }): Promise<RegistryProcess> {
    const child = spawn(await craneBinary(), ['registry', 'serve', '--address', '127.0.0.1:0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const port = await new Promise<string>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        const found = /serving on port (\d+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`the registry ended with ${code}`)));
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(address.port, address.address, resolve));
    return new RegistryProcess(child, server, `127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(asked: IncomingMessage, answer: ServerResponse): void {
    const url = new URL(asked.url ?? '', `http://${this.host}`);
    if (url.pathname === '/token') return this.#token(asked, answer, url.searchParams);
    const at = url.pathname.search(/\/(?:manifests|blobs|tags)\//);
    const [repository, path] = [url.pathname.slice('/v2/'.length, at), url.pathname.slice(at + 1)];
    this.requests.push(`${asked.method} ${path}`);
    const { fails, pageSize } = this.rules;
    if (fails) {
      answer.writeHead(fails.status, fails.headers).end(fails.body);
      return;
    }
    const access = asked.method === 'GET' || asked.method === 'HEAD' ? ['pull', 'pull,push'] : ['pull,push'];
    if (!this.#isLoggedIn(asked, repository, access)) return this.#challenge(answer, repository);
    if (path === 'tags/list' && pageSize !== undefined) return void this.#tags(answer, url, pageSize);
    this.#forward(asked, answer);
  }

  #isLoggedIn({ headers }: IncomingMessage, repository: string, access: readonly string[]): boolean {
    const { login, credential } = this.rules;
    if (login === undefined) return headers.authorization === undefined;
    if (login === 'basic') return credential !== undefined && headers.authorization === basic(credential);
    return access.some((actions) => headers.authorization === `Bearer ${tokenFor(repository, actions)}`);
  }

  #challenge(answer: ServerResponse, repository: string): void {
    const bearer = `Bearer realm="http://${this.host}/token",service="registry.test",scope="repository:${repository}:pull"`;
    const right = this.rules.login === 'basic' ? 'Basic realm="registry.test"' : bearer;
    answer.setHeader('www-authenticate', this.rules.challenge?.replace('HOST', this.host) ?? right);
    refuse(answer, 401, 'authentication required');
  }

  #token(asked: IncomingMessage, answer: ServerResponse, parameters: URLSearchParams): void {
    this.requests.push(`TOKEN ${parameters.get('scope')}`);
    const { credential } = this.rules;
    const [, repository, actions] =
      /^repository:([^:]+):(pull|pull,push)$/.exec(parameters.get('scope') ?? '') ?? [];
    if (parameters.get('service') !== 'registry.test' || repository === undefined)
      return refuse(answer, 400, 'no such service or scope');
    const { authorization } = asked.headers;
    if (authorization !== (credential && basic(credential))) return refuse(answer, 401, 'wrong password');
    answer.end(JSON.stringify({ token: tokenFor(repository, actions ?? '') }));
  }

  async #tags(answer: ServerResponse, url: URL, pageSize: number): Promise<void> {
    const response = await fetch(`http://${this.open}${url.pathname}`);
    const { name, tags }: { name: string; tags: string[] } = JSON.parse(await response.text());
    const after = url.searchParams.get('last');
    const from = after === null ? 0 : tags.indexOf(after) + 1;
    const page = tags.slice(from, from + pageSize);
    if (from + pageSize < tags.length)
      answer.setHeader('link', `<${url.pathname}?n=${pageSize}&last=${page.at(-1)}>; rel="next"`);
    answer.end(JSON.stringify({ name, tags: page }));
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const { authorization: _, host: __, ...headers } = asked.headers;
    const options = { method: asked.method, headers: { ...headers, host: this.host } };
    const forwarded = request(`http://${this.open}${asked.url}`, options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  }
}

const tokenFor = (repository: string, actions: string): string =>
  Buffer.from(`${actions} ${repository}`).toString('base64url');

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const refuse = (answer: ServerResponse, status: number, message: string): void =>
  void answer.writeHead(status).end(JSON.stringify({ errors: [{ message }] }));

function hostOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address ? `${address.address}:${address.port}` : '';
}
