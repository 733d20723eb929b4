import type { Bell, CheckStore, Cluster, DueCheck } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'dueChecks' | 'openRuns' | 'openRun' | 'runFacts' | 'recordCheck' | 'closeRun'>;
  cluster: Pick<Cluster, 'createCheckPod'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

export interface ChecksStarted {
  runs: number[];
  /** Recorded at once, without a Pod. */
  answered: number;
  /** Due, but held back by a limit: they go first when a run ends. */
  held: number;
  failures: { group: string; error: unknown }[];
}

const MOST_DUE = 1000;
/** Pods cost: as many checks run at once, in all and of one team, and one of each group. */
const MOST_PODS = 10;
const MOST_PODS_OF_TEAM = 3;

/** Answers the due checks that need no Pod, and starts a Pod for each group of the others, oldest due first. */
export async function startChecks(ports: Ports): Promise<ChecksStarted> {
  const done: ChecksStarted = { runs: [], answered: 0, held: 0, failures: [] };
  const due = await ports.checks.dueChecks(ports.now(), MOST_DUE);
  for (const check of due.filter((candidate) => candidate.builtInCron)) await answer(check, ports, done);
  const groups = Map.groupBy(
    due.filter((candidate) => !candidate.builtInCron),
    groupName,
  );
  if (groups.size === 0) return done;
  const open = await ports.checks.openRuns();
  const running = open.map((run) => ({ team: run.team, group: groupName(run) }));
  for (const [group, checks] of groups) {
    const team = checks[0]?.team ?? '';
    const full =
      running.length >= MOST_PODS ||
      running.filter((run) => run.team === team).length >= MOST_PODS_OF_TEAM ||
      running.some((run) => run.group === group);
    if (full) done.held += checks.length;
    else if (await startGroup(group, checks, { ports, done })) running.push({ team, group });
  }
  return done;
}

function groupName({ pipelineId, group }: { pipelineId: number; group: string }): string {
  return `${pipelineId} ${group}`;
}

async function startGroup(
  group: string,
  checks: DueCheck[],
  { ports, done }: { ports: Ports; done: ChecksStarted },
): Promise<boolean> {
  const scopes = checks.map((check) => check.scope);
  const cause = checks.find((check) => check.cause !== 'schedule')?.cause ?? 'schedule';
  try {
    const opened = await ports.checks.openRun(scopes, cause, ports.now());
    const facts = opened && (await ports.checks.runFacts(opened.run));
    if (opened === undefined || facts === undefined) return false;
    // Should this fail, the run stays open and follow-pods asks for its Pod again.
    const pod = await ports.cluster.createCheckPod(facts);
    if (pod.answer === 'refused') {
      await ports.checks.closeRun(opened.run, ports.now(), `No Pod could be made: ${pod.message}`);
      return false;
    }
    done.runs.push(opened.run);
    return true;
  } catch (error) {
    done.failures.push({ group, error });
    return false;
  }
}

/** Built-in `cron`: the version is the time itself. */
async function answer(check: DueCheck, { checks, bell, now }: Ports, done: ChecksStarted): Promise<void> {
  try {
    const at = now();
    const versions = [{ date: dateText(at) }];
    const { recorded } = await checks.recordCheck({ scope: check.scope, versions, log: '' }, at);
    done.answered += recorded.length;
    if (recorded.length === 0) return;
    bell.ring('schedule', check.pipelineId);
    bell.ring('status', check.pipelineId);
  } catch (error) {
    done.failures.push({ group: groupName(check), error });
  }
}

/** As the program `date` prints it in UTC. */
export function dateText(at: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = at.toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
