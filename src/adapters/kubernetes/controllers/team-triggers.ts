import type { Watched } from '#adapters/kubernetes/informers/informers.ts';
import { namespaceOf } from '#adapters/kubernetes/informers/owning-team.ts';
import type { SeenTeam } from '#adapters/kubernetes/informers/projections.ts';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { Change } from '#adapters/kubernetes/watch/store.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { TeamMemory } from './team-states.ts';

export interface TeamTriggersOptions {
  watched: Pick<Watched, 'teamOf' | 'leaveNamespace'>;
  queue: Pick<WorkQueue, 'add'>;
  memory: TeamMemory;
}

/** What puts a Team into the queue. */
export class TeamTriggers {
  readonly #options: TeamTriggersOptions;

  constructor(options: TeamTriggersOptions) {
    this.#options = options;
  }

  objectChanged(change: Change<SeenTeam>): void {
    if (change.type === 'deleted') {
      this.#options.memory.forget(change.key);
      this.#leaveNamespace(change.object);
    }
    if (change.type === 'updated' && isNoChange(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A Pipeline was created in the namespace or deleted from it: the status of the Team counts them. */
  pipelinesChanged(namespace: string): void {
    const team = this.#options.watched.teamOf(namespace);
    if (team !== undefined) this.#options.queue.add(team.name);
  }

  /** The database has something new about a team that its status shows. */
  rowChanged(name: string): void {
    this.#options.queue.add(name);
  }

  allRowsChanged(): void {
    for (const name of this.#options.memory.readyTeams()) this.#options.queue.add(name);
  }

  logsCounted(fills: ReadonlyMap<string, LogFill>): void {
    for (const name of this.#options.memory.logsCounted(fills)) this.#options.queue.add(name);
  }

  /** A namespace that another Team has stays watched. */
  #leaveNamespace(team: SeenTeam): void {
    const namespace = namespaceOf(team);
    const owner = this.#options.watched.teamOf(namespace);
    if (owner === undefined || owner.name === team.name) void this.#options.watched.leaveNamespace(namespace);
  }
}

/** Our own writes of the status come back as updates, and so do changes of labels. */
function isNoChange(before: SeenTeam, after: SeenTeam): boolean {
  return (
    before.generation === after.generation &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
