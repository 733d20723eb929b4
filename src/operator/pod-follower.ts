import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ReconcileResult, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import { followGonePod, followPod } from '#flows/builds/compare-with-pods.ts';
import type { AttemptFacts, BuildStore } from '#flows/builds/ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import type { ForeignPods } from '#flows/pods/verify-pods.ts';
import type { OpenRun } from '#flows/pods/workloads.ts';
import { ForeignPodCache } from './foreign-pods.ts';
import { GonePods } from './gone-pods.ts';
import type { Leadership } from './lead.ts';
import type { Reconciling } from './reconcile.ts';
import { WatchedStarts } from './watched-starts.ts';
import { namespaceOf, workQueue } from './work-queue.ts';

/**
 * Judges builds and check runs by the state of their Pods. Has a queue with one key for each Pod,
 * `namespace/name`.
 */
export class PodFollower {
  readonly #leadership: Leadership;
  readonly #reconciling: Reconciling;
  readonly #queue: WorkQueue;
  readonly #gone = new GonePods();
  readonly #foreign: ForeignPods;
  readonly #starts = new WatchedStarts();

  constructor(leadership: Leadership, reconciling: Reconciling) {
    this.#leadership = leadership;
    this.#reconciling = reconciling;
    this.#queue = workQueue(leadership, 'pod', (key) => this.#work(key), namespaceOf);
    this.#foreign = new ForeignPodCache((pod, message) => this.#reportForeign(pod, message));
  }

  changed(change: ObjectChange<PodProjection>): void {
    this.#starts.changed(change);
    const { facts } = change.object;
    if (facts === undefined) return;
    if (change.type === 'deleted') this.#gone.add(change.key, facts);
    this.#queue.add(change.key);
  }

  /**
   * Follows the Pods of a cancelled build again: if the build has ended without its agent, its Pod must be
   * deleted.
   */
  followBuild(build: number): void {
    for (const { work, namespace, name } of this.all())
      // Which build has taken a warm Pod is known only when that Pod is followed.
      if (work.kind === 'warm' || (work.kind === 'build' && work.build === build))
        this.#queue.add(`${namespace}/${name}`);
  }

  /** All Pods of Millrace, as last seen. */
  all(): PodFacts[] {
    const { informers } = this.#reconciling;
    return informers
      .watchedNamespaces()
      .flatMap((namespace) => informers.podsIn(namespace) ?? [])
      .flatMap(({ facts }) => facts ?? []);
  }

  /**
   * Ports of the flows that follow Pods. They leave out attempts and runs in namespaces whose Pods the watch
   * has not listed yet: there, a Pod may exist that the watch does not show.
   */
  ports() {
    const { database } = this.#leadership;
    const { informers, cluster } = this.#reconciling;
    const isListed = ({ namespace }: { namespace: string }): boolean =>
      informers.podsIn(namespace) !== undefined;
    const builds: BuildStore = {
      ...database.builds,
      openAttempts: async () => (await database.builds.openAttempts()).filter(isListed),
    };
    const checks: CheckStore = {
      ...database.checks,
      openRuns: async () => (await database.checks.openRuns()).filter(isListed),
    };
    return {
      builds,
      checks,
      caches: database.caches,
      warmPods: database.warmPods,
      cluster,
      notifications: database.notifications,
      now: () => new Date(),
      foreign: this.#foreign,
      seenStart: (podUid: string) => this.#starts.of(podUid),
      reportHangingAgent: (build: AttemptFacts, message: string) => this.#reportHangingAgent(build, message),
    };
  }

  stuckMs(): number {
    return this.#queue.stuckMs();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #reportHangingAgent({ namespace, pipeline, job, number }: AttemptFacts, message: string): void {
    this.#leadership.log.warn({ namespace, pipeline, job, number }, message);
    const note = `Build ${number} of job ${job}: ${message}`;
    const event = { type: 'Warning', reason: 'CancelOverdue', action: 'Build', note } as const;
    this.#reconciling.recordEvent(namespace, pipeline, event);
  }

  /** Called at most once a minute for each namespace, so a flood of such Pods does not fill the log. */
  #reportForeign(pod: PodFacts, message: string): void {
    const { namespace, name, uid } = pod;
    this.#leadership.log.warn({ namespace, pod: name, uid, work: pod.work }, message);
    this.#reconciling.recordPodEvent(pod, {
      type: 'Warning',
      reason: 'NotCreatedByMillrace',
      action: 'Ignore',
      note: message,
    });
  }

  async #work(key: string): Promise<ReconcileResult> {
    const ports = this.ports();
    for (const gone of this.#gone.of(key)) {
      await followGonePod(gone, await this.#runsFor(gone), ports);
      this.#gone.handled(key, gone);
    }
    const present = this.#reconciling.informers.pod(key);
    if (present?.facts === undefined) return 'done';
    await followPod(present.facts, await this.#runsFor(present.facts), ports);
    return 'done';
  }

  async #runsFor(pod: PodFacts): Promise<OpenRun[]> {
    return pod.work.kind !== 'checks' ? [] : this.#leadership.database.checks.openRuns();
  }
}
