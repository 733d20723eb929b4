import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { WarmResult } from '#flows/pods/take-warm-pod.ts';

/** The operator's metrics. Each label has a fixed set of values. */
export interface OperatorMetrics {
  leading(isLeading: boolean): void;
  queue(name: string, queue: WorkQueue): void;
  workFailed(queue: string): void;
  podRequested(kind: 'build' | 'check' | 'warm', answer: string): void;
  /** Counts builds of Teams that keep warm Pods, by whether a warm Pod was ready. */
  warmResult(result: WarmResult): void;
  /** Sets the number of warm Pods of all Teams, ready and starting. */
  warmPods(count: { ready: number; starting: number }): void;
  watchFailed(reason: string): void;
  /**
   * Sets the function that counts waiting jobs and builds by reason. A reason is a code of
   * docs/reference/waiting.md.
   */
  waiting(byReason: () => Iterable<[{ what: 'job' | 'build'; reason: string }, number]>): void;
  /**
   * Sets the number of starting Pods (of builds, and warm ones), of slots for starting Pods, and of builds
   * that the last decision left without a slot.
   */
  startWindow(window: { starting: number; slots: number; held: number }): void;
  /** Sets the bytes of the logs of all teams, and how full the logs of each team are. */
  logs(counted: { bytes: number; fills: readonly LogFill[] }): void;
  reviewed(result: 'allowed' | 'refused' | 'unchecked'): void;
}

export function operatorMetrics(registry: Registry): OperatorMetrics {
  const registers = [registry];
  const leader = new Gauge({
    name: 'millrace_operator_leading',
    help: '1 while this replica is the leader.',
    registers,
  });
  const queues = new Map<string, WorkQueue>();
  registry.registerMetric(
    new Gauge({
      name: 'millrace_operator_queue_keys',
      help: 'Keys that wait, are queued or in progress, by queue.',
      labelNames: ['queue'],
      registers: [],
      collect() {
        for (const [queue, { size }] of queues) this.set({ queue }, size);
      },
    }),
  );
  const failures = new Counter({
    name: 'millrace_operator_work_failures_total',
    help: 'Work that failed and is retried, by queue.',
    labelNames: ['queue'],
    registers,
  });
  const pods = new Counter({
    name: 'millrace_operator_pods_total',
    help: 'Requests to create a Pod, by kind and by the answer of the API server.',
    labelNames: ['kind', 'answer'],
    registers,
  });
  const watches = new Counter({
    name: 'millrace_operator_watch_failures_total',
    help: 'Lists and watches that failed and were restarted, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const reviews = new Counter({
    name: 'millrace_operator_admission_reviews_total',
    help: 'Admission reviews of Pipelines, by result; unchecked Pipelines were admitted.',
    labelNames: ['result'],
    registers,
  });
  return {
    waiting: waitingGauge(registry),
    startWindow: startWindowGauges(registry),
    ...warmPodMetrics(registry),
    logs: logGauges(registry),
    leading: (isLeading) => leader.set(isLeading ? 1 : 0),
    queue: (name, queue) => void queues.set(name, queue),
    workFailed: (queue) => failures.inc({ queue }),
    podRequested: (kind, answer) => pods.inc({ kind, answer }),
    reviewed: (result) => reviews.inc({ result }),
    watchFailed: (reason) => watches.inc({ reason: WATCH_FAILURE_REASONS.has(reason) ? reason : 'other' }),
  };
}

function startWindowGauges(registry: Registry): OperatorMetrics['startWindow'] {
  const registers = [registry];
  const starting = new Gauge({
    name: 'millrace_operator_starting_pods',
    help: 'Pods of builds whose agent has not reported yet, when builds were last started.',
    registers,
  });
  const slots = new Gauge({
    name: 'millrace_operator_start_window_slots',
    help: 'Pods that may be starting at the same time on all nodes: more if Pods start quickly, fewer if not.',
    registers,
  });
  const held = new Gauge({
    name: 'millrace_operator_start_window_held_builds',
    help: 'Builds that the last decision left waiting for a slot in the start window.',
    registers,
  });
  return (window) => {
    starting.set(window.starting);
    slots.set(window.slots);
    held.set(window.held);
  };
}

function warmPodMetrics(registry: Registry): Pick<OperatorMetrics, 'warmResult' | 'warmPods'> {
  const registers = [registry];
  const results = new Counter({
    name: 'millrace_operator_warm_results_total',
    help:
      'Builds of Teams with spec.warm that got a Pod: hit (a warm Pod was ready), miss (none was ready), ' +
      'unfit (a warm Pod cannot run the job, because its Pods mount volumes).',
    labelNames: ['result'],
    registers,
  });
  const pods = new Gauge({
    name: 'millrace_operator_warm_pods',
    help: 'Pods that wait for a build, by state: ready or starting.',
    labelNames: ['state'],
    registers,
  });
  return {
    warmResult: (result) => results.inc({ result }),
    warmPods({ ready, starting }) {
      pods.set({ state: 'ready' }, ready);
      pods.set({ state: 'starting' }, starting);
    },
  };
}

function logGauges(registry: Registry): OperatorMetrics['logs'] {
  const registers = [registry];
  const stored = new Gauge({
    name: 'millrace_operator_log_bytes',
    help: 'Size of all build logs in the database, when they were last counted.',
    registers,
  });
  const teams = new Gauge({
    name: 'millrace_operator_team_logs',
    help:
      'Teams by the size of their logs: fine, ' +
      'near (80 % of limits.logBytes or more) or full (the oldest logs are removed).',
    labelNames: ['fill'],
    registers,
  });
  return ({ bytes, fills }) => {
    stored.set(bytes);
    for (const fill of FILLS) teams.set({ fill }, fills.filter((teamFill) => teamFill === fill).length);
  };
}

const FILLS = ['fine', 'near', 'full'] as const;

function waitingGauge(registry: Registry): OperatorMetrics['waiting'] {
  let byReason: Parameters<OperatorMetrics['waiting']>[0] | undefined;
  registry.registerMetric(
    new Gauge({
      name: 'millrace_waiting',
      help: 'Jobs without a build and builds that have not started, by first reason.',
      labelNames: ['what', 'reason'],
      registers: [],
      collect() {
        this.reset();
        for (const [labels, count] of byReason?.() ?? []) this.set(labels, count);
      },
    }),
  );
  return (counts) => {
    byReason = counts;
  };
}

const WATCH_FAILURE_REASONS = new Set([
  'Unreachable',
  'Timeout',
  'WatchBroken',
  'HandlerFailed',
  'Expired',
  'Forbidden',
]);
