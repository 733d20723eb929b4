import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { streamMetrics } from './stream-metrics.ts';

test('streams are counted by what they are of, and every kind has a number before anybody reads', async () => {
  const registry = new Registry();
  const metrics = streamMetrics(registry);
  const samples = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('millrace_'));
  expect(await samples()).toEqual([
    'millrace_event_streams{kind="build"} 0',
    'millrace_event_streams{kind="pipeline"} 0',
    'millrace_event_streams_waiting{kind="build"} 0',
    'millrace_event_streams_waiting{kind="pipeline"} 0',
  ]);

  metrics.watch(() => [
    { kind: 'build', waits: false },
    { kind: 'build', waits: true },
    { kind: 'pipeline', waits: false },
  ]);
  metrics.ended('build', 'slow');
  metrics.refused('address');
  // Asked twice: what is open is looked at, not added up.
  await samples();
  expect((await samples()).toSorted()).toEqual([
    'millrace_event_streams_ended_total{kind="build",reason="slow"} 1',
    'millrace_event_streams_refused_total{reason="address"} 1',
    'millrace_event_streams_waiting{kind="build"} 1',
    'millrace_event_streams_waiting{kind="pipeline"} 0',
    'millrace_event_streams{kind="build"} 2',
    'millrace_event_streams{kind="pipeline"} 1',
  ]);
});
