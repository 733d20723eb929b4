import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { craneBinary } from '#tools/images/push.ts';

interface Rules {
  /** How clients log in. `token`: with tokens for one repository and its actions. */
  login?: 'basic' | 'token';
  credential?: { username: string; password: string };
  /** Sent instead of the right challenge. `HOST` in it becomes the host. */
  challenge?: string;
  /** The number of tags on a page. */
  pageSize?: number;
  /** If set, the response to every request except those for tokens, instead of the registry's response. */
  fails?: { status: number; headers?: Record<string, string>; body?: string };
}

/**
 * The registry of go-containerregistry, which has no login, behind a server that can require one. A token is
 * for one repository and for `pull` or `pull,push`; only the latter can write.
 */
export class RegistryProcess {
  /** Host and port of the registry itself, which has no login. Tests use it to prepare and verify images. */
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
    server.on('request', (incoming, outgoing) => this.#answer(incoming, outgoing));
  }

  /** `address` is where clients with a login reach it. */
  static async start(address = { address: '127.0.0.1', port: 0 }): Promise<RegistryProcess> {
    const child = spawn(await craneBinary(), ['registry', 'serve', '--address', '127.0.0.1:0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const port = await new Promise<string>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        const listeningPort = /serving on port (\d+)/.exec(text)?.[1];
        if (listeningPort !== undefined) resolve(listeningPort);
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

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = new URL(incoming.url ?? '', `http://${this.host}`);
    if (url.pathname === '/token') return this.#token(incoming, outgoing, url.searchParams);
    const at = url.pathname.search(/\/(?:manifests|blobs|tags)\//);
    const repository = url.pathname.slice('/v2/'.length, at);
    const path = url.pathname.slice(at + 1);
    this.requests.push(`${incoming.method} ${path}`);
    const { fails, pageSize } = this.rules;
    if (fails) {
      outgoing.writeHead(fails.status, fails.headers).end(fails.body);
      return;
    }
    const access =
      incoming.method === 'GET' || incoming.method === 'HEAD' ? ['pull', 'pull,push'] : ['pull,push'];
    if (!this.#isLoggedIn(incoming, repository, access)) return this.#challenge(outgoing, repository);
    if (path === 'tags/list' && pageSize !== undefined) return void this.#tags(outgoing, url, pageSize);
    this.#forward(incoming, outgoing);
  }

  #isLoggedIn({ headers }: IncomingMessage, repository: string, access: readonly string[]): boolean {
    const { login, credential } = this.rules;
    if (login === undefined) return headers.authorization === undefined;
    if (login === 'basic') return credential !== undefined && headers.authorization === basic(credential);
    return access.some((actions) => headers.authorization === `Bearer ${tokenFor(repository, actions)}`);
  }

  #challenge(outgoing: ServerResponse, repository: string): void {
    const bearer = `Bearer realm="http://${this.host}/token",service="registry.test",scope="repository:${repository}:pull"`;
    const rightChallenge = this.rules.login === 'basic' ? 'Basic realm="registry.test"' : bearer;
    outgoing.setHeader(
      'www-authenticate',
      this.rules.challenge?.replace('HOST', this.host) ?? rightChallenge,
    );
    refuse(outgoing, 401, 'authentication required');
  }

  #token(incoming: IncomingMessage, outgoing: ServerResponse, parameters: URLSearchParams): void {
    this.requests.push(`TOKEN ${parameters.get('scope')}`);
    const { credential } = this.rules;
    const [, repository, actions] =
      /^repository:([^:]+):(pull|pull,push)$/.exec(parameters.get('scope') ?? '') ?? [];
    if (parameters.get('service') !== 'registry.test' || repository === undefined)
      return refuse(outgoing, 400, 'no such service or scope');
    const { authorization } = incoming.headers;
    if (authorization !== (credential && basic(credential))) return refuse(outgoing, 401, 'wrong password');
    outgoing.end(JSON.stringify({ token: tokenFor(repository, actions ?? '') }));
  }

  async #tags(outgoing: ServerResponse, url: URL, pageSize: number): Promise<void> {
    const response = await fetch(`http://${this.open}${url.pathname}`);
    const { name, tags }: { name: string; tags: string[] } = JSON.parse(await response.text());
    const after = url.searchParams.get('last');
    const from = after === null ? 0 : tags.indexOf(after) + 1;
    const page = tags.slice(from, from + pageSize);
    if (from + pageSize < tags.length)
      outgoing.setHeader('link', `<${url.pathname}?n=${pageSize}&last=${page.at(-1)}>; rel="next"`);
    outgoing.end(JSON.stringify({ name, tags: page }));
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { authorization: _, host: __, ...headers } = incoming.headers;
    const options = { method: incoming.method, headers: { ...headers, host: this.host } };
    const forwarded = request(`http://${this.open}${incoming.url}`, options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  }
}

const tokenFor = (repository: string, actions: string): string =>
  Buffer.from(`${actions} ${repository}`).toString('base64url');

const basic = ({ username, password }: { username: string; password: string }): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const refuse = (outgoing: ServerResponse, status: number, message: string): void =>
  void outgoing.writeHead(status).end(JSON.stringify({ errors: [{ message }] }));

function hostOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address ? `${address.address}:${address.port}` : '';
}
