import { pickChecks } from '#domain/scheduling/pick-checks.ts';
import { shareByTeam } from '#domain/scheduling/share-by-team.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { requestCheckPod, type RequestCheckPodPorts } from '#flows/pods/request-pod.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import { endRefused } from './check-refusal.ts';
import { checkLimits, openChecks, type CheckSlotPorts } from './check-slots.ts';
import { openRun } from './claim-checks.ts';
import type { CheckStore, DueCheck } from './ports.ts';
import { recordCheck } from './record-check.ts';

interface Ports extends CheckSlotPorts, Pick<RequestCheckPodPorts, 'caches'> {
  checks: Pick<CheckStore, 'dueChecks' | 'openRuns' | 'withChecks' | 'cronNext' | 'runFacts' | 'releaseRun'>;
  notifications: Pick<Notifications, 'notify'>;
  cluster: CheckSlotPorts['cluster'] & RequestCheckPodPorts['cluster'];
}

export interface ChecksStarted {
  runs: number[];
  /** Number of versions recorded by checks that need no Pod. */
  answered: number;
  /** Number of due checks that a limit holds back. */
  held: number;
  /** More checks are due that need no Pod: call again at once. */
  more: boolean;
  /**
   * Teams with a check Pod that was refused, but may be accepted later: see `isTransient`. Leave them out for
   * some time (`avoid`).
   */
  refusedTeams: string[];
  failures: { group: string; error: unknown }[];
}

/** Limit for the due checks of one team per call: this many that need a Pod, and as many that need none. */
const MAX_DUE_OF_TEAM = 1000;
/** How many checks that need no Pod one call answers. Few, so that checks with a Pod start in between. */
const MAX_ANSWERED = 200;
/** How many of them are answered at a time. Each is a transaction on its own row. */
const MAX_CONCURRENT_ANSWERS = 4;

const NO_TEAMS: ReadonlySet<string> = new Set();

/**
 * Creates a Pod for each group of due checks that need a Pod, and answers the other checks. Teams take turns,
 * and a team without a running check gets a slot even if other teams hold all of them. `avoid`: teams for
 * which this call creates no Pods.
 */
export async function startChecks(
  ports: Ports,
  avoid: ReadonlySet<string> = NO_TEAMS,
): Promise<ChecksStarted> {
  const done: ChecksStarted = {
    runs: [],
    answered: 0,
    held: 0,
    more: false,
    refusedTeams: [],
    failures: [],
  };
  const due = await ports.checks.dueChecks(ports.now(), MAX_DUE_OF_TEAM, [...avoid]);
  const withPod = due
    .filter((candidate) => !candidate.builtInCron)
    .map((check) => ({ ...check, group: groupName(check) }));
  if (withPod.length > 0) await startGroups(withPod, ports, done);
  const withoutPod = shareByTeam(
    due.filter((candidate) => candidate.builtInCron),
    [],
  );
  await answerCronChecks(withoutPod.slice(0, MAX_ANSWERED), ports, done);
  return { ...done, more: withoutPod.length > MAX_ANSWERED };
}

async function answerCronChecks(due: readonly DueCheck[], ports: Ports, done: ChecksStarted): Promise<void> {
  // The loops share one iterator, so each check is answered once.
  const remaining = due.values();
  const answerRemaining = async (): Promise<void> => {
    for (const check of remaining) await answerCronCheck(check, ports, done);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_ANSWERS }, answerRemaining));
}

async function startGroups(due: DueCheck[], ports: Ports, done: ChecksStarted): Promise<void> {
  const running = openChecks(await ports.checks.openRuns(), groupName, ports);
  let waiting = due;
  for (;;) {
    const { freeSlotsOf, ...limits } = checkLimits(running, ports);
    const picked = pickChecks(waiting, running, {
      ...limits,
      freeSlotsOf: (team) => (done.refusedTeams.includes(team) ? 0 : freeSlotsOf(team)),
    });
    if (picked.groups.length === 0) break;
    for (const checks of picked.groups) {
      const [first] = checks;
      const started = await startGroup(checks, ports, done);
      // A group that cannot start takes no slot.
      if (started && first !== undefined) running.push({ ...first, byCronJob: false, starting: true });
    }
    waiting = picked.held;
  }
  done.held += waiting.length;
}

function groupName({ pipelineId, group }: { pipelineId: number; group: string }): string {
  return `${pipelineId} ${group}`;
}

async function startGroup(checks: DueCheck[], ports: Ports, done: ChecksStarted): Promise<boolean> {
  try {
    const facts = await claimGroup(checks, ports);
    if (facts === undefined) return false;
    // If this fails, the run stays open and follow-check-pods.ts creates its Pod later.
    const pod = await requestCheckPod(facts, ports);
    if (pod.answer === 'refused') {
      if (await endRefused(facts.run, pod, ports)) done.refusedTeams.push(facts.team);
      return false;
    }
    done.runs.push(facts.run);
    return true;
  } catch (error) {
    done.failures.push({ group: checks[0]?.group ?? '', error });
    return false;
  }
}

async function claimGroup(checks: DueCheck[], ports: Ports): Promise<CheckRunFacts | undefined> {
  const scopes = checks.map((check) => check.scope);
  const cause = checks.find((check) => check.cause !== 'schedule')?.cause ?? 'schedule';
  const opened = await openRun(scopes, cause, ports);
  return opened && (await ports.checks.runFacts(opened.run));
}

/** Answers a check of the built-in type `cron`: the version is the time itself. */
async function answerCronCheck(check: DueCheck, ports: Ports, done: ChecksStarted): Promise<void> {
  try {
    const at = ports.now();
    const outcome = { scope: check.scope, versions: [{ date: formatCheckDate(at) }], log: '' };
    const { recorded, awaited } = await recordCheck(outcome, { ...ports, now: () => at });
    done.answered += recorded.length;
    if (recorded.length === 0 && !awaited) return;
    ports.notifications.notify({ topic: 'schedule', pipeline: check.pipelineId });
    ports.notifications.notify({ topic: 'status', pipeline: check.pipelineId });
  } catch (error) {
    done.failures.push({ group: groupName(check), error });
  }
}

/** In UTC, in the format of the program `date`. */
export function formatCheckDate(at: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = at.toUTCString().split(/,? /);
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
