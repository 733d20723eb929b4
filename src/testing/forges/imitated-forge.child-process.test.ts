import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import type { ForgeUnderTest } from './forge-under-test.ts';
import { startImitatedForge } from './imitated-forge.ts';
import { forgejo, github, gitlab } from './imitated-forges.ts';

interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
}

const SHA = 'a'.repeat(40);
const GITHUB = '/api/v3/repos/owner/app/pulls?state=open&sort=updated&direction=desc&per_page=100&page=1';
const GITLAB =
  '/api/v4/projects/owner%2Fapp/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=100&page=1';
const FORGEJO = '/api/v1/repos/owner/app/pulls?state=open&sort=recentupdate&limit=50&page=1';

describe.each([
  ['GitHub', github, GITHUB],
  ['GitLab', gitlab, GITLAB],
  ['Forgejo', forgejo, FORGEJO],
])('An imitated %s', (_name, api, list) => {
  let forge: ForgeUnderTest;
  beforeAll(async () => {
    forge = await startImitatedForge(api);
    await forge.createRepository('app', { private: true });
  });
  afterAll(async () => await forge.stop());

  async function send({ method = 'GET', path = list, headers = {}, body }: Sent): Promise<[number, string]> {
    const defaults = { accept: 'application/json', 'user-agent': 'test', ...headers };
    const allHeaders = { [api.tokenHeader]: api.tokenHeaderValue(forge.owner.token), ...defaults };
    const definedHeaders = Object.entries(allHeaders).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const options = { method, headers: Object.fromEntries(definedHeaders), ...text };
    const answer = await request(`${forge.address}${path}`, options);
    return [answer.statusCode, await answer.body.text()];
  }

  test('answers a request that its API documents allow', async () => {
    expect(await send({})).toEqual([200, '[]']);
    expect(forge.misuse()).toEqual([]);
  });

  const cases: Record<string, [sent: Sent, status: number, problem: string]> = {
    'a path of another API': [{ path: '/api/v9/x' }, 404, 'the API is at'],
    'an unknown path': [{ path: `${api.root}/nothing` }, 404, 'the API has no path /nothing'],
    'another method': [{ method: 'DELETE' }, 405, 'has no method DELETE, only GET'],
    'a parameter that is not in the documents': [{ path: `${list}&q=1` }, 400, "the query has 'q'"],
    'a parameter twice': [{ path: `${list}&page=2` }, 400, "the query has 'page' 2 times"],
    'a list without a page': [{ path: list.replace('&page=1', '') }, 400, "the query lacks 'page'"],
    'a page that is not a number': [
      { path: list.replace('page=1&', 'page=x&').replace(/1$/, '0') },
      400,
      'cannot be',
    ],
    'pages that are too long': [
      { path: list.replace('=100', '=101').replace('=50', '=51') },
      400,
      `cannot be '${api.pageSize + 1}'`,
    ],
    'no token': [{ headers: { [api.tokenHeader]: undefined } }, 401, 'there is no header'],
    'another header Accept': [{ headers: { accept: '*/*' } }, 406, "the header Accept cannot be '*/*'"],
    'no header User-Agent': [{ headers: { 'user-agent': undefined } }, 403, 'no header User-Agent'],
  };
  test.each(Object.entries(cases))('refuses %s and says so', async (_title, [sent, status, problem]) => {
    const [code, text] = await send(sent);
    expect([code, JSON.parse(text)]).toEqual([status, { message: expect.stringContaining(problem) }]);
    expect(forge.misuse()).toEqual([expect.stringContaining(problem)]);
    expect(forge.misuse()).toEqual([]);
  });

  test('refuses an unknown token, and shows another user no private repository', async () => {
    const [code] = await send({ headers: { [api.tokenHeader]: api.tokenHeaderValue('unknown') } });
    expect(code).toBe(401);
    const { token } = await forge.createUser('someone');
    const [statusForOther] = await send({ headers: { [api.tokenHeader]: api.tokenHeaderValue(token) } });
    expect(statusForOther).toBe(404);
    expect(forge.misuse()).toEqual([]);
  });

  test('refuses a status of an unknown commit, and a status that is not JSON', async () => {
    const folder = list.slice(0, list.lastIndexOf('/'));
    const headers = { accept: github === api ? 'application/vnd.github+json' : 'application/json' };
    const sent = { method: 'POST', path: `${folder}/statuses/${SHA}`, body: { state: 'success' } } as const;
    const json = { ...headers, 'content-type': 'application/json' };
    expect(await send({ ...sent, headers: json })).toEqual([
      404,
      expect.stringContaining(`no commit ${SHA}`),
    ]);
    const [code, text] = await send({ ...sent, headers: { ...headers, 'content-type': 'text/plain' } });
    expect([code, text]).toEqual([415, expect.stringContaining('the header Content-Type cannot be')]);
    expect(forge.misuse()).toHaveLength(1);
  });
});
