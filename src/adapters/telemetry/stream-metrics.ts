import { Counter, Gauge, type Registry } from 'prom-client';

/** What a stream follows. */
export type StreamKind = 'build' | 'pipeline' | 'overview' | 'debug';

/**
 * Why a stream ended. `over`: what the stream follows has ended. `reader`: the viewer left. `slow`: the
 * viewer read nothing for too long. `rights`: the viewer lost the right to read. `failure`: the gateway could
 * not read what the stream shows. `stop`: the process stops.
 */
export type EndedBy = 'over' | 'reader' | 'slow' | 'rights' | 'failure' | 'stop';

export interface StreamMetrics {
  /** Sets the function that lists the open streams. It is called at each scrape. */
  watch(listOpen: () => Iterable<{ kind: StreamKind; buffered: boolean }>): void;
  ended(kind: StreamKind, by: EndedBy): void;
  /**
   * `by`: whose limit of open streams was reached. `public`: that of all viewers who are not members of the
   * team.
   */
  refused(by: 'account' | 'address' | 'public' | 'process'): void;
}

export function streamMetrics(registry: Registry): StreamMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: 'millrace_event_streams_ended_total',
    help: 'Event streams that ended, by kind and reason; slow: the viewer read nothing for too long.',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const refused = new Counter({
    name: 'millrace_event_streams_refused_total',
    help: 'Event streams refused because too many were open, by the limit that was reached.',
    labelNames: ['reason'],
    registers,
  });
  return {
    watch: openGauges(registry),
    ended: (kind, reason) => ended.inc({ kind, reason }),
    refused: (reason) => refused.inc({ reason }),
  };
}

function openGauges(registry: Registry): StreamMetrics['watch'] {
  let listOpen: Parameters<StreamMetrics['watch']>[0] | undefined;
  function gauge(
    nameAndHelp: { name: string; help: string },
    isCounted: (buffered: boolean) => boolean,
  ): void {
    registry.registerMetric(
      new Gauge({
        ...nameAndHelp,
        labelNames: ['kind'],
        registers: [],
        collect() {
          for (const kind of KINDS) this.set({ kind }, 0);
          for (const { kind, buffered } of listOpen?.() ?? []) if (isCounted(buffered)) this.inc({ kind });
        },
      }),
    );
  }
  gauge({ name: 'millrace_event_streams', help: 'Open event streams, by kind.' }, () => true);
  gauge(
    {
      name: 'millrace_event_streams_waiting',
      help: 'Event streams whose viewer has not read the last write yet, by kind.',
    },
    (buffered) => buffered,
  );
  return (newListOpen) => {
    listOpen = newListOpen;
  };
}

const KINDS: readonly StreamKind[] = ['build', 'pipeline', 'overview', 'debug'];
