import { encodeCard } from '#adapters/http/api/pipeline-cards.ts';
import type { PipelineCard } from '#domain/graph/pipeline-card.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { PipelineCards } from '#flows/views/show-cards.ts';
import { encodeEvent } from './encode-event.ts';
import type { EventStream } from './event-stream.ts';
import { pacedReads } from './pace-reads.ts';

/** The shortest time between two reads. */
const PAUSE_MS = 1000;
/** The most pipelines, and the most teams, that one query reads. */
const MAX_PIPELINES_READ = 100;
const MAX_TEAMS_READ = 5;
/**
 * How often all pipelines of a team are read, because notifications can be lost and some changes send none.
 */
const REREAD_MS = 60_000;

interface Parts {
  cards: Pick<PipelineCards, 'ofTeams' | 'ofPipelines'>;
  listen: Notifications['listen'];
  failed: (error: unknown) => void;
  /** Pause between reads in milliseconds; a second if absent. */
  pauseMs?: number;
}

interface Viewer {
  stream: EventStream;
  /** Teams whose whole state the viewer still needs, because it has none or has missed a change. */
  missingTeams: Set<string>;
}

interface EncodedCard {
  encoded: ReturnType<typeof encodeCard>;
  text: string;
}

interface WatchedTeam {
  viewers: Set<Viewer>;
  /** The cards by the row id of the pipeline. Undefined until they are read for the first time. */
  cards: Map<number, EncodedCard> | undefined;
  /** Whether all pipelines of the team must be read again. */
  stale: boolean;
  /** When all pipelines of the team were last read: milliseconds of `performance.now()`, or 0 if never. */
  readAt: number;
}

/**
 * Feeds all viewers of overviews. A change costs one read of the changed pipelines, at most once a second for
 * all viewers together, one encoding for each team, and one write to each viewer of that team. The pipelines
 * of teams that nobody views are not encoded. A slow viewer gets the whole state of its teams later, instead
 * of every change.
 */
