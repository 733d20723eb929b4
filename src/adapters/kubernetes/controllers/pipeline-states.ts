import type { PipelineProjection, PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { objectKey } from '#adapters/kubernetes/watch/store.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { ManifestVerdict } from './pipeline-verdict.ts';

/*
 * What this process stores about Pipeline objects, in addition to the informer's cache. Only this file
 * changes these states. A new process has none of them, and therefore applies every object again.
 *
 *   first sight -> stale --begin--> applying --applied, handedOver--> settled
 *                  ^ ^ ^              | |  ^                           | |
 *                  | | +----failed----+ |  +--begin, for a newer-------+ |
 *                  | |              invalidate    generation or request  |
 *                  | |                  v                                |
 *                  | +--every end--- outdated                            |
 *                  +------------invalidate, failed-----------------------+
 *
 * `invalidate`: an object that the manifest refers to, or that was created from the manifest, has changed. If
 * an apply is running, it may have missed the change, so another apply follows. `failed` after `applied`: the
 * verdict exists, but its status was not written.
 */

const PAUSE_FACTOR = 20;
/** So that even a slow database delays a status by a few seconds only. */
const MAX_PAUSE_MS = 5000;

type State = 'stale' | 'applying' | 'outdated' | 'settled';

/** The state of one object. A new object of the same name has a new state. */
export class PipelineState {
  readonly uid: string;
  /** When this process first saw the object. */
  readonly since: Date;
  #state: State = 'stale';
  #generation: number | undefined;
  #requestedAt: string | undefined;
  #verdict: ManifestVerdict | undefined;
  #paused: boolean | undefined;
  #status: PipelineStatus | undefined;
  #factsNotBefore = 0;

  constructor(uid: string, since: Date) {
    this.uid = uid;
    this.since = since;
  }

  /** The verdict on the manifest of this object; undefined if the manifest has to be applied. */
  currentVerdict(
    object: Pick<PipelineProjection, 'generation' | 'requestedAt'>,
  ): ManifestVerdict | undefined {
    if (this.#state !== 'settled') return undefined;
    const isUnchanged = this.#generation === object.generation && this.#requestedAt === object.requestedAt;
    return isUnchanged ? this.#verdict : undefined;
  }

  /** The verdict on the manifest that was applied last, which may not be the current one. */
  get lastVerdict(): ManifestVerdict | undefined {
    return this.#verdict;
  }

  /** Whether the pipeline was paused when an apply last read its facts; undefined before that. */
  get paused(): boolean | undefined {
    return this.#paused;
  }

  /** The status that was written last. The informer may not have it yet. */
  get status(): PipelineStatus | undefined {
    return this.#status;
  }

  /**
   * Before this time, in milliseconds of `performance.now()`, the facts are not read again because of a
   * changed row.
   */
  get factsNotBefore(): number {
    return this.#factsNotBefore;
  }

  /**
   * Sets the pause after a read of the facts: `PAUSE_FACTOR` times as long as the read. So reading the facts
   * of a large and busy pipeline takes about a twentieth of the time, unless a read takes longer than
   * `MAX_PAUSE_MS` / `PAUSE_FACTOR`.
   */
  factsRead(startedAt: number, endedAt: number): void {
    this.#factsNotBefore = endedAt + Math.min(MAX_PAUSE_MS, (endedAt - startedAt) * PAUSE_FACTOR);
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

  /** A rename gave the pipeline to another object, so there is nothing left to do. */
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

  /** Returns the state of the object, and creates it if there is none. */
  of(object: PipelineProjection, now: Date): PipelineState {
    const state = this.#byKey.get(objectKey(object));
    if (state?.uid === object.uid) return state;
    const created = new PipelineState(object.uid, now);
    this.#byKey.set(objectKey(object), created);
    return created;
  }

  get(key: string): PipelineState | undefined {
    return this.#byKey.get(key);
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  forget(key: string): void {
    this.#byKey.delete(key);
    for (const [id, keyOfId] of this.#keyOfId) if (keyOfId === key) this.#keyOfId.delete(id);
  }

  /** Stores which database row belongs to the object. */
  rowKnown(key: string, { id }: Pick<PipelineFacts, 'id'>): void {
    this.#keyOfId.set(id, key);
  }

  /** The key of the object with this row id, if it has a state. */
  keyOfRow(id: number): string | undefined {
    const key = this.#keyOfId.get(id);
    return key !== undefined && this.#byKey.has(key) ? key : undefined;
  }
}
