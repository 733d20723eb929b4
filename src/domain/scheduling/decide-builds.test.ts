import { describe, expect, test } from '@jest/globals';
import { takesEvery } from '#domain/pipeline/takes-every.ts';
import { decideBuilds } from './decide-builds.ts';
import {
  MAX_UNUSED_VERSIONS,
  NEWEST,
  type Facts,
  type GetFacts,
  type GoodBuild,
  type GoodBuildPage,
} from './facts.ts';
import { buildsNeededDownstream } from './needed-downstream.ts';

const get = (more: Partial<GetFacts> = {}): GetFacts => ({
  resource: 1,
  trigger: true,
  passed: [],
  every: more.passed === undefined,
  baseline: 0,
  unused: [],
  ...more,
});

function facts(gets: GetFacts[], more: Partial<Facts> = {}): Facts {
  return {
    paused: false,
    resources: [1, 2, 3].map((id) => ({ id, name: `git.r${id}`, newest: 1_000_000 })),
    jobs: [{ id: 9, name: 'deploy', paused: false, gets, requests: [] }],
    passes: [],
    used: gets.map((_, position) => ({ job: 9, get: position, versions: [], end: true })),
    ...more,
  };
}

const after = (...names: [number, string][]): GetFacts['passed'] =>
  names.map(([job, name]) => ({ job, name }));
const page = (upstream: number, resource: number, rows: GoodBuild[], end = true): GoodBuildPage => ({
  upstream,
  resource,
  rows,
  end,
});
const row = (version: number, build: number, ...also: [resource: number, version: number][]): GoodBuild => ({
  version,
  build,
  also: also.map(([resource, taken]) => ({ resource, version: taken })),
});

