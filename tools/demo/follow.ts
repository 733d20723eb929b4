import { setTimeout as sleep } from 'node:timers/promises';
import { explained } from '#tools/cluster/explain.ts';
import type { DemoBuild, DemoGateway } from './gateway.ts';
import { clock, type Screen } from './screen.ts';

const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'warning']);
const MARKS: Readonly<Record<string, string>> = {
  succeeded: '✔',
  failed: '✘',
  cancelled: '✘',
  started: '▶',
  skipped: '-',
};
/** A build takes seconds, but the first use of an image may take minutes to unpack. */
const MAX_WAIT_MS = 5 * 60_000;

/**
 * Shows the builds of one commit until all have ended, or one has failed or been cancelled. Returns the
 * builds by job. Throws if nothing changes for five minutes.
 */
export async function followCommit(
  gateway: DemoGateway,
  jobs: readonly string[],
  ref: string,
  screen: Screen,
): Promise<Map<string, DemoBuild>> {
  const builds = new Map<string, DemoBuild>();
  let previousState = '';
  let changedAt = Date.now();
  const started = Date.now();
  for (;;) {
    for (const job of jobs) await updateBuild(gateway, job, ref, builds);
    screen.redraw(jobs.map((job) => describeJob(job, builds.get(job), Date.now() - started)));
    const statuses = jobs.map((job) => builds.get(job)?.status ?? 'waiting');
    if (statuses.every((status) => FINAL.has(status)) || statuses.some(isBad)) return builds;
    const state = JSON.stringify([...builds.values()]);
    if (state !== previousState) changedAt = Date.now();
    previousState = state;
    if (Date.now() - changedAt > MAX_WAIT_MS) {
      throw explained(`Nothing has changed for ${clock(MAX_WAIT_MS)} minutes.`);
    }
    await sleep(300);
  }
}

function isBad(status: string): boolean {
  return status === 'failed' || status === 'cancelled';
}

async function updateBuild(
  gateway: DemoGateway,
  job: string,
  ref: string,
  builds: Map<string, DemoBuild>,
): Promise<void> {
  const known = builds.get(job);
  if (known !== undefined) {
    if (!FINAL.has(known.status)) builds.set(job, await gateway.build(job, known.number));
    return;
  }
  for (const { number } of (await gateway.builds(job)).slice(0, 3)) {
    const build = await gateway.build(job, number);
    if (build.inputs?.some(({ version }) => version['ref'] === ref)) builds.set(job, build);
  }
}

/** One line for each job: status, number, duration, steps, and what went wrong. */
export function describeJob(job: string, build: DemoBuild | undefined, waited: number): string {
  const name = job.padEnd(13);
  if (build === undefined) return `· ${name} waiting               ${clock(waited)}`;
  const steps = (build.steps ?? []).map((step) => `${MARKS[step.status] ?? '·'} ${step.name}`).join('  ');
  const status = `${build.status.padEnd(10)} build ${build.number.padEnd(4)}`;
  const message = ['succeeded', 'started'].includes(build.status) ? '' : (build.message ?? '');
  return `${MARKS[build.status] ?? '·'} ${name} ${status} ${timeOf(build)}  ${steps}  ${message}`.trimEnd();
}

function timeOf(build: DemoBuild): string {
  const end = build.ended_at === undefined ? Date.now() : Date.parse(build.ended_at);
  return clock(end - Date.parse(build.started_at ?? build.created_at));
}