export class OverviewFeed {
  readonly #parts: Parts;
  readonly #teams = new Map<string, WatchedTeam>();
  /** Row ids of pipelines that may have changed. */
  readonly #changed = new Set<number>();
  readonly #reads;
  #stopListening: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#reads = pacedReads(() => this.#read(), parts.pauseMs ?? PAUSE_MS, parts.failed);
  }

  /** Adds a viewer of these teams. Returns a function that removes the viewer. */
  add(stream: EventStream, teams: readonly string[]): () => void {
    this.#listen();
    const viewer = { stream, missingTeams: new Set(teams) };
    for (const name of teams) {
      const team = this.#teams.get(name) ?? { viewers: new Set(), cards: undefined, stale: true, readAt: 0 };
      this.#teams.set(name, team);
      team.viewers.add(viewer);
    }
    stream.drained = () => this.#sendMissingTeams(viewer);
    this.#sendMissingTeams(viewer);
    this.#reads.trigger();
    return () => this.#remove(viewer, teams);
  }

  /** Call it regularly, so that teams that were not read for a minute are read again. */
  refresh(now = performance.now()): void {
    for (const team of this.#teams.values()) if (now - team.readAt >= REREAD_MS) team.stale = true;
    if (this.#changed.size > 0 || this.#staleTeams().length > 0) this.#reads.trigger();
  }

  stop(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#reads.stop();
    this.#teams.clear();
  }

  #listen(): void {
    this.#stopListening ??= this.#parts.listen(['status', 'schedule'], (notification) => {
      if (notification.topic === 'missed') this.#markAllStale();
      else if (notification.pipeline !== 'all' && this.#teams.size > 0)
        this.#changed.add(notification.pipeline);
      else return;
      this.#reads.trigger();
    });
  }

  #remove(viewer: Viewer, teams: readonly string[]): void {
    for (const name of teams) {
      const team = this.#teams.get(name);
      team?.viewers.delete(viewer);
      if (team?.viewers.size === 0) this.#teams.delete(name);
    }
  }

  #markAllStale(): void {
    for (const team of this.#teams.values()) team.stale = true;
  }

  #staleTeams(): string[] {
    return [...this.#teams].filter(([, { stale }]) => stale).map(([name]) => name);
  }

  async #read(): Promise<void> {
    try {
      for (let names = this.#staleTeams(); names.length > 0; names = this.#staleTeams())
        await this.#readTeams(names.slice(0, MAX_TEAMS_READ));
      await this.#readChanged();
    } catch (error) {
      // The changes of this read are lost, so all teams are read again. `refresh` starts that read.
      this.#markAllStale();
      throw error;
    }
    if (this.#changed.size > 0) this.#reads.trigger();
  }

  async #readTeams(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const team = this.#teams.get(name);
      if (team !== undefined) Object.assign(team, { stale: false, readAt: performance.now() });
    }
    const byTeam = Map.groupBy(await this.#parts.cards.ofTeams(names), ({ team }) => team);
    for (const name of names) {
      const cards = byTeam.get(name) ?? [];
      const ids = new Set(cards.map(({ id }) => id));
      const known = [...(this.#teams.get(name)?.cards?.keys() ?? [])];
      this.#update(
        name,
        cards,
        known.filter((id) => !ids.has(id)),
      );
    }
  }

  async #readChanged(): Promise<void> {
    const ids = [...this.#changed].slice(0, MAX_PIPELINES_READ);
    if (ids.length === 0) return;
    for (const id of ids) this.#changed.delete(id);
    const changedCards = await this.#parts.cards.ofPipelines(ids, [...this.#teams.keys()]);
    const byTeam = Map.groupBy(changedCards, ({ team }) => team);
    for (const [name, { cards }] of this.#teams) {
      const present = byTeam.get(name) ?? [];
      const removed = ids.filter((id) => cards?.has(id) === true && !present.some((card) => card.id === id));
      if (present.length > 0 || removed.length > 0) this.#update(name, present, removed);
    }
  }

  /** Stores the cards that were read, and sends those that are new or changed. */
  #update(name: string, cardsRead: readonly PipelineCard[], removed: readonly number[]): void {
    const team = this.#teams.get(name);
    if (team === undefined) return;
    const isFirstRead = team.cards === undefined;
    const cards = team.cards ?? new Map<number, EncodedCard>();
    team.cards = cards;
    const pipelines = cardsRead.flatMap((card) => {
      const encoded = encodeCard(card);
      const text = JSON.stringify(encoded);
      if (cards.get(card.id)?.text === text) return [];
      cards.set(card.id, { encoded, text });
      return [encoded];
    });
    for (const id of removed) cards.delete(id);
    if (!isFirstRead && pipelines.length === 0 && removed.length === 0) return;
    this.#sendChanges(team, encodeEvent({ name: 'changes', data: { team: name, pipelines, removed } }), name);
  }

  #sendChanges({ viewers }: WatchedTeam, changes: Buffer, name: string): void {
    const encodedTeam = computeOnce(() => this.#encodeTeam(name));
    for (const viewer of viewers) {
      const { stream, missingTeams } = viewer;
      if (stream.buffered) missingTeams.add(name);
      else if (!missingTeams.has(name)) stream.write(changes);
      else this.#sendTeam(viewer, name, encodedTeam());
    }
  }

  #sendMissingTeams(viewer: Viewer): void {
    for (const name of viewer.missingTeams) {
      if (viewer.stream.buffered || !viewer.stream.open) return;
      this.#sendTeam(viewer, name, this.#encodeTeam(name));
    }
  }

  #sendTeam({ stream, missingTeams }: Viewer, name: string, encodedTeam: Buffer | undefined): void {
    if (encodedTeam === undefined) return;
    missingTeams.delete(name);
    stream.write(encodedTeam);
  }

  #encodeTeam(name: string): Buffer | undefined {
    const cards = this.#teams.get(name)?.cards;
    if (cards === undefined) return undefined;
    const pipelines = [...cards.values()].map(({ encoded }) => encoded);
    return encodeEvent({ name: 'team', data: { team: name, pipelines } });
  }
}

function computeOnce<T>(make: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => (computed ??= { value: make() }).value;
}
