import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { assert, boolean, constantFrom, property, string, tuple, uniqueArray } from 'fast-check';
import { golden } from '#testing/jest/golden-file.ts';
import { get, job, pipelineOf, put, samplePipeline } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf, type GraphOptions } from './graph-of.ts';
import { nodeStyles } from './node-style.ts';
import type { GraphState, JobState } from './state.ts';
import { writeDot, writeLayoutDot } from './write-dot.ts';

const jobs = new Map<string, JobState>([
  ['lint', { paused: false, ended: 'succeeded' }],
  ['typecheck', { paused: false, ended: 'warning' }],
  ['unit', { paused: false, ended: 'succeeded', doing: 'started' }],
  ['integration--linux-amd64', { paused: false, ended: 'failed' }],
  ['integration--linux-arm64', { paused: false, ended: 'cancelled', doing: 'pending' }],
  ['deploy-staging', { paused: true, ended: 'succeeded' }],
  ['deploy-production', { paused: false, doing: 'waiting' }],
]);
const resources = new Map([
  ['git.config', { pinned: true, failing: false }],
  ['cron.nightly', { pinned: false, failing: true }],
]);
const state: GraphState = { jobs, resources };

describe('the DOT text of the sample pipeline (`jest -u` writes the files again; then look at a picture too)', () => {
  const files: Record<string, GraphOptions & { follow?: string }> = {
    'whole.dot': {},
    'hide-intermediates.dot': { hideIntermediates: true },
    'group-parallel.dot': { groupParallel: true },
    'both.dot': { hideIntermediates: true, groupParallel: true },
    'followed.dot': { follow: 'git.config' },
  };
  test.each(Object.entries(files))('%s', (file, { follow, ...options }) => {
    const graph = graphOf(samplePipeline, options);
    const followed = follow === undefined ? undefined : { whole: graphOf(samplePipeline), resource: follow };
    const dot = writeDot(graph, 'sample', nodeStyles(graph, state, followed));
    expect(dot).toBe(golden(join(import.meta.dirname, 'testdata', file), dot));
  });
});

/** The syntax of a DOT file without its quoted strings, so that no name in them can look like syntax. */
const SKELETON = new RegExp(
  [
    String.raw`^digraph Q \{\n`,
    String.raw`( {2}(graph|node|edge) \[[^\]"]*Q?[^\]"]*\];\n){3}\n`,
    String.raw`( {2}Q \[(shape=record, )?label=Q, width=[\d.]+, height=[\d.]+(, [a-z]+=(Q|\d))*\];\n)*\n`,
    String.raw`( {2}Q(:\d+)? -> Q(:\d+)?( \[(style=Q|dir=both, arrowtail=dot)\])?;\n)*\}\n$`,
  ].join(''),
);

const dotOfGroup = (...passed: string[]): string => {
  const pipeline = pipelineOf(
    ...['build', 'docs'].map((name) => job(name, get('git.app'))),
    job('deploy', get('git.app', ...passed)),
  );
  const graph = graphOf(pipeline, { hideIntermediates: true, groupParallel: true });
  return writeDot(graph, 'sample', nodeStyles(graph, state));
};

test('an edge begins at the member of a group that it belongs to, or at the whole group', () => {
  expect(dotOfGroup('docs')).toContain('label="<0> build | <1> docs"');
  expect(dotOfGroup('docs')).toContain('"job build and 1 more":1 -> "job deploy" [dir=both, arrowtail=dot];');
  expect(dotOfGroup('build')).toContain('"job build and 1 more":0 -> "job deploy"');
  expect(dotOfGroup('build', 'docs')).toContain('"job build and 1 more" -> "job deploy";');
});

test('no name can break out of its quotes', () => {
  const letters = constantFrom(
    '"',
    '\\',
    '\n',
    '&',
    '<',
    '>',
    '{',
    '}',
    '|',
    ';',
    ']',
    '\\N',
    '->',
    'a',
    '\u0000',
    '\uD800',
    'é',
  );
  const name = string({ unit: letters, minLength: 1, maxLength: 6 });
  const names = uniqueArray(name, { minLength: 4, maxLength: 4 });
  assert(
    property(
      tuple(names, name, boolean()),
      ([[a = '', b = '', resource = '', produced = ''], pipelineName, groupParallel]) => {
        const pipeline = pipelineOf(
          job(a, get(resource), put(produced)),
          job(`${a} too`, get(resource)),
          job(b, get(produced, a)),
        );
        const graph = graphOf(pipeline, { groupParallel });
        const dot = writeDot(graph, pipelineName, nodeStyles(graph, state));
        const skeleton = dot.replaceAll(/"(?:[^"\\]|\\.)*"/g, 'Q');
        expect(skeleton).toMatch(SKELETON);
        expect(skeleton.match(/^ {2}Q \[/gm)).toHaveLength(graph.nodes.length);
        expect(skeleton.match(/ -> /g)).toHaveLength(graph.edges.length);
        expect(dot).not.toMatch(/=\s*<|URL|href|image=/);
      },
    ),
  );
});

const layoutDot = (name: string, resource: string): string =>
  writeLayoutDot(graphOf(pipelineOf(job(name, get(resource)))));

describe('the DOT text for the layout', () => {
  test('has no names', () => {
    expect(layoutDot('unit', 'git.app')).toBe(
      [
        'digraph {graph [rankdir=LR, nodesep=0.2, ranksep=0.45] node [shape=box, fixedsize=true, ' +
          'label=""] edge [arrowhead=none]',
        '0 [width=0.97, height=0.39]',
        '1 [width=0.69, height=0.39]',
        '0 -> 1',
        '}',
      ].join('\n'),
    );
  });

  test('is the same for names of the same width, and differs for longer ones', () => {
    expect(layoutDot('tinu', 'git.app')).toBe(layoutDot('unit', 'git.app'));
    expect(layoutDot('units', 'git.app')).not.toBe(layoutDot('unit', 'git.app'));
  });
});
