import { expect, test } from '@jest/globals';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { jobsLikelyNext, type ActiveJob } from './likely-jobs.ts';

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
const names = (jobs: ActiveJob[]): string[] => jobsLikelyNext(jobs).map(({ job: name }) => name);

test('the job that was built last is the likeliest to be built next', () => {
  expect(names([active('lint', 1), active('unit', 2)])).toEqual(['unit', 'lint']);
});

test('a job that a running build may trigger comes before it, but a job that only people trigger is not listed', () => {
  expect(names([active('lint', 9), active('unit', 2, true)])).toEqual(['deploy', 'lint', 'unit']);
});

test('each job is listed once, and a job of the same name in another pipeline is another job', () => {
  const other = { ...active('unit', 3, true), pipelineId: 2 };
  const likely = jobsLikelyNext([active('unit', 2, true), active('deploy', 1), other]);
  expect(likely.map(({ job: name, activeJob }) => `${activeJob.pipelineId} ${name}`)).toEqual([
    '2 deploy',
    '1 deploy',
    '2 unit',
    '1 unit',
  ]);
});

test('a job that the newest revision lacks is not listed', () => {
  expect(names([active('removed', 1)])).toEqual([]);
});
