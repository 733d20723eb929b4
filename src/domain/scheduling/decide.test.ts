import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { GetStep } from '#domain/pipeline/pipeline.ts';
import { decide } from './decide.ts';
import { MOST_UNUSED, type BuildCause, type Decision, type InputFacts, type JobFacts } from './snapshot.ts';

const get = (name: string, more: Partial<GetStep> = {}): GetStep => ({
  kind: 'get',
  name,
  resource: `git.${name}`,
  trigger: true,
  passed: [],
  ...more,
});
const facts = (more: Partial<InputFacts> = {}): InputFacts => ({
  dealtWith: 0,
  unused: [],
  good: [],
  ...more,
});

/** A get with what is known of it. */
type Input = [GetStep, InputFacts];

function job(inputs: Input[], more: Partial<JobFacts> = {}): JobFacts {
  return {
    id: 1,
    name: 'unit',
    paused: false,
    active: false,
    gets: inputs.map(([step]) => step),
    inputs: inputs.map(([, known]) => known),
    requests: [],
    ...more,
  };
}

const builds = (decision: Decision): [number[], BuildCause['kind']][] =>
  decision.builds.map(({ versions, cause }) => [versions, cause.kind]);
const codes = (decision: Decision): string[] => decision.waiting.map(({ code }) => code);

const ungated = (unused: number[], more: Partial<InputFacts> = {}): Input => {
  const latest = unused.at(-1);
  return [get('app'), facts({ unused, ...(latest === undefined ? {} : { latest }), ...more })];
};
const passed = (versions: number[], more: Partial<InputFacts> = {}): Input => [
  get('app', { passed: ['unit'] }),
  facts({ latest: 9, good: [{ job: 'unit', versions }], ...more }),
];
const beside = (latest?: number): Input => [
  get('tools', { trigger: false }),
  facts(latest === undefined ? {} : { latest }),
];

describe('automatic builds', () => {
  const table: Record<string, [JobFacts, [number[], BuildCause['kind']][], string[]]> = {
    'every new version gets a build of its own, oldest first, the first check included': [
      job([ungated([3, 1, 2], { latest: 3 })]),
      [
        [[1], 'version'],
        [[2], 'version'],
        [[3], 'version'],
      ],
      [],
    ],
    'a version from before the job existed starts nothing': [
      job([ungated([], { latest: 7, dealtWith: 7 })]),
      [],
      ['NothingNew'],
    ],
    'new versions do not wait for a build that is active': [
      job([ungated([5])], { active: true }),
      [[[5], 'version']],
      [],
    ],
    'a paused job waits': [job([ungated([5])], { paused: true }), [], ['JobPaused']],
    'gets that do not trigger take the newest version': [
      job([ungated([5, 6]), beside(40)]),
      [
        [[5, 40], 'version'],
        [[6, 40], 'version'],
      ],
      [],
    ],
    'a get without any version holds the job up, with its reason': [
      job([ungated([5]), beside()]),
      [],
      ['NoVersion'],
    ],
    'a job whose gets trigger nothing is never built by itself': [job([beside(40)]), [], []],
    'two new versions that lead to the same inputs make one build': [
      job([ungated([5]), [get('tools'), facts({ latest: 41, unused: [41] })]]),
      [[[5, 41], 'version']],
      [],
    ],
    'the newest version that passed is taken, older ones are skipped': [
      job([passed([6, 4, 2])]),
      [[[6], 'passed']],
      [],
    ],
    'what passed must have passed in all upstream jobs': [
      job([
        [
          get('app', { passed: ['unit', 'lint'] }),
          facts({
            latest: 9,
            good: [
              { job: 'unit', versions: [7, 5, 3] },
              { job: 'lint', versions: [6, 5, 3] },
            ],
          }),
        ],
      ]),
      [[[5], 'passed']],
      [],
    ],
    'nothing has passed one of the upstream jobs': [
      job([
        [
          get('app', { passed: ['unit', 'lint'] }),
          facts({ latest: 9, good: [{ job: 'unit', versions: [7] }] }),
        ],
      ]),
      [],
      ['NothingPassed'],
    ],
    'a version that a build of the job used is not built again': [
      job([passed([6, 4], { lastUsed: 6 })]),
      [],
      ['NothingNew'],
    ],
    'an older version that passes late does not come after a newer one': [
      job([passed([4], { lastUsed: 6 })]),
      [],
      ['NothingNew'],
    ],
    'a version that passed before the job existed starts nothing': [
      job([passed([6], { dealtWith: 6 })]),
      [],
      ['NothingNew'],
    ],
    'what passed waits while a build of the job is active': [
      job([passed([6])], { active: true }),
      [],
      ['BuildActive'],
    ],
    'a gated get that does not trigger starts nothing, but must have a version': [
      job([
        [get('app', { passed: ['unit'], trigger: false }), facts({ good: [{ job: 'unit', versions: [] }] })],
      ]),
      [],
      [],
    ],
    'a new version beside a gated get takes what passed': [
      job([
        ungated([50]),
        [
          get('lib', { passed: ['unit'], trigger: false }),
          facts({ good: [{ job: 'unit', versions: [6, 4] }] }),
        ],
      ]),
      [[[50, 6], 'version']],
      [],
    ],
    'a new version and a fresh passed one make one build': [
      job([
        ungated([50]),
        [get('lib', { passed: ['unit'] }), facts({ good: [{ job: 'unit', versions: [6] }] })],
      ]),
      [[[50, 6], 'version']],
      [],
    ],
  };

  test.each(Object.entries(table))('%s', (_, [known, expected, waiting]) => {
    const decision = decide({ jobs: [known] });
    expect(builds(decision)).toEqual(expected);
    expect(codes(decision)).toEqual(waiting);
  });
});

