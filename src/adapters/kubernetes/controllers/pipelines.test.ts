import { describe, expect, test } from '@jest/globals';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { PipelineProjection, TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import { PIPELINE_FINALIZER } from '#adapters/kubernetes/manifests/labels.ts';
import { Store } from '#adapters/kubernetes/watch/store.ts';
import type { StatusCondition } from './conditions.ts';
import { PipelineStates } from './pipeline-states.ts';
import { workOnPipeline, type PipelinesOptions } from './pipelines.ts';
import type { TeamState } from './team-states.ts';

const GENERATION = 2;
const condition = (
  type: string,
  is: StatusCondition['status'],
  reason: string,
  generation = GENERATION,
): StatusCondition => ({
  type,
  status: is,
  reason,
  message: `${reason}, in words`,
  observedGeneration: generation,
  lastTransitionTime: '2026-11-22T12:00:00Z',
});

interface World {
  conditions?: StatusCondition[];
  team?: TeamState;
  /** The error that applying the manifest ends with. */
  error?: string;
}

const refuse = () => Promise.reject(new Error('not expected here'));

/** What a new leader writes about an existing Pipeline, as `type=status reason`. Nothing written: 'kept'. */
async function firstLook({ conditions, team = 'unknown', error = '' }: World): Promise<string[] | 'kept'> {
  const store = new Store<PipelineProjection>();
  const seen: PipelineProjection = {
    namespace: 'blue',
    name: 'app',
    uid: 'u1',
    resourceVersion: '7',
    generation: GENERATION,
    finalizers: [PIPELINE_FINALIZER],
    configMaps: [],
    secrets: [],
    status: conditions === undefined ? {} : { observedGeneration: GENERATION, conditions },
  };
  store.put(seen);
  let written: string[] | 'kept' = 'kept';
  const client: Pick<ApiClient, 'applyStatus' | 'get' | 'patchJson'> = {
    get: refuse,
    patchJson: refuse,
    applyStatus: (_, { status }) => {
      const lines: StatusCondition[] = JSON.parse(JSON.stringify(status)).conditions;
      written = lines.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
      return Promise.resolve({ ok: false, status: 409, reason: 'Conflict', message: 'not looked at' });
    },
  };
  const blue: TeamProjection = {
    namespace: '',
    name: 'blue',
    uid: 't1',
    resourceVersion: '1',
    generation: 1,
    finalizers: [],
    spec: {},
    status: {},
  };
  const options: PipelinesOptions = {
    client,
    informers: { pipelines: { store }, teamOf: () => blue },
    recorder: { record: () => undefined },
    states: new PipelineStates(),
    applyAgain: () => undefined,
    apply: () => Promise.reject(new Error(error)),
    remove: refuse,
    facts: refuse,
    teamState: () => team,
  };
  await workOnPipeline('blue/app', options).catch(() => undefined);
  return written;
}

const ACCEPTED = [condition('Ready', 'True', 'Accepted')];
const REFUSED = [condition('Ready', 'False', 'InvalidConfig'), condition('Stalled', 'True', 'InvalidConfig')];

describe('a new leader that has not prepared the Team yet', () => {
  test.each<[string, World, string[] | 'kept']>([
    ['keeps the condition that the pipeline runs', { conditions: ACCEPTED }, 'kept'],
    ['keeps the condition that the text has errors', { conditions: REFUSED }, 'kept'],
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
  ])('%s', async (_, world, written) => {
    expect(await firstLook(world)).toEqual(written);
  });
});

describe('a new leader whose database is unavailable', () => {
  test.each<[string, World, string[]]>([
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
  ])('%s', async (_, world, written) => {
    expect(await firstLook({ ...world, team: 'ready', error: 'the database is unreachable' })).toEqual(
      written,
    );
  });
});
