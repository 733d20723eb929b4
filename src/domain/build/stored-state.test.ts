import { describe, expect, test } from '@jest/globals';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { stateOf, stepsOf, type StoredSteps } from './stored-state.ts';

const definition = samplePipeline({ jobs: [job('unit', get('git.app'), task('test'))] });
const planned = { kind: 'planned', definition, job: 'unit', ended: false } as const;

describe('the steps of an attempt', () => {
  const cases: Record<string, [StoredSteps, string[]]> = {
    'follow from the definition before its first event': [
      planned,
      ['0 get git.app waiting', '1 task test waiting'],
    ],
    'were skipped if the build ended before': [
      { ...planned, ended: true },
      ['0 get git.app skipped', '1 task test skipped'],
    ],
    'are as they were recorded': [
      { kind: 'recorded', steps: [{ id: '0', kind: 'task', name: 'test', status: 'started' }] },
      ['0 task test started'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [stored, expected]) => {
    const steps = stepsOf(stored).map(({ id, kind, name, status }) => `${id} ${kind} ${name} ${status}`);
    expect(steps).toEqual(expected);
    expect(stateOf({ status: 'pending', applied: 3, logBytes: 5, steps: stored })).toEqual({
      status: 'pending',
      applied: 3,
      logBytes: 5,
      steps: stepsOf(stored),
    });
  });
});
