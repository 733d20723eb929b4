import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, pipelineOf, put, getWithoutTrigger } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf } from './graph-of.ts';
import { hideIntermediates } from './hide-intermediates.ts';

const cases: Record<string, { pipeline: Pipeline; nodes: string[]; edges: string[] }> = {
  'a resource that passed becomes one edge from job to job': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('deploy', get('git.app', 'unit'))),
    nodes: ['resource git.app', 'job unit', 'job deploy'],
    edges: ['resource git.app trigger job unit', 'job unit trigger job deploy'],
  },
  'an edge that triggers nothing keeps its kind': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('deploy', getWithoutTrigger('git.app', 'unit'))),
    nodes: ['resource git.app', 'job unit', 'job deploy'],
    edges: ['resource git.app trigger job unit', 'job unit take job deploy'],
  },
  'a resource that triggers nothing is left out': {
    pipeline: pipelineOf(job('nightly', getWithoutTrigger('git.app'))),
    nodes: ['job nightly'],
    edges: [],
  },
  'a put that no job gets is left out': {
    pipeline: pipelineOf(job('build', get('git.app'), put('image.app'))),
    nodes: ['resource git.app', 'job build'],
    edges: ['resource git.app trigger job build'],
  },
  'two ways between the same jobs become one edge, and the trigger counts': {
    pipeline: pipelineOf(
      job('build', get('git.app'), put('image.app')),
      job('deploy', getWithoutTrigger('git.app', 'build'), get('image.app', 'build')),
    ),
    nodes: ['resource git.app', 'job build', 'job deploy'],
    edges: ['resource git.app trigger job build', 'job build trigger job deploy'],
  },
};

test.each(Object.entries(cases))('a graph without intermediates: %s', (_name, { pipeline, nodes, edges }) => {
  const hidden = hideIntermediates(graphOf(pipeline));
  expect(hidden.nodes.map(({ id }) => id).toSorted()).toEqual(nodes.toSorted());
  expect(hidden.edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`).toSorted()).toEqual(
    edges.toSorted(),
  );
});
