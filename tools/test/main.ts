import { RELEASE } from '#tools/chart/install.ts';
import { checkout } from '#tools/checkout.ts';
import { isExisting } from '#tools/cluster/existing.ts';
import { messageOf } from '#tools/cluster/explain.ts';
import { clusterReport } from '#tools/demo/diagnose.ts';
import { clock } from '#tools/demo/screen.ts';
import { startBeside } from './beside.ts';
import { oneIf, sum, type Counts } from './counts.ts';
import { GATES, whyLeftOut, withNeeds, type ClusterOwner } from './gates.ts';
import { runShown, stop } from './programs.ts';

const CLUSTER = 'tools/cluster/main.ts';
/** For commands that a cancelled run still needs, such as taking the cluster down. */
const NEVER_ABORTED = new AbortController().signal;
/** After a failure of one of these, the state of the cluster is printed. */
const GATES_OF_INSTALLATION = new Set(['install', 'helm-test', 'e2e', 'e2e-alone', 'readme']);
/** Why a gate was left out, by its name. */
const reasonsLeftOut = new Map<string, string>();
const results = new Map<string, Counts & { took: number; note: string }>();

async function test(chosen: readonly string[]): Promise<void> {
  const needed = withNeeds(chosen.length === 0 ? Object.keys(GATES) : chosen);
  const cluster = await clusterFor(needed);
  const ours = cluster === 'own';
  const names = needed.filter((name) => {
    const reason = whyLeftOut(GATES[name] ?? {}, cluster);
    if (reason !== undefined) reasonsLeftOut.set(name, reason);
    return reason === undefined;
  });
  // Gates that run in the background, beside the others. Their results are shown when it is their turn.
  const earlyGates = startBeside(
    names.filter((name) => GATES[name]?.beside),
    (name) => runGate(name, ours),
  );
  try {
    for (const [index, name] of names.entries()) {
      if (stop.signal.aborted) break;
      console.log(`\n[${index + 1}/${names.length}] ${name}: ${GATES[name]?.about ?? ''}`);
      const early = earlyGates.get(name);
      await record(name, early?.finish ?? (() => runGate(name, ours)), early?.took);
    }
  } finally {
    if (ours) await takeDown();
  }
}

/**
 * Which cluster the gates use. If they need one, removes what is left of an embedded cluster that does not
 * run.
 */
async function clusterFor(gates: readonly string[]): Promise<ClusterOwner> {
  if (isExisting(process.env)) return 'existing';
  if (!gates.includes('cluster') || (await clusterRuns())) return 'embedded';
  if (!(await nothingIsLeft())) await runShown(process.execPath, [CLUSTER, 'down'], NEVER_ABORTED);
  return 'own';
}

async function runGate(name: string, ownCluster: boolean): Promise<Counts> {
  const found = GATES[name];
  const missing = (found?.needs ?? []).filter((need) => (results.get(need)?.failed ?? 1) > 0);
  if (found === undefined || missing.length > 0)
    throw new Error(`not run, because ${missing.join(', ')} failed`);
  return found.run(ownCluster);
}

/** Records the result and duration of a gate. `tookEarly`: its duration if it started before its turn. */
async function record(name: string, run: () => Promise<Counts>, tookEarly?: () => number): Promise<void> {
  const started = Date.now();
  const took = tookEarly ?? (() => Date.now() - started);
  try {
    results.set(name, { ...(await run()), took: took(), note: '' });
  } catch (error) {
    const note = messageOf(error);
    console.log(note);
    results.set(name, { ...oneIf(false), took: took(), note: note.split('\n')[0] ?? '' });
  }
  if (stop.signal.aborted) return;
  if (GATES_OF_INSTALLATION.has(name) && (results.get(name)?.failed ?? 0) > 0) {
    for (const line of await clusterReport([RELEASE.namespace])) console.log(line);
  }
}

/** Whether a process of the cluster runs: `traces` exits with an error if it finds something. */
async function clusterRuns(): Promise<boolean> {
  return (await runShown(process.execPath, [CLUSTER, 'traces', '--processes'], NEVER_ABORTED)) !== 0;
}

/** False if processes, mounts or files of a cluster are left, as after the machine stopped without `down`. */
async function nothingIsLeft(): Promise<boolean> {
  return (await runShown(process.execPath, [CLUSTER, 'traces'], NEVER_ABORTED)) === 0;
}

/**
 * Stops the cluster that this run started, unless KEEP is set. This counts as one more gate, which verifies
 * that nothing is left.
 */
async function takeDown(): Promise<void> {
  if ((process.env['KEEP'] ?? '') !== '') {
    console.log('\nKEEP is set: the cluster goes on. make cluster-down ends it.');
    return;
  }
  console.log('\ncluster-down: takes the cluster down; nothing of it may be left');
  await record('cluster-down', async () => {
    const down = await runShown(process.execPath, [CLUSTER, 'down'], NEVER_ABORTED);
    return oneIf(down === 0 && (await nothingIsLeft()));
  });
}

/** Printed at the end, so that the last lines of a long log show what failed and why. */
function summary(): string {
  const failures = [...results].flatMap(([gate, { failures: all = [] }]) =>
    all.map((one) => `✘ ${gate} ${one.replaceAll(`${checkout}/`, '')}`),
  );
  const lines = [...results].map(([name, { passed, failed, took, note }]) => {
    const mark = failed > 0 ? '✘' : '✔';
    const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
    return `${mark} ${name.padEnd(14)} ${counts}  ${clock(took).padStart(5)}  ${note}`.trimEnd();
  });
  for (const [name, reason] of reasonsLeftOut) lines.push(`– ${name.padEnd(14)} left out: ${reason}`);
  const { passed, failed } = sum([...results.values()]);
  return `\n${[...failures, ...lines].join('\n')}\n\n${passed} passed, ${failed} failed`;
}

function finish(interrupted: boolean): void {
  const { passed, failed } = sum([...results.values()]);
  process.exitCode = interrupted || failed > 0 || passed === 0 ? 1 : 0;
  console.log(summary());
}

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (!stop.signal.aborted) console.log(`\n${name}: stopping`);
    stop.abort();
  });
}

try {
  await test(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  results.set('runner', { ...oneIf(false), took: 0, note: messageOf(error) });
}
finish(stop.signal.aborted);
