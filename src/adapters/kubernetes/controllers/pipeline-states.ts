import type { PipelineProjection, PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { objectKey } from '#adapters/kubernetes/watch/store.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { ManifestVerdict } from './pipeline-verdict.ts';

/*
 * What this process remembers of Pipeline objects beyond what it watches. Only this file changes it. A new
 * process remembers nothing, so it applies every object once.
 *
 *   first sight ─► stale ──begin──► applying ──applied, handedOver──► settled
 *                  ▲ ▲ ▲              │ │  ▲                           │ │
 *                  │ │ └────failed────┘ │  └──begin, for a newer───────┘ │
 *                  │ │              invalidate    generation or request  │
 *                  │ │                  ▼                                │
 *                  │ └──every end─── outdated                            │
 *                  └────────────────invalidate───────────────────────────┘
 *
 * `invalidate`: something that the manifest refers to, or that was made from it, has changed. While an apply
 * runs, the change may have come too late for it, so another one follows.
 */

type State = 'stale' | 'applying' | 'outdated' | 'settled';

/** One object; another object of the same name begins anew. */
export class PipelineState {
  readonly uid: string;
  /** When this process first saw it. */
  readonly since: Date;
  #state: State = 'stale';
  #generation: number | undefined;
  #requestedAt: string | undefined;
  #verdict: ManifestVerdict | undefined;
  #paused: boolean | undefined;
  #status: PipelineStatus | undefined;

  constructor(uid: string, since: Date) {
    this.uid = uid;
    this.since = since;
  }

  /** What became of this manifest; undefined when it has to be applied. */
  currentVerdict(
    object: Pick<PipelineProjection, 'generation' | 'requestedAt'>,
  ): ManifestVerdict | undefined {
    if (this.#state !== 'settled') return undefined;
    const isAsApplied = this.#generation === object.generation && this.#requestedAt === object.requestedAt;
    return isAsApplied ? this.#verdict : undefined;
  }

  /** What became of the manifest that was applied last, whether or not it is the current one. */
  get lastVerdict(): ManifestVerdict | undefined {
    return this.#verdict;
  }

  /** Whether the database said that it was paused when it was applied. */
  get paused(): boolean | undefined {
    return this.#paused;
  }

  /** As last written here; the watch may not show it yet. */
  get status(): PipelineStatus | undefined {
    return this.#status;
  }

  begin({ requestedAt }: Pick<PipelineProjection, 'requestedAt'>): void {
    this.#state = 'applying';
    this.#requestedAt = requestedAt;
  }

  applied(generation: number, verdict: ManifestVerdict, paused: boolean | undefined): void {
    this.#end();
    this.#generation = generation;
    this.#verdict = verdict;
    this.#paused = paused ?? this.#paused;
  }

  /** Another object goes on with the pipeline: nothing was applied, and nothing is left to do. */
  handedOver(): void {
    this.#end();
  }

  failed(): void {
    this.#state = 'stale';
  }

  invalidate(): void {
    this.#state = this.#state === 'applying' || this.#state === 'outdated' ? 'outdated' : 'stale';
  }

  statusWritten(status: PipelineStatus): void {
    this.#status = status;
  }

  #end(): void {
    this.#state = this.#state === 'applying' ? 'settled' : 'stale';
  }
}

export class PipelineStates {
  readonly #byKey = new Map<string, PipelineState>();
  readonly #keyOfId = new Map<number, string>();

  /** Remembers the object from now on, if it does not yet. */
  of(object: PipelineProjection, now: Date): PipelineState {
    const state = this.#byKey.get(objectKey(object));
    if (state?.uid === object.uid) return state;
    const fresh = new PipelineState(object.uid, now);
    this.#byKey.set(objectKey(object), fresh);
    return fresh;
  }

  get(key: string): PipelineState | undefined {
    return this.#byKey.get(key);
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** The row of the database that the object of this key became. */
  rowKnown(key: string, { id }: Pick<PipelineFacts, 'id'>): void {
    this.#keyOfId.set(id, key);
  }

  /** The key of the object whose row has this id. */
  keyOfRow(id: number): string | undefined {
    const key = this.#keyOfId.get(id);
    return key !== undefined && this.#byKey.has(key) ? key : undefined;
  }
}
