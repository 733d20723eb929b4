import { describe, expect, test } from '@jest/globals';
import { get, job, pipelineOf, put, samplePipeline } from '#testing/pipelines/pipelines-to-draw.ts';
import { graphOf } from './graph-of.ts';
import { nodeStyles, PINNED_BORDER, TONES } from './node-style.ts';
import type { GraphState, JobState } from './state.ts';

const nothing: GraphState = { jobs: new Map(), resources: new Map() };

function styleOfJob(state: JobState): unknown {
  const { tone, dashed, title } =
    nodeStyles(graphOf(pipelineOf(job('unit'))), { ...nothing, jobs: new Map([['unit', state]]) }).get(
      'job unit',
    ) ?? {};
  return [tone, dashed, title];
}

describe('a job', () => {
  const cases: Record<string, [JobState, [tone: string, dashed: boolean, title: string]]> = {
    'that has not run is idle': [{ paused: false }, ['idle', false, 'unit: not yet run']],
    'that failed is failed': [{ paused: false, ended: 'failed' }, ['failed', false, 'unit: failed']],
    'that runs has the tone of its last outcome': [
      { paused: false, ended: 'failed', doing: 'started' },
      ['failed', true, 'unit: running, before failed'],
    ],
    'whose first build is pending is idle': [
      { paused: false, doing: 'pending' },
      ['idle', true, 'unit: pending'],
    ],
    'that waits for approval is waiting': [
      { paused: false, ended: 'succeeded', doing: 'waiting' },
      ['waiting', false, 'unit: waiting for approval, before succeeded'],
    ],
    'that is paused is paused, whatever else it does': [
      { paused: true, ended: 'failed', doing: 'started' },
      ['paused', true, 'unit: paused, running, before failed'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [state, style]) => expect(styleOfJob(state)).toEqual(style));
});

describe('the style of a resource', () => {
  const graph = graphOf(
    pipelineOf(job('unit', get('git.app')), job('b', get('git.app', 'unit'), put('git.app'))),
  );
  const styles = nodeStyles(graph, {
    ...nothing,
    resources: new Map([['git.app', { pinned: true, failing: true }]]),
  });
  const resourceStyles = [...styles.values()].filter(({ tone }) => tone === 'resource' || tone === 'failing');

  test('has its origin and its pin on every node, and a failing check only where versions enter', () => {
    expect(resourceStyles.map(({ title, pinned, tone }) => [title, pinned, tone])).toEqual([
      ['git.app, pinned, last check failed', true, 'failing'],
      ['git.app that passed unit, pinned', true, 'resource'],
      ['git.app put by b, pinned', true, 'resource'],
    ]);
  });
});

test('a compact node has the style of each job and the worst of them', () => {
  const graph = graphOf(pipelineOf(job('a', get('git.app')), job('b', get('git.app'))), {
    groupParallel: true,
  });
  const jobs = new Map<string, JobState>([
    ['a', { paused: false, ended: 'succeeded', doing: 'started' }],
    ['b', { paused: false, ended: 'cancelled' }],
  ]);
  expect(nodeStyles(graph, { ...nothing, jobs }).get('job a and 1 more')).toMatchObject({
    tone: 'cancelled',
    dashed: true,
    title: '2 jobs: a: running, before succeeded; b: cancelled',
    rows: [{ tone: 'succeeded' }, { tone: 'cancelled' }],
  });
});

describe('a traced version', () => {
  const whole = graphOf(samplePipeline);
  const path = (resource: string, graph = whole): string[] =>
    [...nodeStyles(graph, nothing, { whole, resource })].flatMap(([id, { faded }]) => (faded ? [] : [id]));

  test('reaches the jobs along passed, and those after their puts', () => {
    expect(path('git.app').filter((id) => id.startsWith('job'))).toEqual([
      'job lint',
      'job typecheck',
      'job unit',
      'job integration--linux-amd64',
      'job integration--linux-arm64',
      'job integration--darwin',
      'job build',
      'job deploy-staging',
      'job smoke',
      'job deploy-production',
    ]);
  });

  test('does not reach other resources of the same job', () => {
    expect(path('image.base')).toEqual(['resource image.base', 'job unit']);
    expect(path('cron.nightly')).toEqual(['resource cron.nightly', 'job smoke']);
  });

  test('is traced from a put to the jobs that get the resource without passed', () => {
    const again = graphOf(pipelineOf(job('a', get('git.app'), put('trigger.x')), job('b', get('trigger.x'))));
    const styles = nodeStyles(again, nothing, { whole: again, resource: 'git.app' });
    expect([...styles.values()].every(({ faded }) => !faded)).toBe(true);
  });

  test('is traced in a graph with hidden and grouped nodes', () => {
    const shown = graphOf(samplePipeline, { hideIntermediates: true, groupParallel: true });
    expect(path('git.config', shown)).toEqual(['resource git.config', 'job deploy-staging']);
  });

  test('reaches nothing if no job gets it', () => {
    expect(path('git.releases')).toEqual([]);
  });
});

/** The relative luminance of a colour as WCAG defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours as WCAG defines it. */
function contrast(colour: string, background: string): number {
  const [dark = 0, light = 0] = [luminance(colour), luminance(background)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('every colour of a state has enough contrast for letters', () => {
  expect(Object.values(TONES).filter(({ fill, ink }) => contrast(fill, ink) < 4.5)).toEqual([]);
});

test('the colours of states are those in the manual', () => {
  expect([TONES.paused.fill, TONES.warning.fill, PINNED_BORDER]).toEqual(['#29adff', '#fa8072', '#ffbf00']);
});

test('the colours of two states differ', () => {
  const { resource: _resource, failing: _failing, ...ofJobs } = TONES;
  expect(new Set(Object.values(ofJobs).map(({ fill }) => fill)).size).toBe(Object.keys(ofJobs).length);
});
