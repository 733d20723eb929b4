import { describe, expect, test } from '@jest/globals';
import type { OverviewStore } from './overview-ports.ts';
import type { BuildDetail, Views } from './ports.ts';
import { publicViews, type PublicViews } from './public-views.ts';

const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
const GIT = { ...APP, resource: 'git.app' };
const PAGE = { limit: 50 };
const AT = new Date('2026-11-21T10:00:00Z');
const MEMBERS_ONLY = 'for members';

/** A field that members might see in the future. */
const FUTURE_FIELD = { futureField: MEMBERS_ONLY };
const build: BuildDetail & typeof FUTURE_FIELD = {
  ...FUTURE_FIELD,
  id: 9,
  number: '7',
  status: 'failed',
  attempt: 2,
  reason: MEMBERS_ONLY,
  message: MEMBERS_ONLY,
  cancelledBy: MEMBERS_ONLY,
  warnedBy: MEMBERS_ONLY,
  createdAt: AT,
  startedAt: AT,
  inputValues: { [MEMBERS_ONLY]: MEMBERS_ONLY },
  outputs: [],
  inputs: [{ name: MEMBERS_ONLY, resource: 'git.app', version: 11, fields: { ref: MEMBERS_ONLY } }],
  steps: [
    { id: '0', kind: 'get', name: 'app', resource: 'git.app', status: 'succeeded' },
    { id: '1', kind: 'get', name: 'gone', resource: 'git.gone', status: 'succeeded' },
    {
      id: '2',
      kind: 'task',
      name: 'test',
      status: 'failed',
      exitCode: 3,
      message: MEMBERS_ONLY,
      ...FUTURE_FIELD,
    },
  ],
};

function setUp({ isPublic = true } = {}) {
  const queries: string[] = [];
  let now = 0;
  const pipeline = { ...APP, ...FUTURE_FIELD, id: 1, public: isPublic, paused: false, revision: 7 };
  const store: Pick<OverviewStore, 'pipeline' | 'state'> = {
    async pipeline({ pipeline: name }) {
      queries.push('shown');
      return name === 'app' ? { ...pipeline } : undefined;
    },
    async state() {
      queries.push('state');
      const resource = { id: 5, name: 'git.app', type: 'git', pinned: true, failing: true, ...FUTURE_FIELD };
      const jobs = [{ id: 2, name: 'unit', paused: false, doing: [], ...FUTURE_FIELD }];
      return { jobs, resources: [resource] };
    },
  };
  const memberViews: Pick<Views, 'jobs' | 'builds' | 'build' | 'versions'> = {
    async jobs() {
      queries.push('jobs');
      const inputs = [
        { name: MEMBERS_ONLY, type: 'string' as const, default: MEMBERS_ONLY, description: MEMBERS_ONLY },
      ];
      const latest = { number: '7', status: 'failed' as const, startedAt: AT, ...FUTURE_FIELD };
      const unit = {
        id: 2,
        name: 'unit',
        paused: false,
        running: false,
        doing: [],
        latest,
        inputs,
        ...FUTURE_FIELD,
      };
      // The second job is of a private pipeline that has just taken over the name.
      return [unit, { ...unit, id: 3, name: MEMBERS_ONLY }];
    },
    async builds() {
      queries.push('builds');
      return { rows: [build], hasMore: true };
    },
    async build() {
      queries.push('build');
      return build;
    },
    async versions(_name, page) {
      queries.push('text' in page ? 'versions with a text' : 'versions');
      const version = {
        id: 11,
        fields: { ref: MEMBERS_ONLY },
        createdAt: AT,
        disabled: true,
        ...FUTURE_FIELD,
      };
      return { rows: [version], hasMore: false };
    },
  };
  const views = publicViews({ store, views: memberViews, now: () => now });
  return { views, queries, pipeline, passSecond: () => void (now += 1000) };
}

const READS: Record<string, (views: PublicViews) => Promise<unknown>> = {
  pipeline: (views) => views.pipeline(APP),
  jobs: (views) => views.jobs(APP),
  job: (views) => views.job(UNIT),
  builds: (views) => views.builds(UNIT, PAGE),
  build: (views) => views.build({ ...UNIT, number: '7' }),
  resources: (views) => views.resources(APP),
  resource: (views) => views.resource(GIT),
  versions: (views) => views.versions(GIT, PAGE),
  snapshot: (views) => views.snapshot(APP),
};

describe.each(Object.entries(READS))('the public view: %s', (_name, read) => {
  test('the public view has nothing that only members see', async () => {
    const view = await read(setUp().views);
    expect(view).toBeDefined();
    expect(JSON.stringify(view)).not.toContain(MEMBERS_ONLY);
  });

  test('the view of a pipeline that is not public costs one query and is empty', async () => {
    const { views, queries } = setUp({ isPublic: false });
    expect(await read(views)).toBeUndefined();
    expect(queries).toEqual(['shown']);
  });

  test('the public view is empty a second after the pipeline turned private', async () => {
    const { views, pipeline, passSecond } = setUp();
    await read(views);
    pipeline.public = false;
    passSecond();
    expect(await read(views)).toBeUndefined();
  });
});

describe('the public', () => {
  test('concurrent requests for the same view cost one query', async () => {
    const { views, queries } = setUp();
    const page = { ...PAGE };
    await Promise.all(Array.from({ length: 50 }, () => views.builds(UNIT, { ...page })));
    expect(queries).toEqual(['shown', 'jobs', 'state', 'builds', 'shown']);
    await views.builds(UNIT, { ...page, before: 9 });
    expect(queries.filter((query) => query === 'builds')).toHaveLength(2);
  });

  test('cannot search versions by fields that it does not see', async () => {
    const { views, queries } = setUp();
    const search = { ...PAGE, text: 'secret' };
    await views.versions(GIT, search);
    expect(queries).toContain('versions');
    expect(queries).not.toContain('versions with a text');
  });

  test('a new viewer gets the current state', async () => {
    const { views, queries, pipeline } = setUp();
    await views.snapshot(APP);
    pipeline.public = false;
    expect(await views.snapshot(APP)).toBeUndefined();
    expect(queries.filter((query) => query === 'shown')).toHaveLength(2);
  });

  test.each(['builds', 'build', 'versions'])(
    'is shown no %s of a private pipeline that took over the name after the look-up, even with the same jobs',
    async (view) => {
      const { views, pipeline } = setUp();
      await views.snapshot(APP);
      expect(await views.job(UNIT)).toBeDefined();
      Object.assign(pipeline, { id: 2, public: false });
      expect(await READS[view]?.(views)).toBeUndefined();
    },
  );

  test('the public sees no jobs and resources outside the definition', async () => {
    const { views, queries } = setUp();
    const gone = { ...APP, job: 'gone' };
    const view = [
      await views.job(gone),
      await views.builds(gone, PAGE),
      await views.build({ ...gone, number: '7' }),
      await views.versions({ ...APP, resource: 'git.gone' }, PAGE),
    ];
    expect(view).toEqual([undefined, undefined, undefined, undefined]);
    expect(queries).toEqual(['shown', 'jobs', 'state']);
  });

  test('the public sees no step of an old build that names a resource outside the definition', async () => {
    const view = await setUp().views.build({ ...UNIT, number: '7' });
    expect(view?.steps.map(({ name }) => name)).toEqual(['app', 'test']);
  });
});
