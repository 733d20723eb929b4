import { circumstances, numberFlag } from '#bench/table.ts';
import { startInstallation, type Installed } from './simulated/installed.ts';
import { measureBuilds } from './simulated/measure-builds.ts';
import { measureChecks } from './simulated/measure-checks.ts';
import { measureIdle } from './simulated/measure-idle.ts';

/*
 * Checks and builds without the cost of real Pods: the released operator and internal gateway (`make dist`),
 * with a separate control plane and Postgres, both with fsync. kwok simulates the nodes. simulated-agent.ts
 * acts as the Pods' agents, each from its Pod's address over TLS connections of its own, with a token bound
 * to the Pod if it has one. In each part, flags that end in `-ms` set how long the work of a Pod takes. The
 * control plane is not the embedded cluster, so no real Pod can land on a simulated node, no simulated Pod on
 * a real node, and every write that the API server counts belongs to this run.
 *
 *   node bench/pods/simulated-pods.ts checks [--resources 300] [--per-pipeline 5] [--seconds 60]
 *   node bench/pods/simulated-pods.ts idle   [--pipelines 1000] [--seconds 20]
 *   node bench/pods/simulated-pods.ts builds [--builds 500] [--at-once 20]
 *       [--start-ms 300] [--check-ms 200] [--step-ms 100] [--end-ms 1000]
 */
const parts: Record<string, (installed: Installed) => Promise<void>> = {
  checks: async (installed) =>
    await measureChecks(installed, {
      resources: numberFlag('resources', 300),
      perPipeline: numberFlag('per-pipeline', 5),
      seconds: numberFlag('seconds', 60),
    }),
  idle: async (installed) =>
    await measureIdle(installed, {
      pipelines: numberFlag('pipelines', 1000),
      seconds: numberFlag('seconds', 20),
    }),
  builds: async (installed) =>
    await measureBuilds(installed, {
      builds: numberFlag('builds', 500),
      atOnce: numberFlag('at-once', 20),
    }),
};
const part = parts[process.argv[2] ?? ''];
if (part === undefined) throw new Error(`Say what to measure: ${Object.keys(parts).join(', ')}.`);
const times = {
  start: numberFlag('start-ms', 300),
  check: numberFlag('check-ms', 200),
  step: numberFlag('step-ms', 100),
  end: numberFlag('end-ms', 1000),
};

console.log(`${circumstances()}, ${JSON.stringify(times)}\n`);
const installed = await startInstallation(times);
const stopped = async (): Promise<void> => {
  await installed.stop();
  process.exit(1);
};
process.once('SIGINT', () => void stopped());
process.once('SIGTERM', () => void stopped());
try {
  await part(installed);
  console.log(`\nagents: ${await installed.endAgents()}`);
} finally {
  await installed.stop();
}
console.log(circumstances());
