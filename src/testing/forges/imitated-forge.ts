import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ForgeUnderTest, ForgeUser } from './forge-under-test.ts';
import {
  findRoute,
  judgeHeaders,
  judgeQuery,
  refusal,
  type ForgeAnswer,
  type FoundRoute,
  type ImitatedApi,
} from './imitated-api.ts';
import { ImitatedRepository } from './imitated-repository.ts';
import { readBytes } from './read-body.ts';
import { serveGit } from './serve-git.ts';

/**
 * Ticks start here. They serve as dates of commits in seconds: each commit has a later date than the ones
 * before it, and all dates are long ago.
 */
const FIRST_TICK = 1_600_000_000;

/** Starts a server with the API and the repositories of a forge that cannot run here. */
export async function startImitatedForge(api: ImitatedApi): Promise<ForgeUnderTest> {
  const forge = new ImitatedForge(api, await mkdtemp(join(tmpdir(), 'millrace-forge-')));
  await forge.listen();
  return forge;
}

class ImitatedForge implements ForgeUnderTest {
  readonly kind;
  readonly pageSize;
  readonly orderedAfterMs = 0;
  readonly owner: ForgeUser;
  address = '';
  readonly #api: ImitatedApi;
  readonly #folder: string;
  readonly #users: ForgeUser[] = [];
  readonly #repositories = new Map<string, ImitatedRepository>();
  readonly #server: Server;
  #misuse: string[] = [];
  #ticks = FIRST_TICK;

  constructor(api: ImitatedApi, folder: string) {
    this.#api = api;
    this.#folder = folder;
    this.kind = api.kind;
    this.pageSize = api.pageSize;
    this.owner = this.#user('owner');
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#misuse.push(`the server failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.address = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  createUser(name: string): Promise<ForgeUser> {
    return Promise.resolve(this.#user(name));
  }

  async createRepository(
    name: string,
    { owner = this.owner, private: isPrivate = false }: { owner?: ForgeUser; private?: boolean } = {},
  ): Promise<ImitatedRepository> {
    const host = {
      address: this.address,
      folder: this.#folder,
      requestRef: this.#api.requestRef,
      tick: () => (this.#ticks += 1),
      add: (repository: ImitatedRepository) => void this.#repositories.set(repository.path, repository),
    };
    return await new ImitatedRepository(host, owner, { name, private: isPrivate }).create();
  }

  misuse(): string[] {
    const problems = this.#misuse;
    this.#misuse = [];
    return problems;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #user(name: string): ForgeUser {
    const user = { name, token: `token-of-${name}` };
    this.#users.push(user);
    return user;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.address);
    if (!url.pathname.startsWith('/api/')) return await this.#serveGit(url, request, response);
    const text = (await readBytes(request)).toString();
    const { status, headers, body } = await this.#answer(url, request, text);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  async #serveGit(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [owner = '', name = ''] = url.pathname.slice(1).split('/');
    const repository = this.#repositories.get(`${owner}/${name.replace('.git', '')}`);
    const user = this.#userOf(request.headers.authorization ?? '');
    const pushes = url.href.includes('git-receive-pack');
    if (repository === undefined) response.writeHead(404).end();
    else if ((repository.private || pushes) && user !== repository.owner)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
    else {
      await repository.refreshRequests();
      await serveGit(request, response, { folder: this.#folder, user: user?.name ?? '' });
    }
  }

  /** The user whose token git sends as the password. */
  #userOf(authorization: string): ForgeUser | undefined {
    const basic = authorization.replace('Basic ', '');
    const password = Buffer.from(basic, 'base64').toString().split(':')[1];
    return this.#users.find(({ token }) => token === password);
  }

  async #answer(url: URL, request: IncomingMessage, text: string): Promise<ForgeAnswer> {
    const { method = '', headers } = request;
    const recordMisuse = (problem: ForgeAnswer): ForgeAnswer => {
      this.#misuse.push(`${method} ${url.pathname}${url.search}: ${JSON.stringify(problem.body)}`);
      return problem;
    };
    const { root, tokenHeader, tokenHeaderValue } = this.#api;
    if (!url.pathname.startsWith(`${root}/`)) return recordMisuse(refusal(404, `the API is at ${root}`));
    const match = findRoute(this.#api, method, url.pathname.slice(root.length));
    if (!('route' in match)) return recordMisuse(match);
    const sentToken = headers[tokenHeader];
    if (sentToken === undefined) return recordMisuse(refusal(401, `there is no header ${tokenHeader}`));
    const headerProblem = judgeHeaders(match.route, headers);
    if (headerProblem !== undefined) return recordMisuse(headerProblem);
    const queryProblem = judgeQuery(match.route, url.searchParams);
    if (queryProblem !== undefined) return recordMisuse(refusal(400, queryProblem));
    const user = this.#users.find(({ token }) => tokenHeaderValue(token) === sentToken);
    if (user === undefined) return refusal(401, `the header ${tokenHeader} has no token of a user`);
    return await this.#answerUser(user, { url, text }, match);
  }

  /** Answers a known user. Only the owner of a private repository learns that it exists. */
  async #answerUser(
    user: ForgeUser,
    { url, text }: { url: URL; text: string },
    { route, path, sha }: FoundRoute,
  ): Promise<ForgeAnswer> {
    const repository = this.#repositories.get(path);
    if (repository === undefined || (repository.private && user !== repository.owner))
      return refusal(404, `no repository ${path}`);
    if (route.method !== 'GET' && user !== repository.owner) return refusal(403, 'only its owner may');
    return await route.answer({ url, repository, sha, body: text === '' ? {} : JSON.parse(text) });
  }
}
