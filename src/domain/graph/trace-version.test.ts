import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, pipelineOf, put, getWithoutTrigger } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf } from './graph-of.ts';
import { traceVersion } from './trace-version.ts';

const cases: Record<string, { pipeline: Pipeline; reached: string[] }> = {
  'to the jobs that get it, with or without a trigger': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('nightly', getWithoutTrigger('git.app'))),
    reached: ['resource git.app', 'job unit', 'job nightly'],
  },
  'to no node of another resource': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('docs', get('git.docs'))),
    reached: ['resource git.app', 'job unit'],
  },
  'along passed': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('deploy', get('git.app', 'unit'))),
    reached: ['resource git.app', 'job unit', 'git.app after unit', 'job deploy'],
  },
  'not along another resource that a job on the way passes': {
    pipeline: pipelineOf(
      job('unit', get('git.app'), get('git.docs')),
      job('publish', get('git.docs', 'unit')),
    ),
    reached: ['resource git.app', 'job unit'],
  },
  'through the put of a job, to all jobs that get it': {
    pipeline: pipelineOf(job('build', get('git.app'), put('image.app')), job('scan', get('image.app'))),
    reached: ['resource git.app', 'job build', 'image.app after build', 'resource image.app', 'job scan'],
  },
  'once around a circle of puts': {
    pipeline: pipelineOf(job('bump', get('git.app'), put('git.app'))),
    reached: ['resource git.app', 'job bump', 'git.app after bump'],
  },
  'nowhere if no job gets it': {
    pipeline: pipelineOf(job('docs', get('git.docs'))),
    reached: [],
  },
};

test.each(Object.entries(cases))('a version of git.app is traced %s', (_name, { pipeline, reached }) => {
  expect([...traceVersion(graphOf(pipeline), 'git.app')].toSorted()).toEqual(reached.toSorted());
});
