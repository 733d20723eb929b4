import { defined } from '#defined';
import { decideWarmPods, type WarmDecision } from '#domain/scheduling/decide-warm-pods.ts';
import { likelyJobs } from '#domain/scheduling/likely-jobs.ts';
import { pickStarts } from '#domain/scheduling/start-window.ts';
import type { Cluster } from './ports.ts';
import { gatherStarting, keyOf, secondsBetween, windowOf, type WindowPorts } from './start-window.ts';
import { fitForWarm, type TakeWarmPorts, type WarmFit } from './take-warm-pod.ts';
import type { RecordedWarmPod, TeamActivity, WarmPodStore, WarmTeam } from './warm-ports.ts';

export interface KeepWarmPorts extends WindowPorts {
  cluster: WindowPorts['cluster'] &
    TakeWarmPorts['cluster'] &
    Pick<Cluster, 'warmTeams' | 'createWarmPod' | 'deletePod'>;
  warmPods: WarmPodStore;
  /** Absent: only a shape without any Pod gets one. */
  refill?: boolean;
}

/** Pods of a Team that keeps some ready. */
export interface WarmCount {
  team: string;
  ready: number;
  starting: number;
}

export interface WarmPodsCounted {
  teams: WarmCount[];
  failures: { error: unknown }[];
}

/** A row whose Pod does not exist this long after is given up. The watch shows a new Pod sooner. */
const SETTLED_SECONDS = 15;
/** Rows of taken Pods stay as long, so that the end of a Pod is never taken for that of another. */
const USED_SECONDS = 60;
/** No step runs in a Pod that nobody has taken. */
const GRACE_SECONDS = 1;

/**
 * Creates Pods that wait, and deletes those that nobody will take. Level-triggered: a row without its Pod, or a Pod
 * without its row, is found by the next call or when the Pod is followed.
 */
export async function keepWarmPods(ports: KeepWarmPorts): Promise<WarmPodsCounted> {
  const { cluster, warmPods, now } = ports;
  const teams = cluster.warmTeams();
  const recorded = await warmPods.waitingPods();
  const counted: WarmPodsCounted = { teams: [], failures: [] };
  if (teams.length === 0 && recorded.length === 0) return counted;
  await warmPods.removeUsed(new Date(now().getTime() - USED_SECONDS * 1000));
  const present = await withoutLost(recorded, ports);
  const named = new Set(teams.map(({ team }) => team));
  const off = present.filter(({ team }) => !named.has(team));
  for (const pod of off) await removePod(pod, ports);
  for (const team of teams) {
    const own = present.filter((pod) => pod.team === team.team);
    try {
      await keepTeam(team, own, ports);
    } catch (error) {
      counted.failures.push({ error });
    }
    const count = (state: string): number => own.filter((pod) => pod.state === state).length;
    counted.teams.push({ team: team.team, ready: count('ready'), starting: count('creating') });
  }
  return counted;
}

/** Leaves out rows whose Pod was deleted, or never created because the operator died. */
async function withoutLost(
  recorded: readonly RecordedWarmPod[],
  { warmPods, pods, now }: KeepWarmPorts,
): Promise<RecordedWarmPod[]> {
  const uids = new Set(pods().map(({ uid }) => uid));
  const present: RecordedWarmPod[] = [];
  for (const pod of recorded) {
    const isLost = pod.podUid === undefined || !uids.has(pod.podUid);
    const isSettled = secondsBetween(pod.createdAt, now()) >= SETTLED_SECONDS;
    if (pod.state !== 'failed' && isLost && isSettled) await warmPods.remove(pod.id);
    else present.push(pod);
  }
  return present;
}

async function keepTeam(team: WarmTeam, pods: RecordedWarmPod[], ports: KeepWarmPorts): Promise<void> {
  const { warmPods, cluster, now, refill } = ports;
  const at = now();
  const since = new Date(at.getTime() - team.settings.idleSeconds * 1000);
  const activity = await warmPods.activity(team.team, since);
  const fits = fitsOf(team, activity, cluster);
  const facts = {
    settings: team.settings,
    ...activity,
    wanted: [...fits.keys()],
    pods,
    ...defined({ refill }),
  };
  const decision = decideWarmPods(facts, at);
  await removeAll(decision, pods, ports);
  const start = await allowedByWindow(team.team, decision.create, { fits, ports });
  for (const shape of start) {
    const fit = fits.get(shape);
    if (fit !== undefined) await createPod(team, fit, ports);
  }
}

/** The Pods that likely jobs need, by shape, the likeliest first. */
function fitsOf(
  { team, namespace }: WarmTeam,
  { jobs }: TeamActivity,
  cluster: KeepWarmPorts['cluster'],
): Map<string, WarmFit> {
  const fits = new Map<string, WarmFit>();
  for (const { job, because } of likelyJobs(jobs)) {
    const fit = fitForWarm({ ...because, job, team, namespace }, cluster);
    if (fit !== undefined && !fits.has(fit.shape)) fits.set(fit.shape, fit);
  }
  return fits;
}

async function removeAll(
  { remove, fail }: WarmDecision,
  pods: readonly RecordedWarmPod[],
  ports: KeepWarmPorts,
): Promise<void> {
  const byId = new Map(pods.map((pod) => [pod.id, pod]));
  for (const { id } of remove) {
    const pod = byId.get(id);
    if (pod !== undefined) await removePod(pod, ports);
  }
  for (const { id, message } of fail) {
    const pod = byId.get(id);
    if (pod !== undefined && (await ports.warmPods.fail(id, message))) await deletePod(pod, ports);
  }
}

/** The row first: afterwards, no build can take the Pod. */
async function removePod(pod: RecordedWarmPod, ports: KeepWarmPorts): Promise<void> {
  if (await ports.warmPods.remove(pod.id)) await deletePod(pod, ports);
}

async function deletePod(
  { namespace, name, podUid }: RecordedWarmPod,
  { cluster }: KeepWarmPorts,
): Promise<void> {
  if (name !== undefined && podUid !== undefined)
    await cluster.deletePod(namespace, name, podUid, GRACE_SECONDS);
}

/** A Pod that nobody needs yet takes a slot of the start window like any other. */
async function allowedByWindow(
  team: string,
  create: readonly string[],
  { fits, ports }: { fits: ReadonlyMap<string, WarmFit>; ports: KeepWarmPorts },
): Promise<string[]> {
  if (create.length === 0) return [];
  const starting = await gatherStarting(ports);
  const selectors = new Map<string, Record<string, string>>();
  const wanted = create.map((shape) => {
    const selector = fits.get(shape)?.pod.placement.nodeSelector ?? {};
    selectors.set(shape, selector);
    return { team, nodes: keyOf(selector), shape };
  });
  const byKey = new Map([...selectors.values()].map((selector) => [keyOf(selector), selector]));
  return pickStarts(wanted, starting, windowOf(byKey, ports)).start.map(({ shape }) => shape);
}

async function createPod(
  { team, namespace, settings }: WarmTeam,
  { shape, pod }: WarmFit,
  { cluster, warmPods, now }: KeepWarmPorts,
): Promise<void> {
  const id = await warmPods.add(team, { namespace, shape, at: now() });
  if (id === undefined) return;
  const answer = await cluster.createWarmPod({ id, team, namespace, idleSeconds: settings.idleSeconds }, pod);
  if (answer.answer === 'refused') await warmPods.fail(id, `${answer.reason}: ${answer.message}`);
  else await warmPods.created(id, { name: answer.name, uid: answer.uid });
}
