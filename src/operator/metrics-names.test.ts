import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { agentMetrics, createMetrics, publicMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { streamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { operatorMetrics } from './metrics.ts';

/*
 * What Prometheus' documentation and its linter ask of names, and that no label grows with the use of the
 * installation.
 */
interface Facts {
  name: string;
  help: string;
  type: string;
  labels: string[];
}

function registries(): Registry[] {
  const { registry: http } = createMetrics('test', '1.2.3');
  requestMetrics(http);
  publicMetrics(http);
  agentMetrics(http);
  streamMetrics(http);
  const operator = new Registry();
  operatorMetrics(operator);
  return [http, operator];
}

/** prom-client keeps the names of labels on the metric itself. */
function labelsOf(metric: object): string[] {
  const names: unknown = 'labelNames' in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map(String) : [];
}

function factsOf(registry: Registry): Facts[] {
  return registry.getMetricsAsArray().map((metric) => ({
    name: metric.name,
    help: metric.help,
    type: String(metric.type),
    labels: labelsOf(metric),
  }));
}

const ALL = registries().flatMap(factsOf);
const OURS = ALL.filter(({ name }) => name.startsWith('millrace_'));

/** Each label and why it has a bound. */
const BOUNDED: Record<string, string> = {
  component: 'one a process',
  fill: 'fine, near or full',
  version: 'one a process',
  method: 'of HTTP, others count as one',
  route: 'patterns of the table of routes',
  status: 'of HTTP',
  result: 'words in the code',
  queue: 'named in the code',
  kind: 'words in the code',
  answer: 'words in the code',
  reason: 'codes of docs/reference/waiting.md, or words in the code',
  what: 'job or build',
  // Of prom-client itself: spaces of the heap, kinds of collections, types of handles; and the parts of a
  // version.
  space: 'named by V8',
  type: 'named by Node',
  major: 'one a process',
  minor: 'one a process',
  patch: 'one a process',
};

/** Base units are seconds, bytes and ratios; others hide behind these words. */
const OTHER_UNITS =
  /(^|_)(milliseconds?|microseconds?|nanoseconds?|minutes?|hours?|days?|weeks?|ms|us|ns|sec|secs|s|kilobytes?|megabytes?|gigabytes?|kib|mib|kb|mb|gb|bits?|percent)(_|$)/;

const RULES: Record<string, (facts: Facts) => boolean> = {
  'has small letters, digits and single underscores': ({ name }) => /^millrace(_[a-z][a-z0-9]*)+$/.test(name),
  'ends in _total as a counter, and only then': ({ name, type }) =>
    name.endsWith('_total') === (type === 'counter'),
  'has no suffix of what a histogram is made of': ({ name }) => !/_(bucket|sum|count)$/.test(name),
  'ends in its unit as a histogram': ({ name, type }) =>
    type !== 'histogram' || /_(seconds|bytes|ratio)$/.test(name),
  'is in base units': ({ name }) => !OTHER_UNITS.test(name),
  'has its unit at the end': ({ name }) => !/_(seconds|bytes)_(?!total$)/.test(name),
  'does not say its type': ({ name }) => !/(^|_)(counter|gauge|histogram|summary|metric)(_|$)/.test(name),
  'does not say its labels': ({ name, labels }) =>
    !name.includes('_by_') && !labels.some((label) => name.endsWith(`_${label}`)),
  'has labels of small letters that are not reserved': ({ labels }) =>
    labels.every(
      (label) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(label) && !['le', 'quantile'].includes(label),
    ),
  'explains itself in a sentence': ({ help }) => /^[A-Z0-9].{15,}\.$/.test(help),
  'is no summary: those cannot be added up over replicas': ({ type }) => type !== 'summary',
};

const GOOD: Facts = {
  name: 'millrace_builds_total',
  help: 'Builds that were begun.',
  type: 'counter',
  labels: [],
};
/** What breaks each rule. */
const BAD: Record<string, Partial<Facts>> = {
  'has small letters, digits and single underscores': { name: 'millrace__Builds_total' },
  'ends in _total as a counter, and only then': { name: 'millrace_builds' },
  'has no suffix of what a histogram is made of': { name: 'millrace_builds_count' },
  'ends in its unit as a histogram': { name: 'millrace_build_duration', type: 'histogram' },
  'is in base units': { name: 'millrace_build_milliseconds_total' },
  'has its unit at the end': { name: 'millrace_seconds_of_builds_total' },
  'does not say its type': { name: 'millrace_build_counter_total' },
  'does not say its labels': { name: 'millrace_builds_by_team_total' },
  'has labels of small letters that are not reserved': { labels: ['le'] },
  'explains itself in a sentence': { help: 'builds' },
  'is no summary: those cannot be added up over replicas': { type: 'summary' },
};

test.each(Object.entries(RULES))('a metric that breaks the rule is seen: %s', (sentence, holds) => {
  expect([holds(GOOD), holds({ ...GOOD, ...BAD[sentence] })]).toEqual([true, false]);
});

describe.each(Object.entries(RULES))('every metric of ours %s', (_sentence, holds) => {
  test.each(OURS)('$name', (facts) => {
    expect([facts, holds(facts)]).toEqual([facts, true]);
  });
});

test('every metric that the code makes is looked at here', () => {
  const root = join(import.meta.dirname, '..');
  const files = globSync('**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') });
  const made = files
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .filter((text) => text.includes("from 'prom-client'"))
    .flatMap((text) => [...text.matchAll(/name: '(millrace_\w+)'/g)].map(([, name = '']) => name));
  expect(OURS.map(({ name }) => name).toSorted()).toEqual(made.toSorted());
});

describe('no label grows with the use of the installation', () => {
  test.each(ALL.filter(({ labels }) => labels.length > 0))('$name: $labels', ({ labels }) => {
    expect(labels.filter((label) => BOUNDED[label] === undefined)).toEqual([]);
  });

  test('also whatever words clients use as methods', async () => {
    const { registry } = createMetrics('test', '1.2.3');
    const observe = requestMetrics(registry);
    for (let times = 0; times < 1000; times += 1) {
      observe({ method: `M${times}`, route: 'none', status: 404, seconds: 0.001 });
    }
    const text = await registry.getSingleMetricAsString('millrace_http_request_duration_seconds');
    expect(text.split('\n').filter((line) => line.includes('_count{'))).toHaveLength(1);
  });

  test('also whatever goes wrong with a watch', async () => {
    const registry = new Registry();
    const metrics = operatorMetrics(registry);
    for (let times = 0; times < 1000; times += 1) metrics.watchFailed(`Reason${times}`);
    const text = await registry.getSingleMetricAsString('millrace_operator_watch_failures_total');
    expect(text.split('\n').filter((line) => line.includes('{'))).toHaveLength(1);
  });
});
