import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { pipelineWithSecrets, plantSecrets } from '#testing/pipelines/pipeline-with-secrets.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* What non-members see of a public pipeline with secrets in every field, and of a private one. */
let stores: TestStores;
let gateway: Gateway;

const secrets = plantSecrets();
const { secret } = secrets;

const PATH = '/teams/main/pipelines/app';
const VIEWS = ['public', 'graph', 'image.dot', 'image.svg', 'image.png', 'badge.svg', 'jobs/unit/badge.svg'];

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});
let teamCount = 0;
/** The team has another name in each test, so that no answer is cached. */
let team = '';
beforeEach(async () => {
  await stores.empty();
  teamCount += 1;
  team = `main-${teamCount}`;
  await stores.teams.saveTeam({ name: team, namespace: team });
});

const savePipeline = async (definition = pipelineWithSecrets(secret), isPublic = true) =>
  await stores.pipelines.savePipeline(
    toSave(definition, { team, namespace: team, public: isPublic, config: secret() }),
  );

async function requestView(view: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.base}${PATH.replace('main', team)}/${view}`, { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('a public pipeline with secrets in every field', () => {
  test.each(VIEWS)('has no secret in the headers and body of %s', async (view) => {
    await savePipeline();
    for (const query of ['', '?hide_intermediates=1&group_parallel=1']) {
      const { status, headers, bytes } = await requestView(`${view}${/image|graph/.test(view) ? query : ''}`);
      expect(status).toBe(200);
      expect(secrets.planted).toBeGreaterThan(20);
      const content = `${JSON.stringify([...headers])} ${bytes.toString('latin1')}`;
      expect(content).not.toContain(secrets.word);
    }
  });

  test('shows only its structure and its states', async () => {
    const saved = await savePipeline();
    const { bytes } = await requestView('public');
    const { data } = JSON.parse(bytes.toString());
    expect(data).toEqual({
      id: saved.id,
      name: 'app',
      team,
      public: true,
      paused: false,
      jobs: [
        {
          id: expect.any(Number),
          name: 'unit',
          paused: false,
          steps: [
            { kind: 'get', name: 'app', resource: 'git.app', passed: [], trigger: true },
            { kind: 'task', name: 'test' },
            { kind: 'parallel', steps: [{ kind: 'notify', name: 'slack.team' }] },
            { kind: 'branch', steps: [{ kind: 'task', name: 'maybe' }] },
          ],
        },
        {
          id: expect.any(Number),
          name: 'publish',
          paused: false,
          steps: [
            { kind: 'get', name: 'app', resource: 'git.app', passed: ['unit'], trigger: true },
            { kind: 'put', name: 'image', resource: 'git.image' },
          ],
        },
      ],
      resources: [
        { id: expect.any(Number), name: 'git.app', type: 'git', pinned: false },
        { id: expect.any(Number), name: 'git.image', type: 'git', pinned: false },
      ],
      resource_types: [
        { id: 'git', name: 'git' },
        { id: 'cron', name: 'cron' },
      ],
    });
  });

  test('shows the states of its jobs', async () => {
    await savePipeline(samplePipeline());
    await stores.pool.query(rows()`
      INSERT INTO builds (job_id, revision_id, number, status, cause, created_at, ended_at)
      SELECT j.id, v.id, n.number, n.status, '{}', now(), CASE WHEN n.status <> 'started' THEN now() END
      FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id JOIN teams t ON t.id = p.team_id
      JOIN revisions v ON v.pipeline_id = p.id
      CROSS JOIN (VALUES (1, 'succeeded'), (2, 'failed'), (3, 'started')) AS n (number, status)
      WHERE t.name = ${team} AND j.name = 'unit'`);
    await stores.actions.pauseJob({ team, pipeline: 'app', job: 'publish' }, 'anna');
    const svg = (await requestView('image.svg')).bytes.toString();
    expect(svg).toContain('<title>unit: running, before failed</title>');
    expect(svg).toContain('<title>publish: paused</title>');
    const { data } = JSON.parse((await requestView('public')).bytes.toString());
    expect(data.jobs[0]).toMatchObject({ status: 'failed', doing: 'started' });
    expect((await requestView('badge.svg')).bytes.toString()).toContain('<title>app: failed</title>');
    expect((await requestView('jobs/publish/badge.svg')).bytes.toString()).toContain(
      '<title>publish: paused</title>',
    );
    expect((await requestView('jobs/none/badge.svg')).status).toBe(404);
  });

  test('has a graph with the position of each node, whose ETag does not change with states', async () => {
    await savePipeline(samplePipeline());
    const { headers, bytes } = await requestView('graph');
    const { data } = JSON.parse(bytes.toString());
    expect(data).toMatchObject({ width: expect.any(Number), height: expect.any(Number) });
    expect(data.nodes[0]).toEqual({
      id: 'resource git.app',
      kind: 'resource',
      resource: 'git.app',
      role: 'entry',
      after: [],
      x: expect.any(Number),
      y: expect.any(Number),
      width: expect.any(Number),
      height: 28,
      labels: ['git.app'],
    });
    expect(data.nodes.map(({ id }: { id: string }) => id)).toEqual([
      'resource git.app',
      'job unit',
      'git.app after unit',
      'job publish',
    ]);
    expect(data.edges[0]).toEqual({
      from: 'resource git.app',
      to: 'job unit',
      kind: 'trigger',
      line: expect.stringMatching(/^M[\d.,]+C/),
      arrow: expect.stringMatching(/^M.*z$/),
    });
    const withoutIntermediates = await requestView('graph?hide_intermediates=1');
    expect(JSON.parse(withoutIntermediates.bytes.toString()).data.nodes.length).toBe(3);
    await stores.actions.pauseJob({ team, pipeline: 'app', job: 'unit' }, 'anna');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect((await requestView('graph', { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await requestView('graph?hide_intermediates=x')).status).toBe(400);
  });

  test('has images that may be embedded anywhere and run no script', async () => {
    await savePipeline();
    for (const [view, type] of [
      ['image.svg', 'image/svg+xml; charset=utf-8'],
      ['image.png', 'image/png'],
      ['badge.svg', 'image/svg+xml; charset=utf-8'],
    ] as const) {
      const { headers } = await requestView(view);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        etag: expect.stringMatching(/^"[\w-]{27}"$/),
      });
      expect(headers.get('content-security-policy')).toContain('sandbox');
      expect(headers.get('set-cookie')).toBeNull();
      expect((await requestView(view, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    }
  });

  test('has images with legible text, also as PNG', async () => {
    await savePipeline(samplePipeline());
    const { bytes } = await requestView('image.png');
    const { channels } = await sharp(bytes).stats();
    const metadata = await sharp(bytes).metadata();
    expect(metadata.format).toBe('png');
    // Only letters have dark pixels. Without letters, the picture has light colours and thin borders.
    expect(Math.min(...channels.slice(0, 3).map(({ min }) => min))).toBeLessThan(60);
    const chunks = bytes.toString('latin1').match(/tEXt|iTXt|zTXt|eXIf/g);
    expect(chunks).toBeNull();
  });

  test('fades jobs that a version does not reach, and accepts only versions of the pipeline', async () => {
    const saved = await savePipeline(
      samplePipeline({
        resources: [resource('git.app'), resource('git.lib')],
        jobs: [job('unit', get('git.app')), job('other', get('git.lib'))],
      }),
    );
    const opened = await stores.checks.openRun([saved.resources[0]?.scope ?? 0], 'schedule', new Date());
    const { recorded } = await stores.checks.recordCheck(
      { run: opened?.run ?? 0, scope: saved.resources[0]?.scope ?? 0, versions: [{ ref: 'a' }], log: '' },
      new Date(),
    );
    const svg = (await requestView(`image.svg?version_id=${recorded[0]}`)).bytes.toString();
    expect(svg.match(/<g id="n\d+" class="job-node" opacity/g)).toHaveLength(1);
    expect((await requestView(`image.svg?version_id=${(recorded[0] ?? 0) + 1000}`)).status).toBe(404);
    expect((await requestView('image.svg?version_id=x')).status).toBe(400);
  });
});

describe('a private pipeline', () => {
  test.each(VIEWS)('answers non-members at %s as if it did not exist', async (view) => {
    await savePipeline(samplePipeline(), false);
    const content = async (path: string) => {
      const answer = await fetch(`${gateway.base}${path}/${view}`);
      const text = (await answer.text()).replaceAll('hid', 'app').replace(/urn:request:[\w-]+/, '');
      const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
      return [answer.status, text, headers];
    };
    const privateAnswer = await content(`/teams/${team}/pipelines/app`);
    expect(privateAnswer).toEqual(await content(`/teams/${team}/pipelines/hid`));
    expect(privateAnswer[0]).toBe(404);
  });

  test('is shown only to members', async () => {
    await savePipeline(samplePipeline(), false);
    await gateway.account('ann', { teams: { [team]: 'read' } });
    await gateway.account('bob');
    const status = async (user: string, view: string) =>
      (await requestView(view, { authorization: `Bearer ${await gateway.session(user)}` })).status;
    for (const view of VIEWS)
      expect([view, await status('ann', view), await status('bob', view)]).toEqual([view, 200, 404]);
  });

  test('is hidden on every replica once it is no longer public', async () => {
    const other = await openGateway(stores);
    try {
      await savePipeline(samplePipeline());
      const statusAt = async ({ base }: Gateway): Promise<number> => {
        const answer = await fetch(`${base}/teams/${team}/pipelines/app/image.svg`);
        await answer.arrayBuffer();
        return answer.status;
      };
      for (const replica of [gateway, other])
        expect([await statusAt(replica), await statusAt(replica)]).toEqual([200, 200]);
      await savePipeline(samplePipeline(), false);
      for (const replica of [gateway, other]) {
        let status = 200;
        while (status === 200) status = await statusAt(replica);
        expect([status, await statusAt(replica)]).toEqual([404, 404]);
      }
    } finally {
      await other.close();
    }
  });
});
