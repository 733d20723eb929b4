import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import {
  halvePace,
  INITIAL_PACE,
  paceStarts,
  slowAfter,
  type StartPace,
} from '#domain/scheduling/pace-starts.ts';
import { startPlaces, type StartNode } from '#domain/scheduling/start-window.ts';
import type { PodFacts } from '#flows/pods/ports.ts';

export interface StartPacerOptions {
  /** All nodes that take new Pods. */
  nodes: () => StartNode[];
  /** Milliseconds on one clock. */
  now?: () => number;
}

interface OnItsWay {
  team: string;
  beganAt: number;
}

/** The API server is asked again within a second; several failures in a row are one. */
const FAILURES_APART_MS = 10_000;

/**
 * Watches how long Pods take from their node to a running agent, the first container of every Pod, and so how
 * many may be starting at a time. Times are those at which this process hears of it, so a slow API server
 * slows the pace too. What a team's own images take does not count: the agent's container starts before
 * theirs.
 */
export class StartPacer {
  readonly #options: StartPacerOptions;
  readonly #onTheirWay = new Map<string, OnItsWay>();
  #pace: StartPace = INITIAL_PACE;

  constructor(options: StartPacerOptions) {
    this.#options = options;
  }

  get pace(): StartPace {
    return this.#pace;
  }

  /** How many Pods may be starting at a time on all nodes. */
  places(): number {
    return startPlaces(this.#options.nodes(), this.#pace.perNode);
  }

  changed({ type, object }: ObjectChange<PodProjection>): void {
    const { uid, namespace, facts } = object;
    const known = this.#onTheirWay.get(uid);
    const state = type === 'deleted' || facts?.sealed !== true ? 'other' : agentState(facts);
    if (state === 'waiting') this.#onTheirWay.set(uid, known ?? { team: namespace, beganAt: this.#now() });
    else this.#onTheirWay.delete(uid);
    if (state === 'running' && known !== undefined) this.#seen(known, true);
  }

  /** Pods that are on their way for too long count before they arrive. */
  perNode(): number {
    const late = this.#now() - slowAfter(this.#pace);
    for (const one of this.#onTheirWay.values()) if (one.beganAt < late) this.#seen(one, false);
    return this.#pace.perNode;
  }

  /** A Pod could not be asked for: the API server is away or overloaded. */
  failed(): void {
    if (this.#now() - this.#pace.halvedAt >= FAILURES_APART_MS)
      this.#pace = halvePace(this.#pace, this.#now());
  }

  #seen({ team, beganAt }: OnItsWay, running: boolean): void {
    // The Pod itself has left already.
    const used = (this.#onTheirWay.size + (running ? 1 : 0)) / this.places();
    this.#pace = paceStarts(this.#pace, { team, beganAt, seenAt: this.#now(), running, used });
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))();
  }
}

/** `waiting` on its node, `running`, or what says nothing of how quickly it starts. */
function agentState({ containers: [agent], scheduled, deleting }: PodFacts): 'waiting' | 'running' | 'other' {
  if (agent?.state === 'running') return 'running';
  return agent?.state === 'waiting' && scheduled && !deleting ? 'waiting' : 'other';
}
