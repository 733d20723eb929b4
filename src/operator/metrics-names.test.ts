import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { agentMetrics, createMetrics, publicMetrics, requestMetrics } from '#adapters/telemetry/metrics.ts';
import { streamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { operatorMetrics } from './metrics.ts';

/*
 * Names of metrics follow the rules of Prometheus' documentation and linter. The number of values of each
 * label does not grow with the use of the installation.
 */
interface MetricFacts {
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

/** prom-client stores the names of labels in the metric object. */
function labelsOf(metric: object): string[] {
  const names: unknown = 'labelNames' in metric ? metric.labelNames : [];
  return Array.isArray(names) ? names.map(String) : [];
}

function factsOf(registry: Registry): MetricFacts[] {
  return registry.getMetricsAsArray().map((metric) => ({
    name: metric.name,
    help: metric.help,
    type: String(metric.type),
    labels: labelsOf(metric),
  }));
}

const ALL_METRICS = registries().flatMap(factsOf);
const MILLRACE_METRICS = ALL_METRICS.filter(({ name }) => name.startsWith('millrace_'));

/** Each label, and what limits its values. */
const LIMITED_LABELS: Record<string, string> = {
  component: 'one a process',
  fill: 'fine, near or full',
  state: 'words in the code',
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
  // Labels of prom-client: heap spaces, kinds of collections, types of handles, and the parts of a version.
  space: 'named by V8',
  type: 'named by Node',
  major: 'one a process',
  minor: 'one a process',
  patch: 'one a process',
};

/** Base units are seconds, bytes and ratios; these words stand for other units. */
const OTHER_UNITS = new Set(
  (
    'millisecond milliseconds microsecond microseconds nanosecond nanoseconds minute minutes hour hours ' +
    'day days week weeks ms us ns sec secs s kilobyte kilobytes megabyte megabytes gigabyte gigabytes ' +
    'kib mib kb mb gb bit bits percent'
  ).split(' '),
);

const RULES: Record<string, (facts: MetricFacts) => boolean> = {
  'has lower-case letters, digits and single underscores': ({ name }) =>
    /^millrace(_[a-z][a-z0-9]*)+$/.test(name),
  'ends in _total if it is a counter, and only then': ({ name, type }) =>
    name.endsWith('_total') === (type === 'counter'),
  'has no suffix of the parts of a histogram': ({ name }) => !/_(bucket|sum|count)$/.test(name),
  'ends in its unit if it is a histogram': ({ name, type }) =>
    type !== 'histogram' || /_(seconds|bytes|ratio)$/.test(name),
  'is in base units': ({ name }) => !name.split('_').some((word) => OTHER_UNITS.has(word)),
  'has its unit at the end': ({ name }) => !/_(seconds|bytes)_(?!total$)/.test(name),
  'does not contain its type': ({ name }) => !/(^|_)(counter|gauge|histogram|summary|metric)(_|$)/.test(name),
  'does not contain its labels': ({ name, labels }) =>
    !name.includes('_by_') && !labels.some((label) => name.endsWith(`_${label}`)),
  'has labels of lower-case letters that are not reserved': ({ labels }) =>
    labels.every(
      (label) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(label) && !['le', 'quantile'].includes(label),
    ),
  'calls a slot a slot, as the glossary does': ({ name }) => !/_places?(_|$)/.test(name),
  'has a sentence of help': ({ help }) => /^[A-Z0-9].{15,}\.$/.test(help),
  'is not a summary, because replicas cannot be added up': ({ type }) => type !== 'summary',
};

const GOOD: MetricFacts = {
  name: 'millrace_builds_total',
  help: 'Builds that were begun.',
  type: 'counter',
  labels: [],
};
/** For each rule, a metric that breaks it. */
const BAD: Record<string, Partial<MetricFacts>> = {
  'has lower-case letters, digits and single underscores': { name: 'millrace__Builds_total' },
  'ends in _total if it is a counter, and only then': { name: 'millrace_builds' },
  'has no suffix of the parts of a histogram': { name: 'millrace_builds_count' },
  'ends in its unit if it is a histogram': { name: 'millrace_build_duration', type: 'histogram' },
  'is in base units': { name: 'millrace_build_milliseconds_total' },
  'has its unit at the end': { name: 'millrace_seconds_of_builds_total' },
  'does not contain its type': { name: 'millrace_build_counter_total' },
  'does not contain its labels': { name: 'millrace_builds_by_team_total' },
  'has labels of lower-case letters that are not reserved': { labels: ['le'] },
  'calls a slot a slot, as the glossary does': { name: 'millrace_build_places' },
  'has a sentence of help': { help: 'builds' },
  'is not a summary, because replicas cannot be added up': { type: 'summary' },
};

test.each(Object.entries(RULES))('the check detects a metric that breaks the rule: %s', (sentence, holds) => {
  expect([holds(GOOD), holds({ ...GOOD, ...BAD[sentence] })]).toEqual([true, false]);
});

describe.each(Object.entries(RULES))('every metric of Millrace %s', (_sentence, holds) => {
  test.each(MILLRACE_METRICS)('$name', (facts) => {
    expect([facts, holds(facts)]).toEqual([facts, true]);
  });
});

test('every metric in the code is checked here', () => {
  const root = join(import.meta.dirname, '..');
  const files = globSync('**/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') });
  const declared = files
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .filter((text) => text.includes("from 'prom-client'"))
    .flatMap((text) => [...text.matchAll(/name: '(millrace_\w+)'/g)].map(([, name = '']) => name));
  expect(MILLRACE_METRICS.map(({ name }) => name).toSorted()).toEqual(declared.toSorted());
});

describe('the number of values of each metric label is bounded', () => {
  test.each(ALL_METRICS.filter(({ labels }) => labels.length > 0))('$name: $labels', ({ labels }) => {
    expect(labels.filter((label) => LIMITED_LABELS[label] === undefined)).toEqual([]);
  });

  test('for any HTTP methods of clients', async () => {
    const { registry } = createMetrics('test', '1.2.3');
    const observe = requestMetrics(registry);
    for (let times = 0; times < 1000; times += 1) {
      observe({ method: `M${times}`, route: 'none', status: 404, seconds: 0.001 });
    }
    const text = await registry.getSingleMetricAsString('millrace_http_request_duration_seconds');
    expect(text.split('\n').filter((line) => line.includes('_count{'))).toHaveLength(1);
  });

  test('for any failures of a watch', async () => {
    const registry = new Registry();
    const metrics = operatorMetrics(registry);
    for (let times = 0; times < 1000; times += 1) metrics.watchFailed(`Reason${times}`);
    const text = await registry.getSingleMetricAsString('millrace_operator_watch_failures_total');
    expect(text.split('\n').filter((line) => line.includes('{'))).toHaveLength(1);
  });
});
