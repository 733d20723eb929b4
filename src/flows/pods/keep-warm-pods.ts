import { defined } from '#defined';
import { decideWarmPods, type WarmDecision } from '#domain/scheduling/decide-warm-pods.ts';
import { jobsLikelyNext } from '#domain/scheduling/likely-jobs.ts';
import { pickStarts } from '#domain/scheduling/start-window.ts';
import type { Cluster, NodeSelector } from './ports.ts';
import { gatherStarting, secondsBetween, selectorKey, windowOf, type WindowPorts } from './start-window.ts';
import { fitForWarm, type TakeWarmPorts, type WarmFit } from './take-warm-pod.ts';
import type { RecordedWarmPod, TeamActivity, WarmPodStore, WarmTeam } from './warm-ports.ts';

export interface KeepWarmPorts extends WindowPorts {
  cluster: WindowPorts['cluster'] &
    TakeWarmPorts['cluster'] &
    Pick<Cluster, 'warmTeams' | 'podsListed' | 'createWarmPod' | 'deletePod'>;
  warmPods: WarmPodStore;
  /** Whether a shape that has a warm Pod may get another one. Absent: it may not. */
  refill?: boolean;
}

/** Warm Pods of a Team that keeps some. */
export interface WarmCount {
  team: string;
  ready: number;
  starting: number;
}

export interface WarmPodsCounted {
  teams: WarmCount[];
  failures: { error: unknown }[];
}

/** A row without a Pod is removed at this age. The watch normally shows a new Pod sooner. */
const LOST_AFTER_SECONDS = 15;
/**
 * Minimum time for which the row of a taken Pod stays. During this time, late changes of the Pod still lead
 * to its build.
 */
const KEEP_USED_SECONDS = 60;
/** A warm Pod may end this soon: no step runs in a Pod that no build has taken. */
const GRACE_SECONDS = 1;

/**
 * Creates warm Pods, and deletes those that no build will take. Level-triggered: if the operator dies in
 * between, the next call finds a row without its Pod, and `followWarmPod` finds a Pod without its row.
 */
export async function keepWarmPods(ports: KeepWarmPorts): Promise<WarmPodsCounted> {
  const { cluster, warmPods, now } = ports;
  const teams = cluster.warmTeams();
  const waiting = await warmPods.waitingPods();
  // Until the Pods of a namespace are listed, a missing Pod is not lost.
  const recorded = waiting.filter(({ namespace }) => cluster.podsListed(namespace));
  const counted: WarmPodsCounted = { teams: [], failures: [] };
  if (teams.length === 0 && recorded.length === 0) return counted;
  await warmPods.removeUsed(new Date(now().getTime() - KEEP_USED_SECONDS * 1000));
  const present = await removeLost(recorded, ports);
  const teamsToKeep = new Set(teams.map(({ team }) => team));
  const ofOtherTeams = present.filter(({ team }) => !teamsToKeep.has(team));
  for (const pod of ofOtherTeams) await removePod(pod, ports);
  for (const team of teams) {
    const ofTeam = present.filter((pod) => pod.team === team.team);
    try {
      await keepTeam(team, ofTeam, ports);
    } catch (error) {
      counted.failures.push({ error });
    }
    const count = (state: string): number => ofTeam.filter((pod) => pod.state === state).length;
    counted.teams.push({ team: team.team, ready: count('ready'), starting: count('creating') });
  }
  return counted;
}

/**
 * Removes rows whose Pod was deleted, or was never created because the operator died. Returns the remaining
 * rows.
 */
async function removeLost(
  recorded: readonly RecordedWarmPod[],
  { warmPods, pods, now }: KeepWarmPorts,
): Promise<RecordedWarmPod[]> {
  const uids = new Set(pods().map(({ uid }) => uid));
  const present: RecordedWarmPod[] = [];
  for (const pod of recorded) {
    const isUnseen = pod.podUid === undefined || !uids.has(pod.podUid);
    const isOld = secondsBetween(pod.createdAt, now()) >= LOST_AFTER_SECONDS;
    if (pod.state !== 'failed' && isUnseen && isOld) await warmPods.remove(pod.id);
    else present.push(pod);
  }
  return present;
}

async function keepTeam(team: WarmTeam, pods: RecordedWarmPod[], ports: KeepWarmPorts): Promise<void> {
  const { warmPods, cluster, now, refill } = ports;
  const at = now();
  const since = new Date(at.getTime() - team.settings.idleSeconds * 1000);
  const activity = await warmPods.activity(team.team, since);
  const fits = likelyFits(team, activity, cluster);
  const facts = {
    settings: team.settings,
    ...activity,
    likelyShapes: [...fits.keys()],
    pods,
    ...defined({ refill }),
  };
  const decision = decideWarmPods(facts, at);
  await removeAll(decision, pods, ports);
  const allowed = await allowedByWindow(team.team, decision.create, { fits, ports });
  for (const shape of allowed) {
    const fit = fits.get(shape);
    if (fit !== undefined) await createPod(team, fit, ports);
  }
}

/** The Pods that likely jobs need, by shape, the likeliest first. */
function likelyFits(
  { team, namespace }: WarmTeam,
  { jobs }: TeamActivity,
  cluster: KeepWarmPorts['cluster'],
): Map<string, WarmFit> {
  const fits = new Map<string, WarmFit>();
  for (const { job, activeJob } of jobsLikelyNext(jobs)) {
    const fit = fitForWarm({ ...activeJob, job, team, namespace }, cluster);
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

/** Removes the row first: afterwards, no build can take the Pod. */
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

/** The shapes for which the start window has slots. A warm Pod takes a slot like any other Pod. */
async function allowedByWindow(
  team: string,
  create: readonly string[],
  { fits, ports }: { fits: ReadonlyMap<string, WarmFit>; ports: KeepWarmPorts },
): Promise<string[]> {
  if (create.length === 0) return [];
  const starting = await gatherStarting(ports);
  const selectors = new Map<string, NodeSelector>();
  const candidates = create.map((shape) => {
    const selector = fits.get(shape)?.pod.placement.nodeSelector ?? {};
    const nodes = selectorKey(selector);
    selectors.set(nodes, selector);
    return { team, nodes, shape };
  });
  const window = { ...windowOf(selectors, ports), waitingOf: () => 0 };
  return pickStarts(candidates, starting, window).start.map(({ shape }) => shape);
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
