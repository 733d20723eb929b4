import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { kubeconfigConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { OWNED_BY_MILLRACE } from '#adapters/kubernetes/manifests/labels.ts';
import { Reflector } from '#adapters/kubernetes/watch/reflector.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { numberFlag } from '#bench/table.ts';
import { defined } from '#defined';
import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import { checksMs, eventBatches, resultsOf } from './simulated/answers.ts';
import { GatewaySession } from './simulated/gateway-session.ts';
import { reportEnd, tokenFor } from './simulated/kubelet.ts';
import { podWork, type SimulatedPodWork } from './simulated/pod-work.ts';

/*
 * The agents of simulated Pods, and the parts of the kubelet that kwok omits. For each running Pod of
 * Millrace it requests the token that the Pod's volume, if any, would hold, acts as the Pod's agent from the
 * Pod's address, and reports the Pod's end. simulated-pods.ts starts it. After SIGTERM it prints a summary.
 *
 *   node bench/pods/simulated-agent.ts --kubeconfig file [--check-ms 200] [--step-ms 100]
 *       [--end-ms 1000] [--version-ms 100000]
 */
const times = {
  check: numberFlag('check-ms', 200),
  step: numberFlag('step-ms', 100),
  /** The kubelet reports the end of a Pod with a delay. */
  end: numberFlag('end-ms', 1000),
  /** After this time a resource has another version. */
  version: numberFlag('version-ms', 100_000),
};

interface SeenPod extends CachedObject {
  work?: SimulatedPodWork;
}

const counts = {
  checks: 0,
  builds: 0,
  tokens: 0,
  nonces: 0,
  retries: 0,
  failed: 0,
  failures: new Set<string>(),
};
/** The summary has at most this many different failure messages. */
const MAX_FAILURES = 5;
const startedPods = new Set<string>();
const flagIndex = process.argv.indexOf('--kubeconfig');
const connection = await kubeconfigConnection(process.argv[flagIndex + 1]);
const client = new ApiClient(connection);
const pods = new Reflector(client, {
  kind: KINDS.pods,
  labelSelector: OWNED_BY_MILLRACE,
  project: (pod): SeenPod => {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = pod.metadata ?? {};
    const work = podWork(pod);
    return { namespace, name, uid, resourceVersion, ...defined({ work }) };
  },
  changed: ({ type, object: { uid, work } }) => {
    if (type === 'deleted') startedPods.delete(uid);
    else if (work !== undefined && !startedPods.has(uid)) {
      startedPods.add(uid);
      void serve(work);
    }
  },
  onProblem: ({ message }) => recordFailure(`watch: ${message}`),
});
pods.start();
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ ...counts, failures: [...counts.failures] }));
  process.exit(0);
});

async function serve(work: SimulatedPodWork): Promise<void> {
  const session = new GatewaySession(work);
  try {
    const token = await tokenFor(work, client);
    counts[token === undefined ? 'nonces' : 'tokens'] += 1;
    const response = Promise.withResolvers<SessionResponse>();
    const confirmed = session.open(token, response.resolve);
    confirmed.catch(response.reject);
    const answer = await response.promise;
    if (answer.work === 'wait') throw new Error('no Team of this measurement keeps warm Pods');
    if (answer.work === 'build') await runBuild(answer.plan, session, confirmed);
    else await runChecks(answer.run, session, confirmed);
    counts[answer.work === 'build' ? 'builds' : 'checks'] += 1;
    counts.retries += session.retries;
    await session.close();
    await sleep(times.end);
    await reportEnd(work, client);
  } catch (error) {
    await session.close();
    recordFailure(`${work.pod.namespace}/${work.pod.name}: ${String(error)}`);
  }
}

async function runChecks(run: CheckRun, session: GatewaySession, confirmed: Promise<void>): Promise<void> {
  await sleep(checksMs(run, times.check));
  await confirmed;
  if (run.checks.length === 0) return;
  for (const results of resultsOf(run, { now: Date.now(), everyMs: times.version }))
    await session.sendCheckResults(results);
}

async function runBuild(plan: Plan, session: GatewaySession, confirmed: Promise<void>): Promise<void> {
  await confirmed;
  void session.followCommands().catch((error: unknown) => recordFailure(`commands: ${String(error)}`));
  for (const { events, stepRuns } of eventBatches(plan, () => new Date().toISOString())) {
    await session.report(events);
    if (stepRuns) await sleep(times.step);
  }
}

function recordFailure(message: string): void {
  counts.failed += 1;
  if (counts.failures.size < MAX_FAILURES) counts.failures.add(message);
}
