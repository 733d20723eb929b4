import { describe, expect, test } from '@jest/globals';
import type {
  PipelineProjection,
  PipelineStatus,
  TeamProjection,
} from '#adapters/kubernetes/informers/projections.ts';
import { PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { Store } from '#adapters/kubernetes/watch/store.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { PipelineRemoved } from '#flows/pipelines/remove-pipeline.ts';
import type { StatusCondition } from './conditions.ts';
import { PipelineStates } from './pipeline-states.ts';
import { workOnPipeline, type PipelinesOptions } from './pipelines.ts';
import type { TeamState } from './team-states.ts';

const GENERATION = 2;
const condition = (
  type: string,
  status: StatusCondition['status'],
  reason: string,
  generation = GENERATION,
): StatusCondition => ({
  type,
  status,
  reason,
  message: `${reason}, in words`,
  observedGeneration: generation,
  lastTransitionTime: '2026-11-22T12:00:00Z',
});

interface Setup {
  object?: Partial<PipelineProjection>;
  conditions?: StatusCondition[];
  /** `none`: no Team has the namespace. */
  team?: TeamState | 'none';
  /** Results of applying the manifest, one after the other; an error is thrown. */
  applied?: (PipelineApplied | Error)[];
  removed?: PipelineRemoved;
  /** The facts in the database. */
  facts?: PipelineFacts;
}

const START = Date.UTC(2026, 10, 22, 13);
const BLUE: TeamProjection = {
  namespace: '',
  name: 'blue',
  uid: 't1',
  resourceVersion: '1',
  generation: 1,
  finalizers: [],
  spec: {},
  status: {},
};

function pipeline({ object, conditions }: Setup): PipelineProjection {
  return {
    namespace: 'blue',
    name: 'app',
    uid: 'u1',
    resourceVersion: '7',
    generation: GENERATION,
    finalizers: [PIPELINE_FINALIZER],
    configMaps: [],
    secrets: [],
    status: conditions === undefined ? {} : { observedGeneration: GENERATION, conditions },
    ...object,
  };
}

/** Answers with a copy of `object`, whatever type the caller expects. */
function answerWith(object: unknown) {
  return Promise.resolve({ ok: true as const, value: JSON.parse(JSON.stringify(object)) });
}

/**
 * A Pipeline and a new leader. `reconcile` returns what a reconciliation did: a line for each condition that
 * it wrote (`type=status reason`), each Event and each call, and last its result.
 */
function newLeader(setup: Setup) {
  const store = new Store<PipelineProjection>();
  store.put(pipeline(setup));
  const key = 'blue/app';
  const applied = [...(setup.applied ?? [])];
  let effects: string[] = [];
  let nowMs = START;
  const client: PipelinesOptions['client'] = {
    get: () => answerWith({ metadata: { ...store.get(key) } }),
    patchJson: (_kind, _ref, patch) => {
      effects.push(...patch.filter(({ op }) => op !== 'test').map(({ op, path }) => `${op} ${path}`));
      return answerWith({});
    },
    applyStatus: (_kind, { status }) => {
      const written: PipelineStatus = JSON.parse(JSON.stringify(status));
      effects.push(
        ...(written.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`),
      );
      const stored = store.get(key) ?? pipeline(setup);
      store.put({ ...stored, resourceVersion: `${stored.resourceVersion}0`, status: written });
      return answerWith({});
    },
  };
  const options: PipelinesOptions = {
    client,
    informers: { pipelines: { store }, teamOf: () => (setup.team === 'none' ? undefined : BLUE) },
    recorder: { record: (_regarding, { type, reason }) => void effects.push(`Event ${type} ${reason}`) },
    states: new PipelineStates(),
    applyAgain: (other) => void effects.push(`apply ${other} again`),
    apply: () => {
      effects.push('apply');
      const result = applied.shift() ?? new Error('not expected here');
      return Error.isError(result) ? Promise.reject(result) : Promise.resolve(result);
    },
    remove: (name, deletedMsAgo) => {
      effects.push(`remove ${name.team}/${name.pipeline}, deleted ${deletedMsAgo} ms ago`);
      return Promise.resolve(setup.removed ?? { outcome: 'removed' });
    },
    facts: () => Promise.resolve(setup.facts),
    teamState: () => (setup.team === 'none' ? 'unknown' : (setup.team ?? 'unknown')),
    now: () => new Date(nowMs),
  };
  const reconcile = async (afterMs = 0): Promise<string[]> => {
    effects = [];
    nowMs += afterMs;
    const result = await workOnPipeline(key, options).catch(() => 'error' as const);
    return [...effects, typeof result === 'string' ? result : `again in ${result.requeueAfterMs} ms`];
  };
  return { reconcile };
}

/** The conditions that a new leader writes about an existing Pipeline; 'unchanged' if it writes none. */
async function firstConditions(setup: Setup): Promise<string[] | 'unchanged'> {
  const conditions = (await newLeader(setup).reconcile()).filter((line) => line.includes('='));
  return conditions.length === 0 ? 'unchanged' : conditions;
}

const ACCEPTED = [condition('Ready', 'True', 'Accepted')];
const REFUSED = [condition('Ready', 'False', 'InvalidConfig'), condition('Stalled', 'True', 'InvalidConfig')];

describe('a new leader that has not prepared the Team yet', () => {
  test.each<[string, Setup, string[] | 'unchanged']>([
    ['keeps the condition that the pipeline runs', { conditions: ACCEPTED }, 'unchanged'],
    ['keeps the condition that the text has errors', { conditions: REFUSED }, 'unchanged'],
    [
      'reports that a newer text waits',
      { conditions: [condition('Ready', 'True', 'Accepted', GENERATION - 1)] },
      ['Ready=Unknown WaitingForTeam'],
    ],
    ['reports that a new pipeline waits', {}, ['Ready=Unknown WaitingForTeam']],
    [
      'replaces an error of the earlier leader by the wait',
      { conditions: [condition('Ready', 'False', 'Retrying')] },
      ['Ready=Unknown WaitingForTeam'],
    ],
  ])('%s', async (_, setup, written) => {
    expect(await firstConditions(setup)).toEqual(written);
  });
});

describe('a new leader whose database is unavailable', () => {
  test.each<[string, Setup, string[]]>([
    [
      'keeps the condition that the pipeline runs, and reports a retry',
      { conditions: ACCEPTED },
      ['Ready=True Accepted', 'Reconciling=True Retrying'],
    ],
    [
      'keeps the condition that the text has errors',
      { conditions: REFUSED },
      ['Ready=False InvalidConfig', 'Stalled=True InvalidConfig', 'Reconciling=True Retrying'],
    ],
    [
      'reports a retry for a pipeline that has no decision yet',
      { conditions: [condition('Ready', 'Unknown', 'WaitingForTeam')] },
      ['Ready=False Retrying', 'Reconciling=True Retrying'],
    ],
  ])('%s', async (_, setup, written) => {
    const applied = [new Error('the database is unreachable')];
    expect(await firstConditions({ ...setup, team: 'ready', applied })).toEqual(written);
  });
});

/** The effects of reporting that the Pipeline does not run for this reason and waits for a change. */
const reported = (reason: string): string[] => [
  `Ready=False ${reason}`,
  `Stalled=True ${reason}`,
  `Event Warning ${reason}`,
  'done',
];

describe('a Pipeline whose Team is not ready', () => {
  const waiting = ['Ready=Unknown WaitingForTeam', 'again in 10000 ms'];
  const cases: Record<string, [setup: Setup, atOnce: string[], beforeTimeout: string[], after: string[]]> = {
    'waits for a Team that is missing, and then reports it': [
      { team: 'none' },
      waiting,
      ['again in 10000 ms'],
      reported('NoTeam'),
    ],
    'waits for a Team that is refused, and then reports it': [
      { team: 'refused' },
      waiting,
      ['again in 10000 ms'],
      reported('TeamNotReady'),
    ],
    'waits for a Team that this leader has not seen, however long': [
      { team: 'unknown' },
      waiting,
      ['again in 10000 ms'],
      ['again in 10000 ms'],
    ],
    'keeps its condition while it waits, and then reports the missing Team': [
      { team: 'none', conditions: ACCEPTED },
      ['again in 10000 ms'],
      ['again in 10000 ms'],
      reported('NoTeam'),
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [setup, atOnce, beforeTimeout, after]) => {
    const { reconcile } = newLeader(setup);
    expect(await reconcile()).toEqual(atOnce);
    expect(await reconcile(9999)).toEqual(beforeTimeout);
    expect(await reconcile(1)).toEqual(after);
  });
});

describe('a deleted Pipeline', () => {
  const deletedAt = new Date(START - 5000);
  const released = 'remove /metadata/finalizers/0';
  const removed = 'remove blue/app, deleted 5000 ms ago';
  const cases: Record<string, [setup: Setup, effects: string[]]> = {
    'is removed, and released': [{ team: 'ready', object: { deletedAt } }, [removed, released, 'done']],
    'is removed although its Team is not ready': [
      { team: 'refused', object: { deletedAt } },
      [removed, released, 'done'],
    ],
    'stays until its builds have ended': [
      {
        team: 'ready',
        object: { deletedAt },
        removed: { outcome: 'waiting', message: 'Waiting for one build to end.' },
      },
      [removed, 'Ready=False Terminating', 'Event Warning Terminating', 'again in 2000 ms'],
    ],
    'is released when the database stays unavailable': [
      {
        team: 'ready',
        object: { deletedAt },
        removed: { outcome: 'abandoned', message: 'The database was not updated.' },
      },
      [removed, released, 'done'],
    ],
    'is released if no Team has its namespace': [{ team: 'none', object: { deletedAt } }, [released, 'done']],
    'is left alone if it has only finalizers of others': [
      { team: 'ready', object: { deletedAt, finalizers: ['others.example/hold'] } },
      ['done'],
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [setup, effects]) => {
    expect(await newLeader(setup).reconcile()).toEqual(effects);
  });
});

const FACTS: PipelineFacts = { id: 1, revision: 3, paused: false, jobs: [], resources: [] };
const NOTHING = { added: [], changed: [], removed: [] };
const APPLIED: PipelineApplied = {
  outcome: 'applied',
  saved: {
    id: 1,
    revision: 3,
    changed: false,
    resources: [],
    difference: { jobs: NOTHING, resources: NOTHING, histories: [] },
  },
  warnings: [],
  facts: FACTS,
};
const ACCEPTED_PIPELINE: Setup = { team: 'ready', conditions: ACCEPTED };

describe('an applied Pipeline', () => {
  const renamedFrom = { name: 'old', uid: 'u0', key: 'k' };
  const unavailable: PipelineApplied = {
    outcome: 'unavailable',
    reason: 'SourceUnavailable',
    message: 'in words',
    again: true,
  };
  const refused: PipelineApplied = { outcome: 'renaming', reason: 'RenameRefused', message: 'in words' };
  const cases: Record<string, [setup: Setup, effects: string[]]> = {
    'gets the finalizer and a first condition before it is applied': [
      { team: 'ready', object: { finalizers: [] }, applied: [APPLIED] },
      [
        'add /metadata/finalizers',
        'Ready=Unknown Applying',
        'apply',
        'Ready=True Accepted',
        'Event Normal RevisionApplied',
        'done',
      ],
    ],
    'does nothing more if its pipeline was renamed': [
      { ...ACCEPTED_PIPELINE, applied: [{ outcome: 'renamed', to: 'new' }] },
      ['apply', 'done'],
    ],
    'applies the old object of a rename again': [
      { ...ACCEPTED_PIPELINE, object: { renamedFrom }, applied: [APPLIED] },
      ['apply', 'Ready=True Accepted', 'Event Normal RevisionApplied', 'apply blue/old again', 'done'],
    ],
    'is tried again soon while a rename waits for builds': [
      {
        ...ACCEPTED_PIPELINE,
        object: { renamedFrom },
        applied: [{ outcome: 'renaming', reason: 'Renaming', message: 'in words' }],
      },
      ['apply', 'Ready=False Renaming', 'Event Warning Renaming', 'again in 2000 ms'],
    ],
    'reports a rename that is refused': [
      { ...ACCEPTED_PIPELINE, object: { renamedFrom }, applied: [refused] },
      [
        'apply',
        'Ready=False RenameRefused',
        'Stalled=True RenameRefused',
        'Event Warning RenameRefused',
        'again in 60000 ms',
      ],
    ],
    'fetches an unavailable source again': [
      { ...ACCEPTED_PIPELINE, applied: [unavailable] },
      ['apply', 'Ready=False SourceUnavailable', 'Event Warning SourceUnavailable', 'again in 60000 ms'],
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [setup, effects]) => {
    expect(await newLeader(setup).reconcile()).toEqual(effects);
  });

  test('is applied once, and then only its status follows the facts', async () => {
    const { reconcile } = newLeader({ ...ACCEPTED_PIPELINE, applied: [APPLIED], facts: FACTS });
    expect(await reconcile()).toContain('apply');
    expect(await reconcile()).toEqual(['done']);
  });

  test('is applied again after a retry', async () => {
    const { reconcile } = newLeader({ ...ACCEPTED_PIPELINE, applied: [unavailable, APPLIED], facts: FACTS });
    expect(await reconcile()).toContain('again in 60000 ms');
    expect(await reconcile(60_000)).toContain('apply');
    expect(await reconcile()).toEqual(['done']);
  });

  test('is applied again if the API paused it', async () => {
    const paused = { ...FACTS, paused: true };
    const applied = [APPLIED, { ...APPLIED, facts: paused }];
    const { reconcile } = newLeader({ ...ACCEPTED_PIPELINE, applied, facts: paused });
    expect(await reconcile()).toContain('Ready=True Accepted');
    expect(await reconcile()).toEqual(['again in 0 ms']);
    expect(await reconcile()).toEqual(['apply', 'Ready=True Paused', 'done']);
    expect(await reconcile()).toEqual(['done']);
  });
});
