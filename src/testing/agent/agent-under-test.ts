import type { ChildProcess } from 'node:child_process';
import { existsSync, promises } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { AgentWork, SessionConfirmation } from '#domain/build/agent-protocol.ts';
import type { CheckPlan, CheckRun, Plan, PlanStep } from '#domain/planning/plan.ts';
import { buildTestShim, bundleAgent } from '#testing/agent/build-agent.ts';
import { FakeGateway, type RequestFailure } from '#testing/agent/fake-gateway.ts';
import { ended, LocalPod, type ShimOptions } from '#testing/agent/local-pod.ts';
import { makeCertificate, type Certificate } from '#testing/network/certificate.ts';
import { freePort } from '#testing/network/free-port.ts';

/* For tests of the agent: `start` opens a fake gateway with a plan, and starts the shims and the agent. */
export let shim = '';
export let bundle = '';
export let certificate: Certificate = { key: '', cert: '' };

/** Builds the agent and its shim before the first test, and gives each test a Pod of processes. */
export function useAgent(): void {
  beforeAll(async () => {
    [shim, bundle, certificate] = await Promise.all([buildTestShim(), bundleAgent(), makeCertificate()]);
  }, 600_000);

  beforeEach(async () => {
    pod = new LocalPod();
    pod.open(await freePort());
  });

  afterEach(async () => {
    await pod.close();
    await gateway.close();
  });
}

export let pod: LocalPod;
export let gateway: FakeGateway;
export let shims: ChildProcess[] = [];

export function check(scope: string, script: string, more: Partial<CheckPlan> = {}): CheckPlan {
  return {
    scope,
    resource: `git.${scope}`,
    command: { container: 'worker', argv: ['/bin/sh', '-e'], script },
    env: {},
    timeoutSeconds: 300,
    ...more,
  };
}

export async function runAll(
  checks: CheckPlan[],
  more: Partial<CheckRun> = {},
): Promise<Map<string, object>> {
  const run: CheckRun = {
    format: 2,
    run: '1',
    containers: [{ name: 'worker' }],
    checks,
    ...more,
  };
  expect(await ended(await startWith({ work: 'checks', run }))).toBe(0);
  expect(gateway.checksDone).toBe(true);
  expect(gateway.results).toHaveLength(checks.length);
  return new Map(gateway.results.map((result) => [result.scope, result]));
}

export const understandsNoEvents: Trouble = (path) =>
  path.endsWith('/events') ? 'not-understood' : undefined;
export const refusesEvents: Trouble = (path) =>
  path.endsWith('/events') && gateway.events.some(({ type }) => type === 'step-started')
    ? 'refuse'
    : undefined;
export const refusesResults: Trouble = (path) =>
  path.endsWith('check-results') ? 'unauthorized' : undefined;
export const dropsCommandStream: Trouble = (path) => (path.endsWith('/commands') ? 'drop' : undefined);

export type Trouble = (path: string, count: number) => RequestFailure | undefined;

export function start(
  work: Plan,
  shimOptions?: (container: string) => ShimOptions,
  trouble?: Trouble,
  confirmation?: Promise<SessionConfirmation>,
): Promise<ChildProcess> {
  return startWith({ work: 'build', plan: work }, shimOptions, trouble, confirmation);
}

export async function startWith(
  work: AgentWork,
  shimOptions?: (container: string) => ShimOptions,
  trouble?: Trouble,
  confirmation?: Promise<SessionConfirmation>,
): Promise<ChildProcess> {
  gateway = new FakeGateway(certificate, work);
  gateway.confirmation = confirmation;
  if (trouble) gateway.failure = trouble;
  await gateway.open();
  const { containers } = work.work === 'build' ? work.plan : work.run;
  shims = containers.map(({ name }) => pod.startShim(shim, name, shimOptions?.(name) ?? {}));
  return pod.startAgent(bundle, gateway.url, certificate.cert);
}

export function plan(steps: Partial<PlanStep>[], more: Partial<Plan> = {}): Plan {
  return {
    format: 3,
    build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
    containers: [{ name: 'worker' }],
    workdir: pod.workdir,
    timeoutSeconds: 600,
    steps: steps.map((step, index) => ({
      id: String(index),
      kind: 'task',
      name: String(index),
      exports: `TASK_${index}_`,
      env: {},
      ...step,
    })),
    services: [],
    notifications: [],
    variables: {},
    ...more,
  };
}

export function push(version: string): Partial<PlanStep> {
  return sh(`echo '{"ref":"${version}"}'`, { kind: 'put', name: 'git.app', params: {} });
}

export function sh(script: string, more: Partial<PlanStep> = {}): Partial<PlanStep> {
  return { command: { container: 'worker', argv: ['/bin/sh', '-e'], script }, ...more };
}

export async function touch(name: string): Promise<void> {
  await promises.writeFile(join(pod.workdir, name), '');
}

/** Waits until the termination message contains this text. */
export async function terminationContains(part: string): Promise<void> {
  for (;;) {
    const text = await promises.readFile(pod.terminationLog, 'utf8').catch(() => '');
    if (text.includes(part)) return;
    await sleep(20);
  }
}

/** Waits until this file exists in the working directory. */
export async function fileAppears(name: string): Promise<void> {
  while (!existsSync(join(pod.workdir, name))) await sleep(20);
}

/** A random generator (Mulberry32): the same seed gives the same numbers. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sets `gateway` for a test that opens one itself instead of calling `start`. */
export function useGateway(other: FakeGateway): void {
  gateway = other;
}
