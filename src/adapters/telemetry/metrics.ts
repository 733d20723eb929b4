import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Creates the metrics of one process. The label `component` of each sample names the process. The values of
 * labels come from fixed sets, such as the patterns of routes, and are never names that users choose.
 */
export function createMetrics(component: string, version: string): { registry: Registry } {
  const registry = new Registry();
  registry.setDefaultLabels({ component });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  new Gauge({
    name: 'millrace_build_info',
    help: 'Always 1; the label carries the version of the program.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return { registry };
}

export type ObserveRequest = (observation: {
  method: string;
  route: string;
  status: number;
  seconds: number;
}) => void;

export function requestMetrics(registry: Registry): ObserveRequest {
  const seconds = new Histogram({
    name: 'millrace_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (observation) => {
    const { method, route, status } = observation;
    seconds.observe({ method: METHODS.has(method) ? method : 'other', route, status }, observation.seconds);
  };
}

/** Requests with another method get the label `other`, because clients may send any word as the method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface PublicMetrics {
  webhook(result: 'accepted' | 'unknown' | 'refused'): void;
  trigger(result: 'created' | 'refused' | 'unknown' | 'busy'): void;
  check(result: 'requested' | 'unknown'): void;
}

export function publicMetrics(registry: Registry): PublicMetrics {
  const registers = [registry];
  const labelNames = ['result'] as const;
  const webhooks = new Counter({
    name: 'millrace_webhooks_total',
    help: 'Webhook requests, by whether a resource has the token and the signature is valid.',
    labelNames,
    registers,
  });
  const triggers = new Counter({
    name: 'millrace_job_triggers_total',
    help: 'Manual triggers of jobs, by result.',
    labelNames,
    registers,
  });
  const checks = new Counter({
    name: 'millrace_check_requests_total',
    help: 'Manual requests to check a resource, by result.',
    labelNames,
    registers,
  });
  return {
    webhook: (result) => webhooks.inc({ result }),
    trigger: (result) => triggers.inc({ result }),
    check: (result) => checks.inc({ result }),
  };
}

export interface AgentMetrics {
  session(result: SessionResult, seconds: number): void;
  /** A second key came with the nonce of an agent, so someone else has read the nonce. */
  nonceReused(): void;
  events(count: number): void;
  /** How long an agent waited until the address of its Pod was known. */
  waitedForAddress(seconds: number): void;
  /** A command stream of an agent opened (1) or ended (-1). */
  streams(change: 1 | -1): void;
  /** A stream of an agent in a warm Pod, which waits for a build, opened (1) or ended (-1). */
  waiting(change: 1 | -1): void;
}
/**
 * What became of an agent's request for a session. `same`: the agent repeated it with the same key. `taken`:
 * another key has used the nonce. `over`: the work of the session has ended. `not-yet`: the Pod cannot be
 * identified yet, and the agent tries again.
 */
export type SessionResult = 'opened' | 'same' | 'taken' | 'over' | 'refused' | 'not-yet' | 'error';

export function agentMetrics(registry: Registry): AgentMetrics {
  const registers = [registry];
  const sessions = new Histogram({
    name: 'millrace_agent_session_duration_seconds',
    help: 'Time to open the session of an agent, by result.',
    labelNames: ['result'],
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const nonceReuses = new Counter({
    name: 'millrace_agent_nonce_reuse_total',
    help:
      'Sessions refused because another key had used the nonce. ' +
      'Any increase is an attack or a fault: read the log.',
    registers,
  });
  const events = new Counter({
    name: 'millrace_agent_events_total',
    help: 'Build events received from agents, including repeats.',
    registers,
  });
  const addressWaits = new Histogram({
    name: 'millrace_agent_address_wait_seconds',
    help: 'Time that agents waited for the kubelet to report the address of their Pod; 0 if it was already known.',
    buckets: [0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 5],
    registers,
  });
  const streams = new Gauge({
    name: 'millrace_agent_command_streams',
    help: 'Open command streams of agents.',
    registers,
  });
  const waiting = new Gauge({
    name: 'millrace_agent_warm_pods',
    help: 'Agents of warm Pods that wait for a build, by their open streams.',
    registers,
  });
  return {
    session: (result, seconds) => sessions.observe({ result }, seconds),
    nonceReused: () => nonceReuses.inc(),
    events: (count) => events.inc(count),
    waitedForAddress: (seconds) => addressWaits.observe(seconds),
    streams: (change) => streams.inc(change),
    waiting: (change) => waiting.inc(change),
  };
}
