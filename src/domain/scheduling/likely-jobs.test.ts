import { expect, test } from '@jest/globals';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { likelyJobs, type ActiveJob } from './likely-jobs.ts';

const definition = samplePipeline({
  resources: [resource('git.app')],
  jobs: [
    job('unit', get('git.app', { trigger: true }), task('test')),
    job('lint', get('git.app', { trigger: true }), task('lint')),
    job('deploy', get('git.app', { trigger: true, passed: ['unit'] }), task('ship')),
    job('by-hand', get('git.app', { trigger: false, passed: ['unit'] }), task('ship')),
  ],
});
const active = (name: string, minute: number, isRunning = false): ActiveJob => ({
  pipelineId: 1,
  job: name,
  definition,
  lastBuildAt: new Date(Date.UTC(2026, 10, 24, 5, minute)),
  isRunning,
});
const names = (jobs: ActiveJob[]): string[] => likelyJobs(jobs).map(({ job: name }) => name);

test('the job that was built last is the likeliest', () => {
  expect(names([active('lint', 1), active('unit', 2)])).toEqual(['unit', 'lint']);
});

test('a job that a running build may trigger is likelier still, but not one that only people trigger', () => {
  expect(names([active('lint', 9), active('unit', 2, true)])).toEqual(['deploy', 'lint', 'unit']);
});

test('each job is listed once, and a job of the same name in another pipeline is another job', () => {
  const other = { ...active('unit', 3, true), pipelineId: 2 };
  const likely = likelyJobs([active('unit', 2, true), active('deploy', 1), other]);
  expect(likely.map(({ job: name, because }) => `${because.pipelineId} ${name}`)).toEqual([
    '2 deploy',
    '1 deploy',
    '2 unit',
    '1 unit',
  ]);
});

test('a job that the newest revision lacks is not likely', () => {
  expect(names([active('removed', 1)])).toEqual([]);
});
