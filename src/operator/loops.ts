import { setInterval } from 'node:timers';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ReconcileResult, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import { compareWithPods } from '#flows/builds/compare-with-pods.ts';
import { scheduleJobs, schedulePipeline } from '#flows/builds/schedule-jobs.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import { claimNotifications } from '#flows/checks/claim-notifications.ts';
import { correctTimers } from '#flows/checks/correct-timers.ts';
import { runHooks } from '#flows/checks/run-hooks.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { ReceivedNotification } from '#flows/notification-ports.ts';
import { keepWarmPods } from '#flows/pods/keep-warm-pods.ts';
import type { WarmResult } from '#flows/pods/take-warm-pod.ts';
import { FullNamespaces } from './full-namespaces.ts';
import { housekeeping, HOUSEKEEPING_MS } from './housekeeping.ts';
import type { Leadership } from './lead.ts';
import { PodFollower } from './pod-follower.ts';
import type { Reconciling } from './reconcile.ts';
import { AFTER_FAILURE_MS, endingOf, reportFailures, workQueue } from './work-queue.ts';

/**
 * How often a timer starts each kind of work. Checks are due to the second, so their timer is short. A
 * notification usually starts decisions and builds before their timers do.
 */
const INTERVALS_MS = {
  checks: 1000,
  hooks: 10_000,
  notifications: 5000,
  schedule: 10_000,
  builds: 10_000,
  warm: 5000,
  compare: 10_000,
  overdue: 10_000,
  ...HOUSEKEEPING_MS,
};
const TOPICS = ['checks', 'schedule', 'builds', 'status', 'cancel', 'teams'] as const;
/** Pause before checks of a team are tried again after a check Pod was refused for a transient reason. */
const REFUSED_CHECKS_RETRY_MS = 5000;
/** Delay before warm Pods are replaced, so that the new Pods do not start while the build begins. */
const REPLACE_WARM_AFTER_MS = 1000;

/**
 * Work that is not about a single Kubernetes object. Notifications, timers and changes of Pods and Teams
 * start it. Work of one key never runs concurrently.
 */
export class Loops {
  readonly #leadership: Leadership;
  readonly #reconciling: Reconciling;
  readonly #queue: WorkQueue;
  readonly #pods: PodFollower;
  readonly #fullNamespaces = new FullNamespaces();
  /** By team, the time (of `performance.now`) to try its checks again, after `REFUSED_CHECKS_RETRY_MS`. */
  #refusedTeams = new Map<string, number>();
  /**
   * Whether a shape that has a warm Pod may get another one. Only the timer sets it to true, because a new
   * Pod slows down other starts.
   */
  #refill = true;
  readonly #onStop: (() => void)[] = [];
  /** Periodic work by queue key. Work on a single pipeline or team has a key of its own: see `#work`. */
  readonly #periodicWork: ReadonlyMap<string, () => Promise<ReconcileResult>>;

