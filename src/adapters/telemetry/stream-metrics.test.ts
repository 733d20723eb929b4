import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { streamMetrics } from './stream-metrics.ts';

test('streams are counted by kind, and each kind starts at zero', async () => {
  const registry = new Registry();
  const metrics = streamMetrics(registry);
  const samples = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('millrace_'));
  expect(await samples()).toEqual([
    'millrace_event_streams{kind="build"} 0',
    'millrace_event_streams{kind="pipeline"} 0',
    'millrace_event_streams{kind="overview"} 0',
    'millrace_event_streams{kind="debug"} 0',
    'millrace_event_streams_waiting{kind="build"} 0',
    'millrace_event_streams_waiting{kind="pipeline"} 0',
    'millrace_event_streams_waiting{kind="overview"} 0',
    'millrace_event_streams_waiting{kind="debug"} 0',
  ]);

  metrics.watch(() => [
    { kind: 'build', buffered: false },
    { kind: 'build', buffered: true },
    { kind: 'pipeline', buffered: false },
  ]);
  metrics.ended('build', 'slow');
  metrics.refused('address');
  // Collected twice, because a second collection must not add to the first.
  await samples();
  expect((await samples()).toSorted()).toEqual([
    'millrace_event_streams_ended_total{kind="build",reason="slow"} 1',
    'millrace_event_streams_refused_total{reason="address"} 1',
    'millrace_event_streams_waiting{kind="build"} 1',
    'millrace_event_streams_waiting{kind="debug"} 0',
    'millrace_event_streams_waiting{kind="overview"} 0',
    'millrace_event_streams_waiting{kind="pipeline"} 0',
    'millrace_event_streams{kind="build"} 2',
    'millrace_event_streams{kind="debug"} 0',
    'millrace_event_streams{kind="overview"} 0',
    'millrace_event_streams{kind="pipeline"} 1',
  ]);
});
