import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents } from '#testing/http/event-reader.ts';
import { registeredRoutes } from '#testing/http/registered-routes.ts';
import { pipelineWithSecrets, plantSecrets } from '#testing/pipelines/pipeline-with-secrets.ts';
import { get as getStep, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { writeHistoryWithSecrets } from '#testing/stores/history-with-secrets.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Requests every public route as every kind of non-member, as JSON and as a page, with a real Postgres. It
 * requests a public pipeline, a private one, and one that does not exist. The first two have secrets in every
 * field that people can write.
 */
// On a busy machine, the process that draws pictures starts slowly, so the limit of a test is long.
jest.setTimeout(600_000);

const secrets = plantSecrets();
const PUBLIC = (await registeredRoutes())
  .filter(({ rules }) => rules.needs === 'public')
  .map(({ url }) => url);
/** Routes that answer members and non-members alike. */
const SAME_FOR_MEMBERS = /image\.|badge\.svg$|\/(public|graph)$/;
/** Routes that show members more than non-members. */
const MORE_FOR_MEMBERS = PUBLIC.filter((url) => !SAME_FOR_MEMBERS.test(url));
/** Routes that browsers get as pages. */
const PAGES = MORE_FOR_MEMBERS.filter((url) => !/\/(jobs|resources|versions|events)$/.test(url));

let stores: TestStores;
let gateway: Gateway;
/**
 * The credentials of each kind of non-member. An admin counts as a non-member until they have changed their
 * first password.
 */
const nonMembers = new Map<string, string | undefined>();

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { publicRateLimits: { burst: 10_000, perSecond: 1, addresses: 10 } });
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
  for (const [pipeline, isPublic] of [
    ['app', true],
    ['hid', false],
  ] as const) {
    const definition = pipelineWithSecrets(secrets.secret);
    const more = { pipeline, uid: pipeline, public: isPublic, config: secrets.secret() };
    const saved = await stores.pipelines.savePipeline(toSave(definition, more));
    await writeHistoryWithSecrets(stores, saved, secrets.secret);
  }
  await gateway.account('ann', { teams: { main: 'maintain' } });
  await gateway.account('bob', { teams: { other: 'admin' } });
  await gateway.account('new', { teams: { main: 'admin' } });
  await stores.pool.query(rows()`UPDATE users SET must_change_password = true WHERE username = 'new'`);
  const bob = await gateway.session('bob');
  const scope = { personal: false, team_canonical: 'other', role: 'admin' };
  nonMembers.set('nobody', undefined);
  nonMembers.set('an admin of another team', bob);
  nonMembers.set('their token', await gateway.token(bob, { name: 'theirs', ...scope }));
  nonMembers.set('an admin who has to change their password first', await gateway.session('new'));
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

const urlOf = (url: string, pipeline: string): string =>
  url
    .replace(':team', 'main')
    .replace(':pipeline', pipeline)
    .replace(':job', 'unit')
    .replace(':build', '1')
    .replace(':resource', 'git.app');

interface ComparableAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Requests a path. Returns the response without the parts that differ for each request. Of an event stream,
 * the response has the headers and the first event.
 */