  constructor(leadership: Leadership, reconciling: Reconciling) {
    this.#leadership = leadership;
    this.#reconciling = reconciling;
    this.#queue = workQueue(leadership, 'loop', (key) => this.#work(key), kindOf);
    this.#pods = new PodFollower(leadership, reconciling);
    this.#periodicWork = new Map([
      ['builds', () => this.#startBuilds()],
      ['warm', () => this.#keepWarmPods()],
      ['checks', () => this.#startChecks()],
      ['hooks', () => this.#runHooks()],
      ['notifications', () => this.#claimNotifications()],
      ['compare', () => this.#compare()],
      ['overdue', () => this.#updateOverdueChecks()],
      ...Object.entries(housekeeping(leadership, reconciling)),
    ]);
    reconciling.onPod((change) => this.#podChanged(change));
    reconciling.onTeam((namespace) => {
      // The rules of the Team are known, and the Pods of its namespace are listed. Until then, no Pod starts
      // in the namespace if the Team has a limit.
      for (const key of [`team ${namespace}`, 'builds', 'checks', 'warm']) this.#queue.add(key);
    });
  }

  start(): void {
    const { notifications } = this.#leadership.database;
    this.#onStop.push(notifications.listen(TOPICS, (notification) => this.#onNotification(notification)));
    for (const [key, ms] of Object.entries(INTERVALS_MS)) {
      this.#queue.add(key);
      const timer = setInterval(() => this.#tick(key), ms);
      this.#onStop.push(() => clearInterval(timer));
    }
  }

  #tick(key: string): void {
    if (key === 'warm') this.#refill = true;
    this.#queue.add(key);
  }

  async stop(): Promise<void> {
    for (const stop of this.#onStop) stop();
    await Promise.all([this.#queue.stop(), this.#pods.stop()]);
  }

  stuckMs(): number {
    return Math.max(this.#queue.stuckMs(), this.#pods.stuckMs());
  }

  #onNotification(notification: ReceivedNotification<(typeof TOPICS)[number]>): void {
    switch (notification.topic) {
      case 'missed':
        for (const key of ['checks', 'schedule', 'builds']) this.#queue.add(key);
        this.#reconciling.pipelineRowChanged('all');
        this.#reconciling.teamRowChanged('all');
        return;
      case 'checks':
      case 'builds':
        return this.#queue.add(notification.topic);
      case 'schedule':
        return this.#queue.add(
          notification.pipeline === 'all' ? 'schedule' : `schedule ${notification.pipeline}`,
        );
      case 'status':
        return this.#reconciling.pipelineRowChanged(notification.pipeline);
      case 'cancel':
        return this.#pods.followBuild(notification.build);
      case 'teams':
        return this.#reconciling.teamRowChanged(notification.team);
    }
  }

  #work(key: string): Promise<ReconcileResult> {
    const [kind = '', id = ''] = key.split(' ');
    if (kind === 'team') return this.#tryRefused(id);
    // The only other keys are `schedule` and `schedule <pipeline>`.
    return this.#periodicWork.get(kind)?.() ?? this.#schedule(id === '' ? 'all' : Number(id));
  }

  #podChanged(change: ObjectChange<PodProjection>): void {
    this.#pods.changed(change);
    this.#reconciling.pacer.changed(change);
    const { facts, namespace } = change.object;
    if (facts === undefined || facts.work.kind === 'checks' || !facts.sealed) return;
    const ended = change.type === 'deleted' || facts.phase === 'Succeeded' || facts.phase === 'Failed';
    if (ended && this.#fullNamespaces.podEnded(namespace)) this.#queue.add('builds');
    if (ended) this.#queue.add('warm');
  }

  /** Creates the Pods of builds. Builds wait for this after each notification, so it must stay short. */
  async #startBuilds(): Promise<ReconcileResult> {
    const { database } = this.#leadership;
    const { cluster } = this.#reconciling;
    let requeueAfterMs: number | undefined;
    const againAtOnce = await this.#fullNamespaces.startBuilds(async (freedNamespaces) => {
      const { metrics } = this.#leadership;
      const warmResult = (result: WarmResult): void => metrics.warmResult(result);
      const ports = { ...database, cluster, pods: () => this.#pods.all(), now, warmResult };
      const started = await startBuilds(ports, freedNamespaces);
      // If builds wait for quota, warm Pods of their team must end at once. Otherwise warm Pods that were
      // taken are replaced a little later.
      if (started.fullNamespaces.length > 0) this.#queue.add('warm');
      else if (started.started.length > 0) this.#queue.addAfter('warm', REPLACE_WARM_AFTER_MS);
      reportFailures(this.#leadership, 'a build could not be started', started.failures);
      requeueAfterMs = started.failures.length === 0 ? started.againAfterMs : AFTER_FAILURE_MS;
      if (started.failures.length > 0) this.#reconciling.pacer.failed();
      metrics.startWindow({ ...started.window, slots: this.#reconciling.pacer.slots() });
      return started;
    });
    if (againAtOnce) return { requeueAfterMs: 0 };
    return requeueAfterMs === undefined ? 'done' : { requeueAfterMs };
  }

  async #keepWarmPods(): Promise<ReconcileResult> {
    const { database, metrics } = this.#leadership;
    const { cluster } = this.#reconciling;
    const ports = { ...database, cluster, pods: () => this.#pods.all(), now, refill: this.#refill };
    this.#refill = false;
    const { teams, failures } = await keepWarmPods(ports);
    this.#reconciling.warmPodsCounted(teams);
    const sum = (state: 'ready' | 'starting'): number =>
      teams.reduce((total, team) => total + team[state], 0);
    metrics.warmPods({ ready: sum('ready'), starting: sum('starting') });
    return this.#ending('the warm Pods of a team could not be kept', failures);
  }

  /** Tries builds of a namespace again that were refused, because the rules of its Team may have changed. */
  async #tryRefused(namespace: string): Promise<ReconcileResult> {
    if (await this.#leadership.database.builds.tryAllRefused(namespace)) this.#queue.add('builds');
    return 'done';
  }

  async #startChecks(): Promise<ReconcileResult> {
    const { database } = this.#leadership;
    const { cluster } = this.#reconciling;
    const avoid = new Set(
      [...this.#refusedTeams].filter(([, until]) => until > performance.now()).map(([team]) => team),
    );
    const ports = { ...database, cluster, pods: () => this.#pods.all(), now };
    const { refusedTeams, more, failures } = await startChecks(ports, avoid);
    this.#refusedTeams = new Map([...this.#refusedTeams].filter(([team]) => avoid.has(team)));
    for (const team of refusedTeams)
      this.#refusedTeams.set(team, performance.now() + REFUSED_CHECKS_RETRY_MS);
    const ending = this.#ending('checks could not be started', failures);
    return more && ending === 'done' ? { requeueAfterMs: 0 } : ending;
  }

  /**
   * `againAfterMs` schedules the next call for the deadline of hooks, so builds wait no longer than that. The
   * timer only finds work whose notification was lost.
   */
  async #runHooks(): Promise<ReconcileResult> {
    const { database } = this.#leadership;
    const ports = { ...database, cluster: this.#reconciling.cluster, pods: () => this.#pods.all(), now };
    const { againAfterMs: requeueAfterMs, failures } = await runHooks(ports);
    reportFailures(this.#leadership, 'hooks of new versions could not be run', failures);
    if (failures.length > 0) return { requeueAfterMs: AFTER_FAILURE_MS };
    return requeueAfterMs === undefined ? 'done' : { requeueAfterMs };
  }

  async #claimNotifications(): Promise<ReconcileResult> {
    const { opened, more } = await claimNotifications(this.#leadership.database);
    if (opened > 0) this.#queue.add('hooks');
    return more ? { requeueAfterMs: 0 } : 'done';
  }

  async #schedule(pipeline: number | 'all'): Promise<ReconcileResult> {
    const ports = { ...this.#leadership.database, now };
    const { builds, held, more, failures } = await (pipeline === 'all'
      ? scheduleJobs(ports)
      : schedulePipeline(pipeline, ports));
    if (held) this.#queue.add('hooks');
    // The notification may mean that a build has ended, so another build may take its slot.
    if (builds.length > 0 || pipeline !== 'all') this.#queue.add('builds');
    const ending = this.#ending('a pipeline could not be scheduled', failures);
    // Work that is queued already comes before the remaining builds of this pipeline, so that one pipeline
    // does not delay others.
    return more && ending === 'done' ? { requeueAfterMs: 0 } : ending;
  }

  async #compare(): Promise<ReconcileResult> {
    const { failures } = await compareWithPods({ ...this.#pods.ports(), pods: () => this.#pods.all() });
    return this.#ending(
      'a Pod could not be followed',
      failures.map((error) => ({ error })),
    );
  }

  /**
   * Updates the statuses of pipelines whose checks are overdue: while no check runs, nothing else updates
   * them. Also corrects checks that are due later than their schedule allows.
   */
  async #updateOverdueChecks(): Promise<ReconcileResult> {
    const { checks } = this.#leadership.database;
    const corrected = await correctTimers({ checks, now });
    if (corrected > 0)
      this.#leadership.log.warn({ checks: corrected }, 'checks were due too late, because a clock was ahead');
    this.#reconciling.checksOverdue(await checks.overduePipelines(now()));
    return 'done';
  }

  #ending(message: string, failures: { error: unknown }[]): ReconcileResult {
    return endingOf(this.#leadership, message, failures);
  }
}

/**
 * The first word of a key. Kinds of work take turns, so decisions on many pipelines do not delay the start of
 * builds and checks.
 */
function kindOf(key: string): string {
  return key.split(' ')[0] ?? '';
}

const now = (): Date => new Date();
