import { describe, expect, test } from '@jest/globals';
import { assert, nat, property, string } from 'fast-check';
import { labelValue } from './labels.ts';
import { buildPodName, checkPodName, cronJobName } from './names.ts';

const build = { id: 41, attempt: 1, team: 'blue', pipeline: 'demo', job: 'unit', number: '7' };
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

describe('names of objects that Millrace creates', () => {
  test('contain the pipeline, and the job, the check run or the check group', () => {
    expect(buildPodName(build)).toMatch(/^demo-unit-7-1-[0-9a-f]{5}$/);
    expect(checkPodName('demo', 12)).toBe('check-demo-12');
    expect(cronJobName('demo', 'every-30s')).toBe('demo-check-every-30s');
  });

  test('are equal for the same attempt and differ between attempts, builds and teams', () => {
    expect(buildPodName(build)).toBe(buildPodName({ ...build }));
    const others = [{ attempt: 2 }, { id: 42 }, { team: 'green' }].map((changes) =>
      buildPodName({ ...build, ...changes }),
    );
    expect(new Set([buildPodName(build), ...others]).size).toBe(4);
  });

  test('are always valid Kubernetes names of a valid length', () => {
    assert(
      property(string(), string(), nat(), (pipeline, other, id) => {
        const pod = buildPodName({ ...build, pipeline, job: other, id });
        const cronJob = cronJobName(pipeline.repeat(9), other.repeat(9));
        expect(pod).toMatch(NAME);
        expect(pod.length).toBeLessThanOrEqual(63);
        expect(checkPodName(pipeline, id)).toMatch(NAME);
        expect(cronJob).toMatch(NAME);
        expect(cronJob.length).toBeLessThanOrEqual(52);
      }),
    );
  });

  test('keep a part of a long pipeline name and a part of a long job name', () => {
    const name = buildPodName({ ...build, pipeline: 'p'.repeat(60), job: 'j'.repeat(60) });
    expect(name).toHaveLength(63);
    expect(name).toMatch(/^p{20,}-j{20,}-7-1-/);
  });
});

test('any text becomes a valid label value, and different texts stay different', () => {
  const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
  assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(labelValue(text)).toMatch(LABEL_VALUE);
      expect(labelValue(text).length).toBeLessThanOrEqual(63);
    }),
  );
  expect(labelValue('test[linux]')).not.toBe(labelValue('test(linux)'));
  expect(labelValue('unit')).toBe('unit');
});
