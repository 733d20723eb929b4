import { describe, expect, test } from '@jest/globals';
import { graphOf, type GraphOptions } from '#domain/graph/graph-of.ts';
import { get, job, pipelineOf, put } from '#testing/pipelines/pipelines-to-draw.ts';
import { progressOf, stylesOfPath, type PathInGraph } from './path-in-graph.ts';

const PIPELINE = pipelineOf(
  job('unit', get('git.app')),
  job('build', get('git.app', 'unit'), put('image.app')),
  job('deploy', get('image.app', 'build'), get('git.config')),
  job('later', get('image.app')),
  job('elsewhere', get('git.other')),
);
const PATH: PathInGraph = {
  resource: 'git.app',
  jobs: new Map([
    ['unit', { number: '7', status: 'failed' }],
    ['build', { number: '3.1', status: 'started' }],
    ['deploy', undefined],
    ['later', undefined],
  ]),
};
const styles = (path = PATH, options: GraphOptions = {}) =>
  stylesOfPath(graphOf(PIPELINE, options).nodes, path);
const lit = (path = PATH): string[] => [...styles(path)].flatMap(([id, { faded }]) => (faded ? [] : [id]));

describe('the path of a version', () => {
  test('lights up the jobs that built it, and the versions before and after them', () => {
    expect(lit()).toEqual([
      'resource git.app',
      'job unit',
      'git.app after unit',
      'job build',
      'image.app after build',
      'resource image.app',
    ]);
  });

  test('is only the resource before any build', () => {
    expect(lit({ resource: 'git.app', jobs: new Map([['unit', undefined]]) })).toEqual(['resource git.app']);
  });

  test('shows how the build with the version ended, in colour and words', () => {
    const shown = styles();
    expect(shown.get('job unit')).toMatchObject({
      tone: 'failed',
      dashed: false,
      title: 'unit: failed with this version in build 7',
    });
    expect(shown.get('job build')).toMatchObject({
      tone: 'idle',
      dashed: true,
      title: 'build: running with this version in build 3.1',
    });
    expect(shown.get('job deploy')?.title).toBe('deploy: has not built this version');
    expect(shown.get('job elsewhere')?.title).toBe('elsewhere: has not built this version');
  });

  test.each([
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['warning', 'warning'],
    ['waiting', 'waiting'],
    ['pending', 'idle'],
    ['started', 'idle'],
  ] as const)('shows a build that is %s in the tone %s', (status, tone) => {
    const path: PathInGraph = { resource: 'git.app', jobs: new Map([['unit', { number: '1', status }]]) };
    expect(styles(path).get('job unit')?.tone).toBe(tone);
  });

  test('lights up the rows of a compact node one by one', () => {
    const nodes = [{ kind: 'job' as const, id: 'job unit and 1 more', jobs: ['unit', 'elsewhere'] }];
    const [style] = stylesOfPath(nodes, PATH).values();
    expect(style).toMatchObject({ faded: false, tone: 'failed' });
    expect(style?.rows.map(({ faded }) => faded)).toEqual([false, true]);
  });

  test('counts the jobs that built it', () => {
    expect(progressOf(PATH)).toEqual({ built: 2, all: 4 });
  });
});