describe('a decision on much history', () => {
  test('a decision takes a limited number of new versions, and says up to which one and that more are left', () => {
    const unused = Array.from({ length: MAX_UNUSED_VERSIONS + 1 }, (_, index) => index + 1);
    const decision = decideBuilds(facts([get({ unused }), get({ resource: 2 })]));
    expect(decision.builds).toHaveLength(MAX_UNUSED_VERSIONS);
    expect(decision.settled).toEqual([{ job: 9, get: 0, version: MAX_UNUSED_VERSIONS }]);
    expect(decision.unfinished).toEqual([9]);
  });

  test('a decision that takes all new versions says that none are left', () => {
    const unused = Array.from({ length: MAX_UNUSED_VERSIONS }, (_, index) => index + 1);
    expect(decideBuilds(facts([get({ unused })])).unfinished).toEqual([]);
  });

  test('a decision answers every request at once', () => {
    const scenario = facts([get({ unused: [4] })]);
    scenario.resources = [{ id: 1, name: 'git.app', newest: 4 }];
    const requests = ['ann', 'bob'].map((person, index) => ({ id: index + 1, by: person }));
    scenario.jobs = scenario.jobs.map((job) => ({ ...job, requests: requests.toReversed() }));
    expect(decideBuilds(scenario).builds.map(({ cause }) => cause)).toEqual([
      { kind: 'manual', request: 1, by: 'ann' },
      { kind: 'manual', request: 2, by: 'bob' },
    ]);
  });

  test('a decision requests the page that it lacks, from the position where its search continues', () => {
    const gets = [get({ passed: after([1, 'unit'], [2, 'lint']) })];
    const scenario = { passes: [page(1, 1, [row(50, 500), row(49, 490)], false), page(2, 1, [row(7, 70)])] };
    expect(decideBuilds(facts(gets, scenario)).needs).toEqual([
      { kind: 'passes', upstream: 1, resource: 1, from: { version: 7, build: NEWEST } },
    ]);
  });

  test('a decision requests an older page of used versions if its pages do not reach back to the version', () => {
    const gets = [get({ passed: after([1, 'unit']) })];
    const scenario = {
      passes: [page(1, 1, [row(7, 70)])],
      used: [{ job: 9, get: 0, versions: [9, 8], end: false }],
    };
    expect(decideBuilds(facts(gets, scenario)).needs).toEqual([{ kind: 'used', job: 9, get: 0, from: 7 }]);
  });

  test('a decision on several jobs leaves out only the job that lacks a page', () => {
    const withoutPage = facts([get({ passed: after([1, 'unit']) })]);
    const other = { id: 10, name: 'unit', paused: false, gets: [get({ unused: [4] })], requests: [] };
    const decision = decideBuilds({
      ...withoutPage,
      jobs: [...withoutPage.jobs, other],
      used: [...withoutPage.used, { job: 10, get: 0, versions: [], end: true }],
    });
    expect(decision.needs).toHaveLength(1);
    expect(decision.builds.map(({ job }) => job)).toEqual([10]);
    expect(decision.waiting).toEqual([]);
  });

  test('a decision that lacks a page ends with a reason if no older pages will come', () => {
    const gets = [get({ passed: after([1, 'unit'], [2, 'lint']) })];
    const scenario = {
      passes: [page(1, 1, [row(50, 500)], false), page(2, 1, [row(7, 70)])],
      exhausted: true,
    };
    const decision = decideBuilds(facts(gets, scenario));
    expect(decision.needs).toEqual([]);
    expect(decision.waiting[0]?.reasons).toEqual([
      {
        code: 'SearchTooDeep',
        message:
          'The newest builds of unit and lint do not agree on a version of git.r1, ' +
          'and Millrace does not search older ones.',
        data: { resource: 'git.r1', jobs: ['unit', 'lint'] },
      },
    ]);
  });

  test('a version counts as used if the page that would show it is too old to be read', () => {
    const gets = [get({ passed: after([1, 'unit']) })];
    const scenario = {
      passes: [page(1, 1, [row(7, 70)])],
      used: [{ job: 9, get: 0, versions: [9, 8], end: false }],
      exhausted: true,
    };
    const decision = decideBuilds(facts(gets, scenario));
    expect(decision.builds).toEqual([]);
    expect(decision.needs).toEqual([]);
  });

  test('a decision gives up a search that would take too many steps', () => {
    const gets = [
      get({ resource: 1, passed: after([1, 'unit'], [4, 'lint']) }),
      get({ resource: 2, passed: after([2, 'bake']) }),
      get({ resource: 3, passed: after([1, 'unit'], [2, 'bake']) }),
    ];
    const numbers = Array.from({ length: 300 }, (_, index) => 301 - index);
    // unit and bake agree on only one version of the third resource. The build of unit with that version took
    // a version of the first resource that never passed lint.
    const unit = [...numbers.map((number): [number, number] => [number, number]), [1, 9999] as const];
    const bake = [...numbers.map((number): [number, number] => [number, number + 5000]), [1, 9999] as const];
    const passes = [
      page(
        1,
        1,
        unit.map(([first, third]) => row(first, first, [3, third])),
      ),
      page(
        1,
        3,
        unit.toSorted((a, b) => b[1] - a[1]).map(([first, third]) => row(third, first, [1, first])),
      ),
      page(
        2,
        2,
        bake.map(([second, third]) => row(second, second + 1000, [3, third])),
      ),
      page(
        2,
        3,
        bake.toSorted((a, b) => b[1] - a[1]).map(([second, third]) => row(third, second + 1000, [2, second])),
      ),
      page(
        4,
        1,
        numbers.map((first) => row(first, first + 2000)),
      ),
    ];
    const [waiting] = decideBuilds(facts(gets, { passes })).waiting;
    expect(waiting?.reasons.map(({ code }) => code)).toEqual(Array(3).fill('SearchTooDeep'));
  });

  test('a decision searches nothing twice', () => {
    const gets = [
      get({ resource: 1, passed: after([1, 'a']) }),
      get({ resource: 2, passed: after([1, 'a'], [2, 'b']) }),
      get({ resource: 3, passed: after([2, 'b'], [3, 'c']) }),
      get({ resource: 4, passed: after([3, 'c'], [4, 'd']) }),
    ];
    const numbers = Array.from({ length: 200 }, (_, index) => 200 - index);
    // Whatever version of the first resource is taken, the second one is taken at version 7. For each of
    // these choices, c and d then disagree on the fourth resource.
    const passes = [
      page(
        1,
        1,
        numbers.map((number) => row(number, number, [2, 7])),
      ),
      page(
        1,
        2,
        numbers.map((number) => row(7, number, [1, number])),
      ),
      page(
        2,
        2,
        numbers.map((number) => row(7, number + 1000, [3, number])),
      ),
      page(
        2,
        3,
        numbers.map((number) => row(number, number + 1000, [2, 7])),
      ),
      page(3, 3, [
        row(500, 2500, [4, 999]),
        ...numbers.map((number) => row(number, number + 2000, [4, number])),
      ]),
      page(3, 4, [
        row(999, 2500, [3, 500]),
        ...numbers.map((number) => row(number, number + 2000, [3, number])),
      ]),
      page(4, 4, [row(999, 3000)]),
    ];
    const scenario = facts(gets, { passes });
    scenario.resources.push({ id: 4, name: 'git.r4', newest: 1_000_000 });
    const [waiting] = decideBuilds(scenario).waiting;
    expect(waiting?.reasons.map(({ code }) => code)).toEqual(Array(4).fill('NoAgreement'));
  });

  test('a decision refuses facts that leave out a resource', () => {
    expect(() => decideBuilds(facts([get({ resource: 77 })]))).toThrow('The facts lack resource 77');
  });
});

