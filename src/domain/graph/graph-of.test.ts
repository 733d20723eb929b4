import { describe, expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import {
  get,
  job,
  pipelineOf,
  put,
  samplePipeline,
  getWithoutTrigger,
} from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf, type GraphOptions } from './graph-of.ts';
import type { Graph } from './graph.ts';

const ARROWS = { trigger: '→', take: '⇢', make: '→' };

const nameOf = (id: string): string => id.replace(/^(job|resource) /, '');

/** Edges as `lint → git.app after lint`, with ⇢ if they do not trigger. */
function edgesOf({ nodes, edges }: Graph): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const endOf = (id: string, row?: number): string => {
    const node = byId.get(id);
    return row === undefined || node?.kind !== 'job' ? nameOf(id) : `${node.jobs[row]} in ${nameOf(id)}`;
  };
  return edges.map(
    ({ from, fromRow, to, toRow, kind }) => `${endOf(from, fromRow)} ${ARROWS[kind]} ${endOf(to, toRow)}`,
  );
}

const alone = (graph: Graph): string[] =>
  graph.nodes
    .map(({ id }) => id)
    .filter((id) => graph.edges.every(({ from, to }) => from !== id && to !== id));

const hook = { onFailure: [put('git.report')] };

const cases: Record<
  string,
  { pipeline: Pipeline; options?: GraphOptions; edges: string[]; alone?: string[] }