describe('manual requests', () => {
  const request = [{ id: 70, by: 'ann' }];

  test('take the newest versions, used or not', () => {
    const known = job([ungated([], { latest: 7, dealtWith: 7 }), beside(40)], { requests: request });
    expect(decide({ jobs: [known] }).builds).toEqual([
      { job: 1, versions: [7, 40], cause: { kind: 'manual', request: 70, by: 'ann' } },
    ]);
  });

  test('take what passed where that is asked for, also while a build is active', () => {
    const known = job([passed([6, 4], { lastUsed: 6 })], { requests: request, active: true });
    expect(builds(decide({ jobs: [known] }))).toEqual([[[6], 'manual']]);
  });

  test('are refused with the reason of every input that lacks a version', () => {
    const known = job([passed([]), beside()], { requests: request });
    const [refused] = decide({ jobs: [known] }).refused;
    expect(refused?.request).toBe(70);
    expect(refused?.reasons.map(({ code, message }) => [code, message])).toEqual([
      ['NothingPassed', 'No version of git.app has passed unit yet.'],
      ['NoVersion', 'No version of git.tools is known yet.'],
    ]);
  });

  test('of a paused job are refused', () => {
    const known = job([ungated([5])], { requests: request, paused: true });
    expect(decide({ jobs: [known] }).refused[0]?.reasons.map(({ code }) => code)).toEqual(['JobPaused']);
  });

  test('get a build each, oldest request first, after the automatic ones', () => {
    const requests = [
      { id: 71, by: 'bob' },
      { id: 70, by: 'ann' },
    ];
    const decision = decide({ jobs: [job([ungated([5])], { requests })] });
    expect(decision.builds.map(({ cause }) => (cause.kind === 'manual' ? cause.by : cause.kind))).toEqual([
      'version',
      'ann',
      'bob',
    ]);
  });
});

test('what a decision dealt with is told, and whether more is left', () => {
  const many = Array.from({ length: MOST_UNUSED + 1 }, (_, index) => index + 1);
  const decision = decide({ jobs: [job([ungated(many)])] });
  expect(decision.builds).toHaveLength(MOST_UNUSED);
  expect(decision.dealtWith).toEqual([{ job: 1, get: 0, version: MOST_UNUSED }]);
  expect(decision.unfinished).toEqual([1]);
});

