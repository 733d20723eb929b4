import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { check } from './git-check.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

let server: Server;
let [host, work] = ['', ''];
let requests: string[] = [];
let answer: (request: IncomingMessage, url: URL) => Answer = () => ({ body: [] });

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-pages-'));
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { status = 200, headers, body } = answer(request, new URL(request.url ?? '', 'http://forge'));
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(work, { recursive: true });
});
beforeEach(() => {
  requests = [];
});

const run = (provider: string, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(check, work, {
    param_url: `http://${host}/o/r`,
    param_token: 't',
    param_provider: provider,
    param_pr: 'true',
    ...variables,
  });
const numbersOf = ({ stdout }: ScriptEnd): number[] => {
  const versions: { pr: string }[] = JSON.parse(stdout);
  return versions.map(({ pr }) => Number(pr));
};
const numbersFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => first + at);

/** A pull or merge request as the API of this forge describes it. */
function describeRequest(provider: string, number: number, labels: string[] = [], target = 'main'): object {
  const sha = number.toString(16).padStart(40, '0');
  if (provider === 'gitlab')
    return {
      iid: number,
      sha,
      labels,
      source_branch: 'change',
      target_branch: target,
      source_project_id: 1,
      target_project_id: 1,
    };
  const repo = { full_name: 'o/r' };
  return {
    number,
    labels: labels.map((name) => ({ name })),
    head: { sha, label: 'change', ref: 'change', repo },
    base: { ref: target, repo },
  };
}

/** Pages of at most `size` pull requests, the newest first, with a header Link as the forges write it. */
function inPages(provider: string, all: number[], size: number): typeof answer {
  return (_request, url) => {
    const page = Number(url.searchParams.get('page'));
    const body = all.slice((page - 1) * size, page * size).map((number) => describeRequest(provider, number));
    const next = new URL(`http://elsewhere.example${url.pathname}?page=${page + 1}`);
    const links = [`<http://elsewhere.example/>; rel="first"`];
    if (all.length > page * size) links.unshift(`<${next.href}>; rel="next"`);
    return { headers: { Link: links.join(', ') }, body };
  };
}

describe('open pull requests', () => {
  test.each(['github', 'gitlab', 'gitea', 'forgejo'])('of %s are read page by page', async (provider) => {
    const newestFirst = numbersFrom(1, 130).toReversed();
    // The pages are shorter than requested, because forges have limits of their own.
    answer = inPages(provider, newestFirst, 30);
    expect(numbersOf(await run(provider))).toEqual(numbersFrom(1, 130));
    expect(requests.map((path) => new URLSearchParams(path).get('page'))).toEqual(['1', '2', '3', '4', '5']);
  });

  test('of a forge without the header Link end with a page that is not full', async () => {
    const pages = [numbersFrom(31, 50), numbersFrom(1, 30)].map((page) => page.toReversed());
    answer = (_request, url) => ({
      body: pages[Number(url.searchParams.get('page')) - 1]?.map((number) =>
        describeRequest('gitea', number),
      ),
    });
    expect(numbersOf(await run('gitea'))).toEqual(numbersFrom(1, 80));
    expect(requests).toHaveLength(2);
  });

  test('are only those that changed last if there are very many, and the check says so', async () => {
    answer = inPages('gitea', numbersFrom(1, 1000).toReversed(), 50);
    const end = await run('gitea');
    expect(numbersOf(end)).toEqual(numbersFrom(501, 500));
    expect(end.stderr).toBe(
      'git: the forge has more than 500 open requests; only those that changed last are seen\n',
    );
    expect(requests).toHaveLength(10);
  });

  test('are listed once each, even if a request that changes is on two pages', async () => {
    const pages = [
      [3, 2],
      [2, 1],
    ];
    answer = (_request, url) => {
      const page = Number(url.searchParams.get('page'));
      const body = pages[page - 1]?.map((number) => describeRequest('github', number));
      return { headers: { link: page === 1 ? '<http://x/>; rel="next"' : '<http://x/>; rel="prev"' }, body };
    };
    expect(numbersOf(await run('github'))).toEqual([1, 2, 3]);
  });

  test('are not read from a page that is not a list', async () => {
    answer = () => ({ body: { message: 'maintenance' } });
    expect(await run('gitea')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'git: the forge answers with something that is not a list\n',
    });
  });

  test.each(['github', 'gitlab', 'gitea'])('of %s are only those into the branch', async (provider) => {
    answer = () => ({
      body: [
        describeRequest(provider, 3, [], 'release/1'),
        describeRequest(provider, 2, [], 'release/10'),
        describeRequest(provider, 1),
      ],
    });
    expect(numbersOf(await run(provider, { param_branch: 'release/1' }))).toEqual([3]);
    const filter = { github: '&base=release%2F1&', gitlab: '&target_branch=release%2F1&', gitea: '&' }[
      provider
    ];
    expect(requests[0]).toContain(filter);
  });

  test.each(['github', 'gitlab', 'gitea'])('of %s are only those that have all labels', async (provider) => {
    answer = () => ({
      body: [
        describeRequest(provider, 3, ['run ci', 'a&b', 'more']),
        describeRequest(provider, 2, ['run ci']),
        describeRequest(provider, 1),
      ],
    });
    expect(numbersOf(await run(provider, { param_labels: 'run ci, a&b' }))).toEqual([3]);
    expect(requests[0]?.includes('labels')).toBe(provider === 'gitlab');
    if (provider === 'gitlab') expect(requests[0]).toContain('&labels=run%20ci%2Ca%26b&');
  });
});