test('reasons name their resources, jobs and versions', () => {
  const gets = [
    get({ passed: after([1, 'unit'], [2, 'lint']) }),
    get({ resource: 2, trigger: false }),
    get({ resource: 3, passed: after([3, 'bake']) }),
  ];
  const scenario = facts(gets, { passes: [page(1, 1, []), page(2, 1, []), page(3, 3, [row(4, 40)])] });
  scenario.resources = [
    { id: 1, name: 'git.app' },
    { id: 2, name: 'git.tools', disabled: true },
    { id: 3, name: 'git.image', pinned: { version: 5, disabled: false } },
  ];
  expect(decideBuilds(scenario).waiting[0]?.reasons.map(({ message }) => message)).toEqual([
    'No version of git.app has passed unit and lint yet.',
    'Every version of git.tools is disabled.',
    'git.image is pinned to version 5, which has not passed bake.',
  ]);
});

test('builds whose good versions downstream jobs would take now must stay', () => {
  const gets = [
    get({ resource: 1, passed: after([1, 'unit'], [2, 'lint']) }),
    get({ resource: 2, passed: after([1, 'unit']) }),
    get({ resource: 3 }),
  ];
  const passes = [
    page(1, 1, [row(9, 99, [2, 3]), row(8, 88, [2, 5]), row(8, 80, [2, 4]), row(7, 89, [2, 5])]),
    page(1, 2, [row(5, 89, [1, 7]), row(5, 88, [1, 8]), row(4, 80, [1, 8]), row(3, 99, [1, 9])]),
    page(2, 1, [row(8, 82), row(8, 81)]),
  ];
  expect(buildsNeededDownstream(facts(gets, { passes }))).toEqual([88, 82]);
});

test('a trigger takes every version if it has no passed or sets version = every', () => {
  const step = { kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [] } as const;
  expect(takesEvery({ ...step, passed: [] })).toBe(true);
  expect(takesEvery({ ...step, passed: ['unit'] })).toBe(false);
  expect(takesEvery({ ...step, passed: ['unit'], version: 'every' })).toBe(true);
  expect(takesEvery({ ...step, passed: [], trigger: false, version: 'every' })).toBe(false);
});
