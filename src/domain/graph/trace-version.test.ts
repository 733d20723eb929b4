import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, pipelineOf, put, take } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf } from './graph-of.ts';
import { traceVersion } from './trace-version.ts';

const cases: Record<string, { pipeline: Pipeline; comesTo: string[] }> = {
  'to the jobs that get it, with or without a trigger': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('nightly', take('git.app'))),
    comesTo: ['resource git.app', 'job unit', 'job nightly'],
  },
  'to no node of another resource': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('docs', get('git.docs'))),
    comesTo: ['resource git.app', 'job unit'],
  },
  'along passed': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('deploy', get('git.app', 'unit'))),
    comesTo: ['resource git.app', 'job unit', 'git.app after unit', 'job deploy'],
  },
  'not along another resource that a job on the way passes': {
    pipeline: pipelineOf(
      job('unit', get('git.app'), get('git.docs')),
      job('publish', get('git.docs', 'unit')),
    ),
    comesTo: ['resource git.app', 'job unit'],
  },
  'through the put of a job, to all jobs that get it': {
    pipeline: pipelineOf(job('build', get('git.app'), put('image.app')), job('scan', get('image.app'))),
    comesTo: ['resource git.app', 'job build', 'image.app after build', 'resource image.app', 'job scan'],
  },
  'once around a circle of puts': {
    pipeline: pipelineOf(job('bump', get('git.app'), put('git.app'))),
    comesTo: ['resource git.app', 'job bump', 'git.app after bump'],
  },
  'nowhere if no job gets it': {
    pipeline: pipelineOf(job('docs', get('git.docs'))),
    comesTo: [],
  },
};

test.each(Object.entries(cases))('a version of git.app is traced %s', (_name, { pipeline, comesTo }) => {
  expect([...traceVersion(graphOf(pipeline), 'git.app')].toSorted()).toEqual(comesTo.toSorted());
});