> = {
  'leads from a resource to the jobs that get it, dashed if it does not trigger them': {
    pipeline: pipelineOf(job('unit', get('git.app')), job('nightly', getWithoutTrigger('git.app'))),
    edges: ['git.app → unit', 'git.app ⇢ nightly'],
  },
  'has one edge for a job that gets a resource twice, and the trigger counts': {
    pipeline: pipelineOf(job('unit', getWithoutTrigger('git.app'), get('git.app'))),
    edges: ['git.app → unit'],
  },
  'has a node between jobs for the resource that passed, shared by all downstream jobs': {
    pipeline: pipelineOf(
      job('unit', get('git.app')),
      job('a', get('git.app', 'unit')),
      job('b', getWithoutTrigger('git.app', 'unit')),
    ),
    edges: [
      'git.app → unit',
      'unit → git.app after unit',
      'git.app after unit → a',
      'git.app after unit ⇢ b',
    ],
  },
  'has the node of a put where passed names a job that puts the resource': {
    pipeline: pipelineOf(
      job('build', get('git.app'), put('image.app')),
      job('deploy', get('image.app', 'build')),
    ),
    edges: ['git.app → build', 'build → image.app after build', 'image.app after build → deploy'],
  },
  'contains gets and puts in groups and branches, and puts in hooks': {
    pipeline: pipelineOf({
      ...job(
        'unit',
        {
          kind: 'parallel',
          failFast: false,
          steps: [
            { kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [] },
            { kind: 'get', name: 'base', resource: 'image.base', trigger: false, passed: [] },
          ],
        },
        { kind: 'branch', branches: [{ condition: 'x == y', steps: [put('image.app')] }] },
      ),
      hooks: hook,
    }),
    edges: [
      'git.app → unit',
      'image.base ⇢ unit',
      'unit → image.app after unit',
      'unit → git.report after unit',
    ],
  },
  'has a job without resources as a separate node, and omits a resource without jobs': {
    pipeline: {
      ...pipelineOf(job('lonely')),
      resources: [{ name: 'git.unused', type: 'git', label: 'unused', params: {}, tags: [], cache: false }],
    },
    edges: [],
    alone: ['job lonely'],
  },
  'leads from job to job with hidden intermediates, and only triggers are entries': {
    pipeline: samplePipeline,
    options: { hideIntermediates: true },
    edges: [
      'git.app → lint',
      'git.app → typecheck',
      'git.app → unit',
      'lint → integration--linux-amd64',
      'unit → integration--linux-amd64',
      'lint → integration--linux-arm64',
      'unit → integration--linux-arm64',
      'lint → integration--darwin',
      'unit → integration--darwin',
      'unit → build',
      'build → deploy-staging',
      'git.config → deploy-staging',
      'deploy-staging → smoke',
      'cron.nightly → smoke',
      'smoke ⇢ deploy-production',
    ],
  },
  'merges jobs with the same parents, and the resources that passed them': {
    pipeline: pipelineOf(
      job('a', get('git.app')),
      job('b', get('git.app'), put('git.app')),
      job('c', get('git.app'), getWithoutTrigger('git.other')),
      job('d', get('git.app', 'a', 'b')),
    ),
    options: { groupParallel: true },
    edges: [
      'git.app → a and 1 more',
      'a and 1 more → git.app after a and 1 more',
      'git.app → c',
      'git.other ⇢ c',
      'git.app after a and 1 more → d',
    ],
  },
  'starts an edge at the group member that it belongs to': {
    pipeline: pipelineOf(
      job('a', get('git.app')),
      job('b', get('git.app')),
      job('c', get('git.app', 'a')),
      job('d', get('git.app', 'a', 'b')),
    ),
    options: { groupParallel: true, hideIntermediates: true },
    edges: ['git.app → a and 1 more', 'a in a and 1 more → c', 'a and 1 more → d'],
  },
  'keeps resources that passed members apart if other jobs wait for them': {
    pipeline: pipelineOf(
      job('build', get('git.app')),
      job('build-docs', get('git.app')),
      job('deploy', get('git.app', 'build')),
      job('deploy-docs', get('git.app', 'build-docs')),
    ),
    options: { groupParallel: true },
    edges: [
      'git.app → build and 1 more',
      'build in build and 1 more → git.app after build',
      'git.app after build → deploy',
      'build-docs in build and 1 more → git.app after build-docs',
      'git.app after build-docs → deploy-docs',
    ],
  },
  'merges the resources that passed two of three members': {
    pipeline: pipelineOf(
      job('a', get('git.app')),
      job('b', get('git.app')),
      job('c', get('git.app')),
      job('d', get('git.app', 'a', 'c')),
    ),
    options: { groupParallel: true },
    edges: [
      'git.app → a and 2 more',
      'a in a and 2 more → git.app after a and 1 more',
      'c in a and 2 more → git.app after a and 1 more',
      'git.app after a and 1 more → d',
    ],
  },
  'ends an edge at the only member that it triggers': {
    pipeline: pipelineOf(job('a', get('git.app')), job('b', getWithoutTrigger('git.app'))),
    options: { groupParallel: true },
    edges: ['git.app → a in a and 1 more', 'git.app ⇢ b in a and 1 more'],
  },
  'lets members without a row of their own share the last row': {
    pipeline: pipelineOf(
      ...Array.from({ length: 20 }, (_, index) => job(`j${index}`, get('git.app'))),
      job('last', get('git.app', 'j10', 'j17', 'j18')),
    ),
    options: { groupParallel: true, hideIntermediates: true },
    edges: ['git.app → j0 and 19 more', 'j10 in j0 and 19 more → last', 'j11 in j0 and 19 more → last'],
  },
  'does not merge jobs without parents': {
    pipeline: pipelineOf(job('a'), job('b')),
    options: { groupParallel: true },
    edges: [],
    alone: ['job a', 'job b'],
  },
};

describe('the graph of a pipeline', () => {
  test.each(Object.entries(cases))('%s', (_name, { pipeline, options, edges, alone: lonely = [] }) => {
    const graph = graphOf(pipeline, options);
    expect(edgesOf(graph)).toEqual(edges);
    expect(alone(graph)).toEqual(lonely);
  });

  test('names the put where a group both passes and puts a resource', () => {
    const pipeline = pipelineOf(
      job('a', get('git.app')),
      job('b', get('git.app'), put('git.app')),
      job('d', get('git.app', 'a', 'b')),
    );
    const { nodes } = graphOf(pipeline, { groupParallel: true });
    expect(nodes.filter((node) => node.kind === 'resource').map(({ id, role }) => [id, role])).toEqual([
      ['resource git.app', 'entry'],
      ['git.app after a and 1 more', 'put'],
    ]);
  });
});