async function ask(
  path: string,
  as: string | undefined,
  accept = 'application/json',
): Promise<ComparableAnswer> {
  const headers = { accept, ...(as !== undefined && { authorization: `Bearer ${as}` }) };
  if (path.endsWith('/events')) {
    const reader = await readEvents(`${gateway.base}${path}`, headers);
    if (reader.status !== 200) reader.close();
    else {
      while (reader.events.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      reader.close();
      return {
        status: 200,
        headers: headersOf(Object.entries(reader.headers)),
        text: JSON.stringify(reader.events),
      };
    }
  }
  const answer = await fetch(`${gateway.base}${path}`, { headers, redirect: 'manual' });
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  return {
    status: answer.status,
    headers: headersOf([...answer.headers]),
    text: text.replaceAll(/urn:request:[\w-]+|request <span class="code">[\w-]+<\/span>/g, 'the request'),
  };
}

function headersOf(entries: [string, unknown][]): Record<string, string> {
  const comparable = entries.filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return Object.fromEntries(comparable.map(([name, value]) => [name, String(value)]));
}

/**
 * The response as a text, with the names of pipelines replaced by `app`, so that responses for different
 * pipelines can be compared. `app` is public, `hid` is private, `non` does not exist. Names of the same
 * length give the same Content-Length.
 */
const withNameApp = (comparable: ComparableAnswer): string =>
  JSON.stringify(comparable).replaceAll(/(?<=\b|%2F)(hid|non)\b/g, 'app');

/** A public pipeline with these jobs and resources. */
const publicPipeline = (jobNames: string[], names: string[]) =>
  toSave(
    samplePipeline({
      jobs: jobNames.map((name) => job(name, getStep('git.app'), task('test'))),
      resources: names.map((name) => resource(name)),
    }),
    { pipeline: 'moved', uid: 'moved', public: true },
  );

test('every public route is tested', () => {
  expect([MORE_FOR_MEMBERS.length, PAGES.length]).toEqual([9, 5]);
});

describe('a public pipeline', () => {
  test.each(PUBLIC)('at %s is the same for every non-member, and contains no secret', async (url) => {
    const answers = [];
    for (const as of nonMembers.values()) answers.push(await ask(urlOf(url, 'app'), as));
    for (const answer of answers) {
      expect(answer).toEqual(answers[0]);
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer)).not.toContain(secrets.word);
    }
  });

  test.each(PAGES)('at %s is a page without secrets or actions, for every non-member', async (url) => {
    for (const [nonMember, as] of nonMembers) {
      const { status, headers, text } = await ask(urlOf(url, 'app'), as, 'text/html');
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        200,
        'no-store',
        'text/html; charset=utf-8',
      ]);
      expect(text + JSON.stringify(headers)).not.toContain(secrets.word);
      const forms = text.match(/<form[^>]*action="[^"]*"/g) ?? [];
      expect(forms.filter((form) => !form.includes('/auth/logout'))).toEqual([]);
      expect(text.includes('/auth/login?return_to=')).toBe(nonMember === 'nobody');
    }
  });

  test('shows members the secrets that it hides from others', async () => {
    const ann = await gateway.session('ann');
    const urlsWithoutSecret = [];
    for (const url of MORE_FOR_MEMBERS) {
      const { text } = await ask(urlOf(url, 'app'), ann);
      if (!text.includes(secrets.word)) urlsWithoutSecret.push(url.split('/').at(-1));
    }
    expect(urlsWithoutSecret).toEqual([]);
    for (const url of PAGES) {
      const { text } = await ask(urlOf(url, 'app'), ann, 'text/html');
      expect(text).toContain('/auth/logout');
      if (!url.endsWith(':job')) expect([url, text.includes(secrets.word)]).toEqual([url, true]);
    }
  });

  const id = expect.any(Number);
  const times = {
    started_at: '2026-11-20T10:00:01.000Z',
    ended_at: '2026-11-20T10:00:03.000Z',
    duration: 2_000_000_000,
  };
  const unit = {
    id,
    name: 'unit',
    paused: false,
    has_running: true,
    latest_status: 'started',
    latest_build_number: '2',
    outcome: 'failed',
    doing: 'started',
    started_at: '2026-11-20T10:00:01.000Z',
  };
  const publish = { id, name: 'publish', paused: false, has_running: false };
  const resources = [
    { id, name: 'git.app', type: 'git', pinned: true },
    { id, name: 'git.image', type: 'git', pinned: false },
  ];
  const pipeline = { id, team: 'main', name: 'app', public: true, paused: false, jobs: 2, resources: 2 };
  const created_at = '2026-11-20T10:00:00.000Z';
  const build = { id, number: '1', status: 'failed', created_at, ...times };
  const running = { id, number: '2', status: 'started', created_at, started_at: '2026-11-20T10:00:01.000Z' };
  const step = { status: 'failed', started_at: expect.any(String), ended_at: expect.any(String) };
  const steps = [
    { kind: 'get', name: 'git.app', resource: 'git.app', ...step },
    { kind: 'task', name: 'test', ...step },
  ];
  const exact: [path: string, answer: object][] = [
    ['', { data: pipeline }],
    ['/jobs', { data: [unit, publish] }],
    ['/jobs/unit', { data: unit }],
    ['/jobs/unit/builds', { data: [running, build], has_more: false }],
    ['/jobs/unit/builds?status=failed', { data: [build], has_more: false }],
    ['/jobs/unit/builds?limit=1', { data: [running], has_more: true }],
    ['/jobs/publish/builds', { data: [], has_more: false }],
    ['/jobs/unit/builds/1', { data: { ...build, steps } }],
    ['/resources', { data: resources }],
    ['/resources/git.app', { data: resources[0] }],
    ['/resources/git.app/versions', { data: [{ id, created_at: expect.any(String) }], has_more: false }],
  ];
  test.each(exact)('at %s has exactly the listed fields', async (path, answer) => {
    expect(JSON.parse((await ask(`/teams/main/pipelines/app${path}`, undefined)).text)).toEqual(answer);
  });

  test('has the same fields in its stream', async () => {
    const { text } = await ask('/teams/main/pipelines/app/events', undefined);
    const [first]: { data: string }[] = JSON.parse(text);
    expect(JSON.parse(first?.data ?? '')).toEqual({ pipeline, jobs: [unit, publish], resources });
  });

  test('shows logs, running builds, checks, reasons and version paths to members only', async () => {
    const bob = nonMembers.get('an admin of another team');
    for (const path of [
      'jobs/unit/builds/1/logs',
      'jobs/unit/builds/1/events',
      'resources/git.app/check',
      'resources/git.app/versions/1/path',
      'waiting',
      'jobs/unit/waiting',
      'definition',
    ]) {
      const url = `/teams/main/pipelines/app/${path}`;
      expect([path, (await ask(url, undefined)).status, (await ask(url, bob)).status]).toEqual([
        path,
        401,
        403,
      ]);
    }
  });

  test('has responses that HTTP caches must revalidate, and store separately for members and others', async () => {
    const ann = await gateway.session('ann');
    const path = '/teams/main/pipelines/app/jobs';
    const [ofNonMember, ofMember] = [await ask(path, undefined), await ask(path, ann)];
    const vary = 'Accept, Authorization, Cookie';
    expect(ofNonMember.headers).toMatchObject({ 'cache-control': 'no-cache', vary });
    expect(ofMember.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary });
    const again = await fetch(`${gateway.base}${path}`, {
      headers: { 'if-none-match': ofNonMember.headers['etag'] ?? '' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('shows removed jobs and resources to members only', async () => {
    const saved = await stores.pipelines.savePipeline(
      publicPipeline(['unit', 'late'], ['git.app', 'git.late']),
    );
    await writeHistoryWithSecrets(stores, saved, secrets.secret);
    await stores.pipelines.savePipeline(publicPipeline(['late'], ['git.late']));
    const ann = await gateway.session('ann');
    for (const path of ['jobs/unit/builds', 'jobs/unit/builds/1', 'resources/git.app/versions']) {
      const url = `/teams/main/pipelines/moved/${path}`;
      expect([path, (await ask(url, undefined)).status, (await ask(url, ann)).status]).toEqual([
        path,
        404,
        200,
      ]);
    }
    expect((await ask('/teams/main/pipelines/moved/jobs/late/builds', undefined)).status).toBe(200);
  });
});

describe('a private pipeline', () => {
  test.each(PUBLIC)('at %s answers every non-member as if it did not exist', async (url) => {
    for (const [nonMember, as] of nonMembers) {
      const [hidden, missing] = [await ask(urlOf(url, 'hid'), as), await ask(urlOf(url, 'non'), as)];
      expect(withNameApp(hidden)).toBe(withNameApp(missing));
      expect([nonMember, hidden.status]).toEqual([nonMember, nonMember.includes('password') ? 403 : 404]);
      expect(withNameApp(hidden)).not.toContain(secrets.word);
    }
  });

  test.each(PAGES)('at %s gives every non-member the page of a pipeline that does not exist', async (url) => {
    for (const [nonMember, as] of nonMembers) {
      const [hidden, missing] = [
        await ask(urlOf(url, 'hid'), as, 'text/html'),
        await ask(urlOf(url, 'non'), as, 'text/html'),
      ];
      expect(withNameApp(hidden)).toBe(withNameApp(missing));
      const isSentToSignIn = nonMember === 'nobody' || nonMember.includes('password');
      expect([nonMember, hidden.status]).toEqual([nonMember, isSentToSignIn ? 303 : 404]);
    }
    const { headers } = await ask(urlOf(url, 'hid'), undefined, 'text/html');
    expect(headers['location']).toBe(`/auth/login?return_to=${encodeURIComponent(urlOf(url, 'hid'))}`);
  });

  test('answers a request for one of its jobs like a public pipeline without that job', async () => {
    const [hidden, none] = [
      await ask('/teams/main/pipelines/hid/jobs/absent/builds', undefined),
      await ask('/teams/main/pipelines/app/jobs/absent/builds', undefined),
    ];
    expect(withNameApp(hidden)).toBe(withNameApp(none));
  });

  test('is shown to members completely', async () => {
    const ann = await gateway.session('ann');
    for (const url of PUBLIC) expect([url, (await ask(urlOf(url, 'hid'), ann)).status]).toEqual([url, 200]);
    for (const url of PAGES)
      expect([url, (await ask(urlOf(url, 'hid'), ann, 'text/html')).status]).toEqual([url, 200]);
  });
});
