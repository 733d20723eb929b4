import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, pipelineOf, put, getWithoutTrigger } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf } from './graph-of.ts';
import { groupParallel } from './group-parallel.ts';

const cases: Record<string, { pipeline: Pipeline; jobs: string[][]; others?: string[] }> = {
  'jobs with one parent are merged': {
    pipeline: pipelineOf(
      job('a', get('git.app')),
      job('b', getWithoutTrigger('git.app')),
      job('c', get('git.docs')),
    ),
    jobs: [['a', 'b'], ['c']],
    others: ['resource git.app', 'resource git.docs'],
  },
  'jobs with the same parents in another order are merged': {
    pipeline: pipelineOf(
      job('a', get('git.app'), get('git.docs')),
      job('b', get('git.docs'), get('git.app')),
    ),
    jobs: [['a', 'b']],
    others: ['resource git.app', 'resource git.docs'],
  },
  'a job with one more parent is not merged': {
    pipeline: pipelineOf(job('a', get('git.app')), job('b', get('git.app'), get('git.docs'))),
    jobs: [['a'], ['b']],
    others: ['resource git.app', 'resource git.docs'],
  },
  'the puts of all members are merged by resource': {
    pipeline: pipelineOf(
      job('a', get('git.app'), put('image.app')),
      job('b', get('git.app'), put('image.app'), put('image.docs')),
    ),
    jobs: [['a', 'b']],
    others: ['resource git.app', 'image.app after a and 1 more', 'image.docs after b'],
  },
  'jobs without parents are not merged': {
    pipeline: pipelineOf(job('a'), job('b')),
    jobs: [['a'], ['b']],
  },
};

test.each(Object.entries(cases))('a grouped graph: %s', (_name, { pipeline, jobs, others = [] }) => {
  const { nodes, edges } = groupParallel(graphOf(pipeline));
  expect(nodes.flatMap((node) => (node.kind === 'job' ? [node.jobs] : []))).toEqual(jobs);
  expect(nodes.flatMap((node) => (node.kind === 'job' ? [] : [node.id])).toSorted()).toEqual(
    others.toSorted(),
  );
  const ids = new Set(nodes.map(({ id }) => id));
  expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
});
