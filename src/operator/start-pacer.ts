import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import {
  halvePace,
  INITIAL_PACE,
  paceStarts,
  sharingOf,
  slowAfter,
  type Sharing,
  type StartPace,
} from '#domain/scheduling/pace-starts.ts';
import { startSlots, type StartNode } from '#domain/scheduling/start-window.ts';
import type { PodFacts } from '#flows/pods/ports.ts';

export interface StartPacerOptions {
  /** All nodes that take new Pods. */
  nodes: () => StartNode[];
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

interface PodStart {
  team: string;
  beganAt: number;
  ofBuild: boolean;
}

/** Failures within this time count as one, because a failed request is repeated within a second. */
const FAILURES_APART_MS = 10_000;

/**
 * Measures the time from a Pod's assignment to a node until its agent runs, and derives how many Pods may be
 * starting at a time. The agent is the first container, so the time does not include pulling the images of a
 * team. Times are those at which this process sees a change, so a slow API server also lowers the number.
 */
export class StartPacer {
  readonly #options: StartPacerOptions;
  readonly #starting = new Map<string, PodStart>();
  #pace: StartPace = INITIAL_PACE;

  constructor(options: StartPacerOptions) {
    this.#options = options;
  }

  get pace(): StartPace {
    return this.#pace;
  }

  /** How many Pods may be starting at a time on all nodes. */
  slots(): number {
    return startSlots(this.#options.nodes(), this.#pace.perNode);
  }

  changed({ type, object }: ObjectChange<PodProjection>): void {
    const { uid, namespace, facts } = object;
    const start = this.#starting.get(uid);
    const state = type === 'deleted' || facts?.sealed !== true ? 'other' : agentState(facts);
    const ofBuild = facts?.work.kind === 'build';
    if (state === 'waiting')
      this.#starting.set(uid, start ?? { team: namespace, beganAt: this.#now(), ofBuild });
    else this.#starting.delete(uid);
    if (state === 'running' && start !== undefined) this.#adapt(start, true);
  }

  /**
   * How many Pods may be starting at a time on one node. First halves that number, once for each overload, if
   * Pods are late and still do not run.
   */
  perNode(): number {
    const lateIfBefore = this.#now() - slowAfter(this.#pace);
    for (const start of this.#starting.values()) if (start.beganAt < lateIfBefore) this.#adapt(start, false);
    return this.#pace.perNode;
  }

  sharing(namespace: string): Sharing {
    return sharingOf(this.#pace, namespace, this.#now());
  }

  /** A request to create a Pod failed: the API server is down or overloaded. */
  failed(): void {
    if (this.#now() - this.#pace.halvedAt >= FAILURES_APART_MS)
      this.#pace = halvePace(this.#pace, this.#now());
  }

  #adapt(start: PodStart, running: boolean): void {
    // A running Pod is no longer in the map.
    const used = (this.#starting.size + (running ? 1 : 0)) / this.slots();
    this.#pace = paceStarts(this.#pace, { ...start, seenAt: this.#now(), running, used });
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}

/**
 * The state of a Pod's agent. `waiting`: the Pod has its node. `other`: a state that does not show how
 * quickly the Pod starts.
 */
function agentState({ containers: [agent], scheduled, deleting }: PodFacts): 'waiting' | 'running' | 'other' {
  if (agent?.state === 'running') return 'running';
  return agent?.state === 'waiting' && scheduled && !deleting ? 'waiting' : 'other';
}