/** Matches the minute that is `seconds` from now, or one of the two minutes after it. */
const minuteAfter = (seconds: number): RegExp => {
  const minutes = [0, 1, 2].map((later) =>
    new Date(Date.now() + (seconds + later * 60) * 1000).toISOString().slice(0, 16),
  );
  return new RegExp(minutes.join('|'));
};

describe('a forge that limits requests', () => {
  const AT = Date.parse('2030-01-02T03:04:05Z') / 1000;
  test.each<[title: string, status: number, headers: Record<string, string>, until: RegExp | string]>([
    ['for some seconds', 429, { 'Retry-After': '120' }, minuteAfter(120)],
    [
      'until a date',
      429,
      { 'Retry-After': 'Wed, 02 Jan 2030 03:04:05 GMT' },
      'until Wed, 02 Jan 2030 03:04:05 GMT:',
    ],
    [
      'by the header X-RateLimit-Remaining',
      403,
      { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${AT}` },
      'until 2030-01-02T03:04:05Z:',
    ],
    [
      'by the header RateLimit-Remaining',
      429,
      { 'RateLimit-Remaining': '0', 'RateLimit-Reset': `${AT}` },
      'until 2030-01-02T03:04:05Z:',
    ],
    ['after a burst', 403, { 'X-RateLimit-Remaining': '99', 'Retry-After': '60' }, minuteAfter(60)],
    ['without saying how long', 429, {}, 'no more requests for now:'],
    ['with an invalid time', 429, { 'Retry-After': '$(touch x)' }, 'no more requests for now:'],
  ])('%s fails the check, which says so, with one request', async (_title, status, headers, until) => {
    answer = () => ({ status, headers, body: {} });
    for (const variables of [{}, { param_pr: 'false' }, { param_pr: 'false', param_provider: '' }]) {
      requests = [];
      const end = await run('gitlab', variables);
      expect(end).toMatchObject({ code: 1, stdout: '' });
      expect(end.stderr).toMatch(until);
      expect(end.stderr).toMatch(/^git: the forge accepts no more requests .*: there were too many\n$/);
      expect(requests).toHaveLength(1);
    }
  });

  test('is not confused with a forge that forbids the request', async () => {
    answer = () => ({ status: 403, headers: { 'X-RateLimit-Remaining': '4999' }, body: {} });
    const end = await run('github');
    expect(end.stderr).toBe('git: the forge does not answer with open requests (status 403)\n');
  });
});
