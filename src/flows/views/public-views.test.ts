import { describe, expect, test } from '@jest/globals';
import type { OverviewStore } from './overview-ports.ts';
import type { BuildDetail, Views } from './ports.ts';
import { publicViews, type PublicViews } from './public-views.ts';

const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
const GIT = { ...APP, resource: 'git.app' };
const PAGE = { limit: 50 };
const AT = new Date('2026-11-21T10:00:00Z');
const NEVER = 'for members';

/** Everything that members are shown, and one field that nobody has thought of yet. */
const MORE = { thought: NEVER };
const build: BuildDetail & typeof MORE = {
  ...MORE,
  id: 9,
  number: '7',
  status: 'failed',
  attempt: 2,
  reason: NEVER,
  message: NEVER,
  cancelledBy: NEVER,
  warnedBy: NEVER,
  createdAt: AT,
  startedAt: AT,
  inputValues: { [NEVER]: NEVER },
  outputs: [],
  inputs: [{ name: NEVER, resource: 'git.app', version: 11, fields: { ref: NEVER } }],
  steps: [
    { id: '0', kind: 'get', name: 'app', resource: 'git.app', status: 'succeeded' },
    { id: '1', kind: 'get', name: 'gone', resource: 'git.gone', status: 'succeeded' },
    { id: '2', kind: 'task', name: 'test', status: 'failed', exitCode: 3, message: NEVER, ...MORE },
  ],
};

function lists({ isPublic = true } = {}) {
  const asked: string[] = [];
  let now = 0;
  const pipeline = { ...APP, ...MORE, id: 1, public: isPublic, paused: false, revision: 7 };
  const store: Pick<OverviewStore, 'pipeline' | 'state'> = {
    async pipeline({ pipeline: name }) {
      asked.push('shown');
      return name === 'app' ? { ...pipeline } : undefined;
    },
    async state() {
      asked.push('state');
      const resource = { id: 5, name: 'git.app', type: 'git', pinned: true, failing: true, ...MORE };
      const jobs = [{ id: 2, name: 'unit', paused: false, doing: [], ...MORE }];
      return { jobs, resources: [resource] };
    },
  };
  const views: Pick<Views, 'jobs' | 'builds' | 'build' | 'versions'> = {
    async jobs() {
      asked.push('jobs');
      const inputs = [{ name: NEVER, type: 'string' as const, default: NEVER, description: NEVER }];
      const latest = { number: '7', status: 'failed' as const, startedAt: AT, ...MORE };
      const unit = { id: 2, name: 'unit', paused: false, running: false, doing: [], latest, inputs, ...MORE };
      // As when the pipeline has just got another name, and a private one its name.
      return [unit, { ...unit, id: 3, name: NEVER }];
    },
    async builds() {
      asked.push('builds');
      return { rows: [build], hasMore: true };
    },
    async build() {
      asked.push('build');
      return build;
    },
    async versions(_name, page) {
      asked.push('text' in page ? 'versions with a text' : 'versions');
      const version = { id: 11, fields: { ref: NEVER }, createdAt: AT, disabled: true, ...MORE };
      return { rows: [version], hasMore: false };
    },
  };
  const all = publicViews({ store, views, now: () => now });
  return { all, asked, pipeline, later: () => void (now += 1000) };
}

const READS: Record<string, (all: PublicViews) => Promise<unknown>> = {
  pipeline: (all) => all.pipeline(APP),
  jobs: (all) => all.jobs(APP),
  job: (all) => all.job(UNIT),
  builds: (all) => all.builds(UNIT, PAGE),
  build: (all) => all.build({ ...UNIT, number: '7' }),
  resources: (all) => all.resources(APP),
  resource: (all) => all.resource(GIT),
  versions: (all) => all.versions(GIT, PAGE),
  whole: (all) => all.snapshot(APP),
};

describe.each(Object.entries(READS))('the public view: %s', (_name, read) => {
  test('the public view has nothing that only members see', async () => {
    const found = await read(lists().all);
    expect(found).toBeDefined();
    expect(JSON.stringify(found)).not.toContain(NEVER);
  });

  test('the view of a pipeline that is not public costs one query and is empty', async () => {
    const { all, asked } = lists({ isPublic: false });
    expect(await read(all)).toBeUndefined();
    expect(asked).toEqual(['shown']);
  });

  test('the public view is empty a second after the pipeline turned private', async () => {
    const { all, pipeline, later } = lists();
    await read(all);
    pipeline.public = false;
    later();
    expect(await read(all)).toBeUndefined();
  });
});

describe('the public', () => {
  test('concurrent requests for the same view cost one query', async () => {
    const { all, asked } = lists();
    const page = { ...PAGE };
    await Promise.all(Array.from({ length: 50 }, () => all.builds(UNIT, { ...page })));
    expect(asked).toEqual(['shown', 'jobs', 'state', 'builds', 'shown']);
    await all.builds(UNIT, { ...page, before: 9 });
    expect(asked.filter((one) => one === 'builds')).toHaveLength(2);
  });

  test('cannot search versions, whose fields it does not see', async () => {
    const { all, asked } = lists();
    const search = { ...PAGE, text: 'secret' };
    await all.versions(GIT, search);
    expect(asked).toContain('versions');
    expect(asked).not.toContain('versions with a text');
  });

  test('a new viewer gets the current state', async () => {
    const { all, asked, pipeline } = lists();
    await all.snapshot(APP);
    pipeline.public = false;
    expect(await all.snapshot(APP)).toBeUndefined();
    expect(asked.filter((one) => one === 'shown')).toHaveLength(2);
  });

  test.each(['builds', 'build', 'versions'])(
    'are shown no %s of a private pipeline that has got the name since it was looked for, and jobs of the same names',
    async (what) => {
      const { all, pipeline } = lists();
      await all.snapshot(APP);
      expect(await all.job(UNIT)).toBeDefined();
      Object.assign(pipeline, { id: 2, public: false });
      expect(await READS[what]?.(all)).toBeUndefined();
    },
  );

  test('the public sees no jobs and resources that are not in the definition', async () => {
    const { all, asked } = lists();
    const gone = { ...APP, job: 'gone' };
    const found = [
      await all.job(gone),
      await all.builds(gone, PAGE),
      await all.build({ ...gone, number: '7' }),
      await all.versions({ ...APP, resource: 'git.gone' }, PAGE),
    ];
    expect(found).toEqual([undefined, undefined, undefined, undefined]);
    expect(asked).toEqual(['shown', 'jobs', 'state']);
  });

  test('the public sees no step of an old build that names a resource outside the definition', async () => {
    const found = await lists().all.build({ ...UNIT, number: '7' });
    expect(found?.steps.map(({ name }) => name)).toEqual(['app', 'test']);
  });
});
