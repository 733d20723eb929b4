import { endRefused } from './check-refusal.ts';
import { pickChecks } from '#domain/scheduling/pick-checks.ts';
import type { CheckRunFacts, CheckStore, DueCheck } from './check-ports.ts';
import type { Cluster } from './cluster-ports.ts';
import type { Bell } from './ports.ts';

interface Ports {
  checks: Pick<
    CheckStore,
    'dueChecks' | 'openRuns' | 'openRun' | 'runFacts' | 'recordCheck' | 'closeRun' | 'releaseRun'
  >;
  cluster: Pick<Cluster, 'createCheckPod' | 'checkRoom'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

export interface ChecksStarted {
  runs: number[];
  /** Recorded at once, without a Pod. */
  answered: number;
  /** Due, but held back by a limit: they go first when a run ends. */
  held: number;
  /** Teams whose namespaces have no room for a check Pod: worth another try in a while. */
  short: string[];
  failures: { group: string; error: unknown }[];
}

const MOST_DUE = 1000;
/** Each is a transaction on a row of its own. */
const ANSWERED_AT_ONCE = 4;
/** Pods cost: as many checks run at once, in all and of one team whose Team does not say. */
export const LIMITS = { pods: 10, podsOfTeam: 3 };

/**
 * Answers the due checks that need no Pod, and starts a Pod for each group of the others, oldest due first. Those of the teams named are
 * left for later. Some are looked at together; what is left of teams without room does not stand before that of others.
 */
export async function startChecks(ports: Ports, avoid: ReadonlySet<string> = NONE): Promise<ChecksStarted> {
  const done: ChecksStarted = { runs: [], answered: 0, held: 0, short: [], failures: [] };
  const running: Running[] = [];
  const full = new Set(avoid);
  for (;;) {
    const due = await ports.checks.dueChecks(ports.now(), MOST_DUE, [...full]);
    await answerClocks(due, ports, done);
    const wanted = due
      .filter((candidate) => !candidate.builtInCron)
      .map((check) => ({ ...check, group: groupName(check) }));
    if (wanted.length === 0) return done;
    // Those of a look before are among them.
    running.splice(0, Infinity, ...(await runningNow(ports)));
    await startWanted(wanted, running, { ports, done });
    if (due.length < MOST_DUE || running.length >= LIMITS.pods) return done;
    const known = full.size;
    for (const { team } of wanted) if (roomIn(team, running, { ports, done }) <= 0) full.add(team);
    if (full.size === known) return done;
  }
}

interface Running {
  team: string;
  group: string;
}
interface Doing {
  ports: Ports;
  done: ChecksStarted;
}

async function runningNow({ checks }: Ports): Promise<Running[]> {
  const open = await checks.openRuns();
  return open.map((run) => ({ team: run.team, group: groupName(run) }));
}

async function answerClocks(due: readonly DueCheck[], ports: Ports, done: ChecksStarted): Promise<void> {
  const clocks = due.filter((candidate) => candidate.builtInCron).values();
  const lane = async (): Promise<void> => {
    for (const check of clocks) await answer(check, ports, done);
  };
  await Promise.all(Array.from({ length: ANSWERED_AT_ONCE }, lane));
}

async function startWanted(wanted: DueCheck[], running: Running[], { ports, done }: Doing): Promise<void> {
  let left = wanted;
  for (;;) {
    const roomOf = (team: string): number => roomIn(team, running, { ports, done });
    const picked = pickChecks(left, running, { pods: LIMITS.pods, roomOf });
    if (picked.groups.length === 0) break;
    // What could not be started takes nobody's place.
    for (const checks of picked.groups)
      if (await startGroup(checks, ports, done)) running.push(...checks.slice(0, 1));
    left = picked.held;
  }
  done.held += left.length;
}

const NONE: ReadonlySet<string> = new Set();

function roomIn(team: string, running: readonly Running[], { ports, done }: Doing): number {
  if (done.short.includes(team)) return 0;
  const room = ports.cluster.checkRoom(team);
  return room === Infinity ? LIMITS.podsOfTeam - running.filter((run) => run.team === team).length : room;
}

function groupName({ pipelineId, group }: { pipelineId: number; group: string }): string {
  return `${pipelineId} ${group}`;
}

async function startGroup(checks: DueCheck[], ports: Ports, done: ChecksStarted): Promise<boolean> {
  try {
    const facts = await claim(checks, ports);
    if (facts === undefined) return false;
    // Should this fail, the run stays open and follow-pods asks for its Pod again.
    const pod = await ports.cluster.createCheckPod(facts);
    if (pod.answer === 'refused') {
      if (await endRefused(facts.run, pod, ports)) done.short.push(facts.team);
      return false;
    }
    done.runs.push(facts.run);
    return true;
  } catch (error) {
    done.failures.push({ group: checks[0]?.group ?? '', error });
    return false;
  }
}

async function claim(checks: DueCheck[], ports: Ports): Promise<CheckRunFacts | undefined> {
  const scopes = checks.map((check) => check.scope);
  const cause = checks.find((check) => check.cause !== 'schedule')?.cause ?? 'schedule';
  const opened = await ports.checks.openRun(scopes, cause, ports.now());
  return opened && (await ports.checks.runFacts(opened.run));
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
