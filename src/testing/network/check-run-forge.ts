import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** The fields of a check run that the tests look at. */
interface CheckRun {
  id: number;
  name: string;
  head_sha: string;
  status: string;
  conclusion?: string;
  output?: { title?: string; summary?: string };
  app: { id: number };
}

/** The endpoints for check runs of GitHub, of one application with one installation, for one repository. */
export class CheckRunForge {
  readonly runs: CheckRun[] = [];
  url = '';
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The names of the check runs that are not completed. */
  leftOpen(): string[] {
    return this.runs.filter(({ status }) => status !== 'completed').map(({ name }) => name);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString();
    const [status, answer] = this.#answer(request, text === '' ? {} : JSON.parse(text));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answer({ method, url = '', headers }: IncomingMessage, body: Partial<CheckRun>): [number, object] {
    const route = `${method} ${url.replace(/\?.*/, '').replace(/[0-9a-f]{40}/, '<sha>')}`;
    const { authorization = '' } = headers;
    if (route === 'POST /app/installations/34/access_tokens')
      return /^Bearer [^.]+\.[^.]+\.[^.]+$/.test(authorization) ? [201, { token: 'short' }] : [401, {}];
    if (authorization !== 'token short') return [401, {}];
    if (route === 'GET /repos/o/r/commits/<sha>/check-runs') return [200, { check_runs: this.#runsAt(url) }];
    if (route === 'POST /repos/o/r/check-runs') return this.#create(body);
    return this.#update(route, body);
  }

  #update(route: string, body: Partial<CheckRun>): [number, object] {
    const [, id = ''] = /^PATCH \/repos\/o\/r\/check-runs\/(\d+)$/.exec(route) ?? [];
    const run = this.runs.find((checkRun) => String(checkRun.id) === id);
    return run === undefined || body.head_sha !== undefined ? [404, {}] : [200, Object.assign(run, body)];
  }

  #runsAt(url: string): CheckRun[] {
    const { pathname, searchParams } = new URL(url, this.url);
    const sha = pathname.split('/')[5];
    return this.runs.filter(
      ({ name, head_sha }) => head_sha === sha && name === searchParams.get('check_name'),
    );
  }

  #create({ name = '', head_sha = '', status = '', ...more }: Partial<CheckRun>): [number, object] {
    if (name === '' || !/^[0-9a-f]{40}$/.test(head_sha) || status === '') return [422, {}];
    const run = { ...more, id: this.runs.length + 1, name, head_sha, status, app: { id: 12 } };
    this.runs.push(run);
    return [201, run];
  }
}