/** Plays arrivals of versions against decisions, as store and scheduler do it together. */
function play(arrivals: { get: number; decide: boolean }[], gets: number): number[][] {
  const known: number[][] = Array.from({ length: gets }, () => []);
  const dealtWith = Array.from({ length: gets }, () => 0);
  const built: number[][] = [];
  const decideNow = (): void => {
    for (let unfinished = true; unfinished;) {
      const inputs = known.map((versions, index): Input => {
        const after = dealtWith[index] ?? 0;
        const unused = versions.filter((version) => version > after).slice(0, MOST_UNUSED + 1);
        const latest = versions.at(-1);
        return [
          get(`r${index}`),
          facts({ unused, dealtWith: after, ...(latest === undefined ? {} : { latest }) }),
        ];
      });
      const decision = decide({ jobs: [job(inputs)] });
      built.push(...decision.builds.map(({ versions }) => versions));
      for (const { get: index, version } of decision.dealtWith) dealtWith[index] = version;
      unfinished = decision.unfinished.length > 0;
    }
  };
  for (const [index, arrival] of arrivals.entries()) {
    known[arrival.get]?.push(index + 1);
    if (arrival.decide) decideNow();
  }
  decideNow();
  return built;
}

const arrivals = (gets: number, maxLength: number) =>
  fc.array(fc.record({ get: fc.nat(gets - 1), decide: fc.boolean() }), {
    minLength: 1,
    maxLength,
    size: 'max',
  });

describe('whatever comes', () => {
  test('no version set is built twice, and no version is left out', () => {
    fc.assert(
      fc.property(arrivals(3, 40), (history) => {
        const built = play(history, 3);
        expect(new Set(built.map(String)).size).toBe(built.length);
        const complete = new Set(history.map(({ get: index }) => index)).size === 3;
        const used = new Set(built.flat());
        if (complete) expect(history.every((_, index) => used.has(index + 1))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('nor when more versions wait than one decision takes', () => {
    fc.assert(
      fc.property(arrivals(2, 3 * MOST_UNUSED), (history) => {
        const rare = history.map(({ get: index }, at) => ({ get: index, decide: at % 250 === 249 }));
        const built = play(rare, 2);
        expect(new Set(built.map(String)).size).toBe(built.length);
      }),
      { numRuns: 60 },
    );
  });

  test('the order of the facts does not matter', () => {
    const version = fc.integer({ min: 1, max: 30 });
    const input = fc.record({
      latest: fc.integer({ min: 30, max: 40 }),
      dealtWith: version,
      unused: fc.uniqueArray(version, { maxLength: 5 }),
      good: fc.uniqueArray(version, { maxLength: 5 }),
      lastUsed: version,
      gated: fc.boolean(),
      trigger: fc.boolean(),
    });
    const jobs = fc.array(
      fc.record({
        inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
        paused: fc.boolean(),
        active: fc.boolean(),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(jobs, fc.infiniteStream(fc.nat()), (drawn, chance) => {
        const known = drawn.map(({ inputs, paused, active }, id) =>
          job(
            inputs.map(({ gated, trigger, good, ...rest }, index): Input => [
              get(`r${index}`, { trigger, passed: gated ? ['unit'] : [] }),
              facts({ ...rest, good: gated ? [{ job: 'unit', versions: good }] : [] }),
            ]),
            { id, paused, active },
          ),
        );
        const shuffle = <T>(items: T[]): T[] =>
          items
            .map((item) => [chance.next().value, item] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, item]) => item);
        const shuffled = shuffle(
          known.map((facts_) => ({
            ...facts_,
            inputs: facts_.inputs.map((one) => ({
              ...one,
              unused: shuffle(one.unused),
              good: one.good.map((good) => ({ ...good, versions: shuffle(good.versions) })),
            })),
          })),
        );
        expect(decide({ jobs: shuffled })).toEqual(decide({ jobs: known }));
      }),
    );
  });
});
